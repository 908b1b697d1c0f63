/** The interpreter that the Python extension has selected, if there is a Python extension. */

import * as vscode from "vscode";
import { log, textOf } from "../log";
import { expanded } from "../settings";

/** As much of the Python extension's API as is used; each part may be missing. */
interface PythonApi {
  environments?: {
    getActiveEnvironmentPath?(resource?: vscode.Uri): { path: string };
    resolveEnvironment?(environment: { path: string }): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

const ID = "ms-python.python";
const WAIT_MS = 5000;

const selected = new vscode.EventEmitter<unknown>();
/** The one to which we listen. */
let heard: PythonApi | undefined;

/** Another interpreter may be selected. It is heard of once the Python extension has been asked for one. */
export const onDidSelectInterpreter = selected.event;

/** The Python extension is installed, and nothing has needed it yet. */
export function isPythonExtensionAsleep(): boolean {
  return vscode.extensions.getExtension(ID)?.isActive === false;
}

/** The path of the selected interpreter. None in a folder that is not trusted: its settings may have selected it. */
export async function selectedInterpreter(resource?: vscode.Uri): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) return undefined;
  const api = await within(WAIT_MS, pythonApi());
  const environments = api?.environments;
  if (api && api !== heard) {
    heard = api;
    environments?.onDidChangeActiveEnvironmentPath?.((event) => {
      selected.fire(event);
    });
  }
  const active = environments?.getActiveEnvironmentPath?.(resource);
  if (!active) return fromSettings(resource);
  const resolved = await within(WAIT_MS, environments?.resolveEnvironment?.(active));
  return resolved?.executable?.uri?.fsPath ?? active.path;
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>(ID);
  try {
    return await extension?.activate();
  } catch (error) {
    log().warn(`the Python extension: ${textOf(error)}`);
    return undefined;
  }
}

function fromSettings(resource?: vscode.Uri): string | undefined {
  const set = vscode.workspace.getConfiguration("python", resource ?? null).get<string>("defaultInterpreterPath");
  const found = expanded(set, resource && vscode.workspace.getWorkspaceFolder(resource));
  // `python` is that setting's default: PATH is looked at anyway.
  return found === "python" ? undefined : found;
}

/** What comes in time, else undefined. */
async function within<T>(ms: number, wanted: Promise<T | undefined> | undefined): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  try {
    return await Promise.race([wanted ?? Promise.resolve(undefined), late]);
  } catch (error) {
    log().warn(`the Python extension: ${textOf(error)}`);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
