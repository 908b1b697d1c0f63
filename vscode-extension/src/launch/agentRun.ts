/** Runs of LLM agents, recorded and live: configurations of type `dap-ai-agent`, and the command that makes one. */

import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { isOfChild } from "./completing";
import { refuse } from "./configuration";
import type { Proxies } from "../proxy/proxies";

export const RUN_TYPE = "dap-ai-agent";
/** Of a file with several runs, each is `FILE#LINE`. */
const LINE = /#\d+$/;
const TITLE = "The run of an agent";

/** Resolves configurations of type `dap-ai-agent`. */
export class RunConfigurations implements vscode.DebugConfigurationProvider {
  constructor(private readonly proxies: Pick<Proxies, "through">) {}

  provideDebugConfigurations(): vscode.DebugConfiguration[] {
    return [{ name: "dap-ai: agent run", type: RUN_TYPE, request: "launch", run: "${command:pickRun}" }];
  }

  /** Before `${...}` is replaced. An empty configuration is F5 without launch.json. */
  async resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (!configuration.type && !configuration.request && !configuration.name) {
      const run = await pickRun();
      return run === undefined ? undefined : { ...configuration, ...configurationOf(run) };
    }
    if (isOfChild(configuration)) return configuration; // an agent's own Python
    configuration.request ||= "launch";
    if (configuration.request !== "launch") {
      refuse(`A run is launched: "request": "launch", not "${configuration.request}".`);
      return undefined;
    }
    const { run, command, debugServer } = configuration as { run?: unknown; command?: unknown; debugServer?: unknown };
    const isNamed = (typeof run === "string" && run.trim() !== "") || command !== undefined;
    if (!isNamed && debugServer === undefined) {
      refuse(`A launch configuration of type "${RUN_TYPE}" wants "run": the file or folder that an agent has left; or "command": an agent to be run.`);
      return undefined;
    }
    return configuration;
  }

  /** After `${...}` has been replaced. What runs where VS Code connects to knows its run itself. */
  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
    cancelled?: vscode.CancellationToken,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (configuration["debugServer"] !== undefined || isOfChild(configuration)) return configuration;
    const root = (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath;
    if (configuration["command"] !== undefined) {
      const placed = { ...configuration, cwd: path.resolve(root ?? "", String(configuration["cwd"] ?? "")) };
      const live = await this.proxies.through(folder, placed, { backend: "agents" }, cancelled);
      return live && { ...live, debugServer: undefined };
    }
    const run = path.resolve(root ?? "", String(configuration["run"]).replace(/^~(?=[/\\]|$)/, homedir()));
    if (!(await isThere(run)) && !(await isThere(run.replace(LINE, "")))) {
      refuse(`"run": there is no file or folder ${run}.`);
      return undefined;
    }
    const behind = await this.proxies.through(folder, { ...configuration, run }, { backend: "agents" }, cancelled);
    return behind && { ...behind, debugServer: undefined };
  }
}

/** `dapAi.debugRun`: the user picks a run, and it begins. */
export async function debugRun(): Promise<void> {
  const run = await pickRun();
  if (run === undefined) return;
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(run)) ?? vscode.workspace.workspaceFolders?.[0];
  await vscode.debug.startDebugging(folder, configurationOf(run));
}

/** `${command:pickRun}`: the path of a run; undefined: none was chosen. A dialog shows files or folders, not both. */
export async function pickRun(): Promise<string | undefined> {
  const open = vscode.window.activeTextEditor?.document.uri;
  const here = open?.scheme === "file" && /\.(jsonl?|traj|md)$/i.test(open.fsPath) ? open.fsPath : undefined;
  const items: Choice[] = [
    ...(here === undefined ? [] : [{ label: path.basename(here), description: "the file in the editor", path: here }]),
    { label: "A file...", description: "a trajectory, a session, a trace", isFolder: false },
    { label: "A folder...", description: "a trial with its log and its verdict", isFolder: true },
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: TITLE, placeHolder: "What did the agent leave behind?" });
  if (chosen === undefined || chosen.path !== undefined) return chosen?.path;
  const isFolder = chosen.isFolder === true;
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  const picked = await vscode.window.showOpenDialog({
    title: TITLE,
    openLabel: "Debug",
    canSelectFiles: !isFolder,
    canSelectFolders: isFolder,
    ...(root && { defaultUri: root }),
  });
  return picked?.[0]?.fsPath;
}

interface Choice extends vscode.QuickPickItem {
  path?: string;
  isFolder?: boolean;
}

function configurationOf(run: string): vscode.DebugConfiguration {
  return { name: path.basename(run), type: RUN_TYPE, request: "launch", run };
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(() => true, () => false);
}
