/** The commands about the installation and the settings; those about questions are in ways/commands.ts. */

import * as vscode from "vscode";
import { choosePython, install, offerInstall } from "./proxy/install";
import { log } from "./log";
import { debugRun, pickRun } from "./launch/agentRun";
import { showMenu } from "./menu";
import { pickProcess } from "./launch/pickProcess";
import { notCovered } from "./launch/switching";
import { findLauncher, forgetLaunchers, type Launcher } from "./proxy/python";
import { FOREIGN_TYPES } from "./settings";
import type { StatusBar } from "./statusBar";

/** Registers them. `ownEnvironment`: see proxy/install.ts. */
export function registerHostCommands(ownEnvironment: string, statusBar: StatusBar): vscode.Disposable {
  const look = (): Promise<Launcher | undefined> => checkInstallation(ownEnvironment, statusBar);
  const commands: Record<string, () => unknown> = {
    "dapAi.menu": showMenu,
    "dapAi.showLog": () => {
      log().show();
    },
    "dapAi.install": () => install(currentFolder(), ownEnvironment),
    "dapAi.choosePython": async () => (await choosePython(currentFolder())) && look(),
    "dapAi.doctor": async () => {
      forgetLaunchers();
      const found = await look();
      if (found) void vscode.window.showInformationMessage(`dap-ai ${found.version} is ready: ${found.argv[0]} (${found.source}).`);
      else await offerInstall(currentFolder(), ownEnvironment);
    },
    "dapAi.enableForWorkspace": enableForWorkspace,
    "dapAi.pickProcess": pickProcess,
    "dapAi.pickRun": pickRun,
    "dapAi.debugRun": debugRun,
    "dapAi.learnMore": () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", "dap-ai.dap-ai#start", false),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

/** Looks for dap-ai and shows in the status bar whether it is there. */
export async function checkInstallation(ownEnvironment: string, statusBar: StatusBar): Promise<Launcher | undefined> {
  const launcher = await findLauncher(currentFolder(), ownEnvironment);
  showInstallation(launcher?.version, statusBar);
  return launcher;
}

/** Shows in the status bar, and to the walkthrough, which dap-ai is there. */
export function showInstallation(version: string | undefined, statusBar: StatusBar): void {
  statusBar.update({ version, isMissing: version === undefined });
  void vscode.commands.executeCommand("setContext", "dapAi.ready", version !== undefined);
}

/** That of the file in the editor, else the first. */
export function currentFolder(): vscode.WorkspaceFolder | undefined {
  const file = vscode.window.activeTextEditor?.document.uri;
  return (file && vscode.workspace.getWorkspaceFolder(file)) ?? vscode.workspace.workspaceFolders?.[0];
}

const LABELS: Record<string, string> = {
  debugpy: "Python (debugpy)",
  "lldb-dap": "C, C++, Rust with LLDB (lldb-dap)",
  gdb: "C, C++, Rust with GDB (gdb -i dap)",
};

/** Lets the user choose whose configurations run through dap-ai in this workspace. */
async function enableForWorkspace(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("dapAi", currentFolder()?.uri ?? null);
  const now = settings.get<Record<string, boolean>>("enableFor") ?? {};
  const items = FOREIGN_TYPES.map((type) => ({ label: LABELS[type] ?? type, type, picked: now[type] === true }));
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: "Use dap-ai for existing launch configurations",
    placeHolder: "Which of this workspace's configurations run through dap-ai? They stay as they are.",
  });
  if (!chosen) return;
  const value = Object.fromEntries(FOREIGN_TYPES.map((type) => [type, chosen.some((item) => item.type === type)]));
  const target = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await settings.update("enableFor", value, target);
  for (const text of notCovered(currentFolder())) void vscode.window.showInformationMessage(text);
}
