/** Finds a way to start dap-ai: a Python that has it, or its script. */

import * as path from "node:path";
import * as vscode from "vscode";
import { log, textOf } from "../log";
import { located } from "./located";
import { selectedInterpreter } from "./pythonExtension";
import { run } from "./run";
import { expanded, setting } from "../settings";

/** What starts dap-ai. */
export interface Launcher {
  /** The command line, without dap-ai's own arguments. */
  argv: [string, ...string[]];
  version: string;
  /** Where it was found, for a person: `the setting dapAi.python`. */
  source: string;
}

/** A program that may be, or have, dap-ai. */
export interface Candidate {
  program: string;
  source: string;
}

const CHECK_MS = 20_000;
/**
 * Not `-m`: that would put the working folder, and a `random.py` in it, before Python's own modules. `-E` keeps out the
 * relative entries of PYTHONPATH, which mean that folder too; the absolute ones stay.
 */
const HEAD =
  "import sys, os; " +
  "sys.path[:] = [p for p in os.environ.get('PYTHONPATH', '').split(os.pathsep) if os.path.isabs(p)] + [p for p in sys.path if p]; ";
const CHECK = `${HEAD}import dap_ai; print(dap_ai.__version__)`;
const START = `${HEAD}from dap_ai.cli import main; main(prog_name='dap-ai')`;
const VERSION = /^(?:dap-ai, version )?(\d+\.\S+)$/;

const isWindows = process.platform === "win32";

/** The Python in an environment's folder. */
export function pythonIn(folder: string): string {
  return isWindows ? path.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python");
}

/** Launchers that were found, by program. Forgotten when the settings change. */
const known = new Map<string, Promise<Launcher | undefined>>();

/** Looks again from now on. */
export function forgetLaunchers(): void {
  known.clear();
}

/** Whether this program starts dap-ai, and how. */
export async function check({ program, source }: Candidate): Promise<Launcher | undefined> {
  const before = known.get(program);
  if (before) return before;
  const asked = ask(program, source);
  known.set(program, asked);
  const found = await asked;
  // What is missing today may be installed tomorrow.
  if (!found) known.delete(program);
  return found;
}

async function ask(program: string, source: string): Promise<Launcher | undefined> {
  const isScript = /^dap-ai(\.exe|\.cmd)?$/i.test(path.basename(program));
  try {
    const place = located(program);
    if (place === undefined) throw new Error("it is not on PATH");
    const out = await run(place, isScript ? ["--version"] : ["-E", "-c", CHECK], CHECK_MS);
    const version = VERSION.exec(out.trim())?.[1];
    if (version === undefined) throw new Error(`it says ${JSON.stringify(out.slice(0, 200))}`);
    log().info(`dap-ai ${version}: ${program} (${source})`);
    return { argv: isScript ? [place] : [place, "-E", "-c", START], version, source };
  } catch (error) {
    log().info(`no dap-ai: ${program} (${source}): ${textOf(error).trim().split("\n").at(-1) ?? ""}`);
    return undefined;
  }
}

/** The path that the setting names for this folder, if any. */
export function configuredPython(folder?: vscode.WorkspaceFolder): string | undefined {
  return expanded(setting<string>("python", folder?.uri), folder);
}

/** The first that starts dap-ai. With a setting, no other is tried: it would be a surprise. */
export async function findLauncher(
  folder: vscode.WorkspaceFolder | undefined,
  own: string | undefined,
): Promise<Launcher | undefined> {
  const configured = configuredPython(folder);
  if (configured !== undefined) return check({ program: configured, source: "the setting dapAi.python" });
  for (const candidates of sources(folder, own)) {
    for (const candidate of await candidates()) {
      const found = await check(candidate);
      if (found) return found;
    }
  }
  return undefined;
}

/** Where to look, in this order; each is asked only when those before it had nothing. */
function sources(
  folder: vscode.WorkspaceFolder | undefined,
  own: string | undefined,
): (() => Candidate[] | Promise<Candidate[]>)[] {
  const named = (program: string | undefined, source: string): Candidate[] => (program ? [{ program, source }] : []);
  // What a folder brings along is run in a trusted one only: looking for dap-ai runs it.
  const all = folder ? [folder] : (vscode.workspace.workspaceFolders ?? []);
  const folders = vscode.workspace.isTrusted ? all : [];
  return [
    async () => named(await selectedInterpreter(folder?.uri), "the selected interpreter"),
    () =>
      folders.flatMap(({ uri }) =>
        [".venv", "venv"].map((name) => ({ program: pythonIn(path.join(uri.fsPath, name)), source: `the workspace's ${name}` })),
      ),
    () => (own === undefined ? [] : named(pythonIn(own), "dap-ai's own environment")),
    async () => named(await uvTool(), "uv tool"),
    () => ["dap-ai", ...(isWindows ? ["python", "py"] : ["python3", "python"])].map((program) => ({ program, source: "PATH" })),
  ];
}

async function uvTool(): Promise<string | undefined> {
  try {
    return pythonIn(path.join((await run("uv", ["tool", "dir"], CHECK_MS)).trim(), "dap-ai"));
  } catch {
    return undefined; // there is no uv
  }
}
