/** When there is no dap-ai: offers to install it, or to name the Python that has it. */

import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { log, textOf } from "../log";
import { located } from "./located";
import { check, configuredPython, forgetLaunchers, pythonIn, type Launcher } from "./python";
import { selectedInterpreter } from "./pythonExtension";
import { run } from "./run";
import { runTask } from "./task";

const INSTALL = "Install...";
const CHOOSE = "Choose Python...";
const LEARN = "Learn more";
const CLEAR = "Clear the setting";
const PACKAGE = "dap-ai";

/** Says that dap-ai is missing, and does what the user chooses. */
export async function offerInstall(folder: vscode.WorkspaceFolder | undefined, ownEnvironment: string): Promise<void> {
  const configured = configuredPython(folder);
  const text =
    configured === undefined
      ? "No Python with dap-ai was found."
      : `The setting dapAi.python names ${configured}, which does not start dap-ai.`;
  log().warn(text);
  // With the setting no other Python is tried: also not one that has it, or gets it now.
  const last = configured === undefined ? LEARN : CLEAR;
  const chosen = await vscode.window.showWarningMessage(text, INSTALL, CHOOSE, last);
  if (chosen === INSTALL) await install(folder, ownEnvironment);
  else if (chosen === CHOOSE) await choosePython(folder);
  else if (chosen === LEARN) await vscode.commands.executeCommand("dapAi.learnMore");
  else if (chosen === CLEAR) await clearSetting(folder);
}

async function clearSetting(folder: vscode.WorkspaceFolder | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration("dapAi", folder?.uri ?? null);
  const found = settings.inspect<string>("python");
  const { Global, Workspace, WorkspaceFolder } = vscode.ConfigurationTarget;
  if (found?.workspaceFolderValue !== undefined) await settings.update("python", undefined, WorkspaceFolder);
  if (found?.workspaceValue !== undefined) await settings.update("python", undefined, Workspace);
  if (found?.globalValue !== undefined) await settings.update("python", undefined, Global);
  forgetLaunchers();
  await vscode.commands.executeCommand("dapAi.doctor");
}

interface Way extends vscode.QuickPickItem {
  /** What is run, one after another. */
  steps: [string, ...string[]][];
}

/** Asks where to, installs it in a terminal that shows what happens, and says whether it is there. */
export async function install(folder: vscode.WorkspaceFolder | undefined, ownEnvironment: string): Promise<void> {
  const found = await ways(folder, ownEnvironment);
  if (found.length === 0) {
    void vscode.window.showErrorMessage("There is no Python 3.10 or newer on this machine: install one first.");
    return;
  }
  const way = await vscode.window.showQuickPick(found, {
    title: "Install dap-ai",
    placeHolder: "Where to? The programs that you debug may use any other Python.",
  });
  if (!way) return;
  try {
    for (const step of way.steps) {
      if ((await runTask("Install dap-ai", step, folder)) !== 0) throw new Error("the terminal says why.");
    }
  } catch (error) {
    void vscode.window.showErrorMessage(`dap-ai was not installed: ${textOf(error)}`);
    return;
  }
  forgetLaunchers();
  await vscode.commands.executeCommand("dapAi.doctor");
}

async function ways(folder: vscode.WorkspaceFolder | undefined, ownEnvironment: string): Promise<Way[]> {
  const found: Way[] = [];
  const hasUv = await succeeds("uv", ["--version"]);
  const selected = configuredPython(folder) ?? (await selectedInterpreter(folder?.uri));
  const base = await firstPython(selected);
  if (base !== undefined) {
    found.push({
      label: "An environment of its own",
      detail: ownEnvironment,
      description: "recommended",
      steps: [
        [base, "-I", "-m", "venv", ownEnvironment],
        [pythonIn(ownEnvironment), "-I", "-m", "pip", "install", "--upgrade", PACKAGE],
      ],
    });
  }
  if (hasUv) {
    found.push({ label: "A tool of uv", detail: "uv tool install dap-ai", steps: [["uv", "tool", "install", PACKAGE]] });
  }
  if (selected !== undefined && !/dap-ai[^/\\]*$/.test(selected)) {
    const hasPip = await succeeds(selected, ["-m", "pip", "--version"]);
    const step: [string, ...string[]] = [selected, "-m", "pip", "install", "--upgrade", PACKAGE];
    if (hasPip) found.push({ label: "The selected interpreter", detail: selected, steps: [step] });
    else if (hasUv) {
      const uv: [string, ...string[]] = ["uv", "pip", "install", "--python", selected, PACKAGE];
      found.push({ label: "The selected interpreter", detail: selected, description: "by uv", steps: [uv] });
    }
  }
  return found;
}

const IS_NEW_ENOUGH = "import sys, venv; sys.exit(sys.version_info < (3, 10))";

async function firstPython(selected: string | undefined): Promise<string | undefined> {
  for (const program of [selected, "python3", "python", "py"]) {
    if (program !== undefined && (await succeeds(program, ["-I", "-c", IS_NEW_ENOUGH]))) return located(program);
  }
  return undefined;
}

async function succeeds(program: string, args: string[]): Promise<boolean> {
  try {
    await run(program, args, 10_000);
    return true;
  } catch {
    return false;
  }
}

/** Lets the user name a Python that has dap-ai, and writes the setting. */
export async function choosePython(folder: vscode.WorkspaceFolder | undefined): Promise<Launcher | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: "A Python that has dap-ai, or the script dap-ai",
    openLabel: "Use",
    defaultUri: vscode.Uri.file(path.dirname((await selectedInterpreter(folder?.uri)) ?? homedir())),
  });
  const program = picked?.[0]?.fsPath;
  if (program === undefined) return undefined;
  const launcher = await check({ program, source: "your choice" });
  if (!launcher) {
    void vscode.window.showErrorMessage(`${program} does not start dap-ai. Install dap-ai there, or choose another.`);
    return undefined;
  }
  const target = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration("dapAi").update("python", program, target);
  return launcher;
}
