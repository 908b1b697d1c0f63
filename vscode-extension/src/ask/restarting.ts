/** Starts a program again, whether its session is still there or not. */

import * as vscode from "vscode";

/** What a proxy and VS Code have added to a configuration: another start makes them anew. */
const ADDED = ["debugServer", "dapAiToken", "askEvents"];

/** Restarts `running`; without it, begins `ended` again as it was begun; without that, what F5 would start. */
export async function restart(running: vscode.DebugSession | undefined, ended: vscode.DebugSession | undefined): Promise<void> {
  if (running) {
    await vscode.commands.executeCommand("workbench.action.debug.restart", undefined, { sessionId: running.id });
    return;
  }
  if (!ended) {
    await vscode.commands.executeCommand("workbench.action.debug.start");
    return;
  }
  const { workspaceFolder, configuration } = ended;
  const kept = Object.entries(configuration).filter(([name]) => !ADDED.includes(name) && !name.startsWith("__"));
  await vscode.debug.startDebugging(workspaceFolder, Object.fromEntries(kept) as vscode.DebugConfiguration);
}
