/** What a click on the status-bar item offers. */

import * as vscode from "vscode";

interface Entry extends vscode.QuickPickItem {
  command?: string;
  args?: unknown[];
}

const SEPARATOR: Entry = { label: "", kind: vscode.QuickPickItemKind.Separator };

/** Shows the menu and does what is chosen. */
export async function showMenu(): Promise<void> {
  const isDebugging = vscode.debug.activeDebugSession !== undefined;
  const entries: Entry[] = [
    ...(isDebugging
      ? [
          { label: "$(lightbulb) Why did it stop?", command: "dapAi.why" },
          { label: "$(question) Ask...", command: "dapAi.ask" },
        ]
      : []),
    { label: "$(comment-discussion) Show answers", command: "dapAi.openView" },
    SEPARATOR,
    { label: "$(sparkle) Choose who answers...", command: "dapAi.chooseAnswerer" },
    { label: "$(history) Debug an agent run...", command: "dapAi.debugRun" },
    { label: "$(record) Record an agent...", command: "dapAi.recordAgent" },
    { label: "$(graph) Show the agent run", command: "dapAi.showRun" },
    { label: "$(list-unordered) Agent runs", command: "dapAi.runGallery" },
    { label: "$(arrow-swap) Use dap-ai for existing launch configurations...", command: "dapAi.enableForWorkspace" },
    SEPARATOR,
    { label: "$(check) Check the installation", command: "dapAi.doctor" },
    { label: "$(folder) Choose the Python that runs dap-ai...", command: "dapAi.choosePython" },
    { label: "$(gear) Settings", command: "workbench.action.openSettings", args: ["dapAi"] },
    { label: "$(output) Log", command: "dapAi.showLog" },
  ];
  const chosen = await vscode.window.showQuickPick(entries, { title: "dap-ai" });
  if (chosen?.command) await vscode.commands.executeCommand(chosen.command, ...(chosen.args ?? []));
}
