/** What configurations of other extensions mean: the debug adapter that their owner would have started, and how. */

import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Fields } from "./completing";
import type { Wanted } from "../proxy/proxies";
import type { ForeignType } from "../settings";

/** Attributes by which a configuration names a debug adapter of its own, one that we would push aside. */
const OWN_ADAPTER = ["debugServer", "debugAdapterPath", "debugAdapterPort", "debugAdapterHostname"];
/** Attributes that only the owner knows what to do with. */
const OWNERS_ALONE: Partial<Record<ForeignType, string[]>> = {
  "lldb-dap": ["androidComponent"],
  gdb: ["ssh", "autorun", "autorunBefore"],
};
const SHELL = /[<>|&;`$*?]/;

/** Why this configuration cannot run through dap-ai as it is, for a person; undefined: it can. */
export function whyNot(type: ForeignType, configuration: Fields, folder?: vscode.WorkspaceFolder): string | undefined {
  if (type === "lldb-dap" && lldb(folder).get<boolean>("serverMode")) return 'the setting "lldb-dap.serverMode" is on';
  const own = OWN_ADAPTER.find((name) => configuration[name] !== undefined);
  if (own !== undefined) return `it has a debug adapter of its own ("${own}")`;
  const alone = OWNERS_ALONE[type]?.find((name) => isSet(configuration[name]));
  if (alone !== undefined) return `dap-ai does not know "${alone}"`;
  if (type !== "gdb") return undefined;
  const { target, arguments: text } = configuration;
  if (typeof text === "string" && SHELL.test(text)) return 'its "arguments" are for a shell';
  if (configuration["request"] === "launch" && /^(extended-)?remote\s/.test(String(target))) return "it is for another machine";
  return undefined;
}

/** The debug adapter that the owner would have started. */
export function adapterOf(type: ForeignType, configuration: Fields, folder?: vscode.WorkspaceFolder): Wanted {
  if (type === "debugpy") return { backend: "debugpy" };
  const cwd = workingFolder(configuration);
  if (type === "gdb") return { backend: gdbCommand(configuration), cwd };
  const settings = lldb(folder);
  const own = configuration["debugAdapterExecutable"];
  const program = own === undefined || own === "" ? settings.get("executable-path") : own;
  const args = texts(configuration["debugAdapterArgs"] ?? settings.get("arguments"));
  const log = settings.get<string>("log-path");
  return {
    backend: command(program, args) ?? command(args.length > 0 ? "lldb-dap" : "", args) ?? "lldb",
    adapterEnvironment: {
      ...variables(configuration["debugAdapterEnv"] ?? settings.get("environment")),
      ...(log ? { LLDBDAP_LOG: log } : {}),
    },
    cwd,
  };
}

/** The configuration in the words of the adapter: GDB's own says `program`, `args` and `pid`, Native Debug `target` and `arguments`. */
export function understood(type: ForeignType, configuration: vscode.DebugConfiguration): vscode.DebugConfiguration {
  if (type !== "gdb") return configuration;
  const { target, executable, arguments: text, program, args, pid } = configuration as Fields;
  const known = { ...configuration };
  if (args === undefined && typeof text === "string") known["args"] = words(text);
  if (program === undefined && typeof executable === "string") known["program"] = executable;
  if (typeof target !== "string") return known;
  if (configuration.request === "launch") return { program: target, ...known };
  // Without a value it is not sent.
  return pid === undefined && /^\d+$/.test(target) ? { ...known, pid: Number(target), target: undefined } : known;
}

function lldb(folder: vscode.WorkspaceFolder | undefined): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("lldb-dap", folder?.uri ?? null);
}

function isSet(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** There the owners start their adapter: a relative path of the program begins there. */
function workingFolder({ cwd }: Fields): string | undefined {
  return typeof cwd === "string" && path.isAbsolute(cwd) && existsSync(cwd) ? cwd : undefined;
}

function gdbCommand(configuration: Fields): string {
  const args = texts(configuration["debugger_args"]);
  const program = configuration["gdb"] ?? configuration["gdbpath"] ?? (args.length > 0 ? "gdb" : undefined);
  return command(program, [...args, "-i", "dap"]) ?? "gdb";
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** By name, or as a list of `NAME=value` and `NAME`. */
function variables(value: unknown): Record<string, string> {
  const pairs = Array.isArray(value)
    ? value.map((each) => /^([^=]*)=?([\s\S]*)$/.exec(String(each))?.slice(1) ?? [])
    : Object.entries(typeof value === "object" ? (value ?? {}) : {});
  return Object.fromEntries(pairs.map(([name, text]) => [name, String(text)]));
}

function command(program: unknown, args: readonly string[]): string | undefined {
  if (typeof program !== "string" || program === "") return undefined;
  return [program, ...args].map(quoted).join(" ");
}

/** As dap-ai takes a command line apart: on Windows a backslash is one, elsewhere it hides what follows. */
function quoted(word: string): string {
  if (process.platform === "win32") return word === "" || /\s/.test(word) ? `"${word}"` : word;
  return /^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`;
}

/** As a shell takes a line apart. */
function words(line: string): string[] {
  const found = line.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? [];
  return found.map((word) =>
    word.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_all, hidden?: string, double?: string, single?: string) =>
      hidden ?? double?.replace(/\\(["\\])/g, "$1") ?? single ?? "",
    ),
  );
}
