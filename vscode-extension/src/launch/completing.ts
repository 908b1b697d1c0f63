/** What a configuration of type `dap-ai` leaves out. */

import * as path from "node:path";

/** As in launch.json; anything may be missing, or of another type. */
export type Fields = Record<string, unknown>;

const PYTHON_FILE = /\.(py|pyw|pyz)$/i;
/** `${file}` and the like: not known before VS Code has replaced it. */
const VARIABLE = /\$\{[^}]*\}$/;

/** The debug adapter that this configuration is for, once its variables are replaced. */
export function backendOf(configuration: Fields): string {
  const { program, module, code, connect, listen, coreFile, pid, launchCommands, attachCommands, target } = configuration;
  const named = namedBackend(configuration);
  if (named !== undefined) return named;
  if (module !== undefined || code !== undefined || connect !== undefined || listen !== undefined) return "debugpy";
  if ([coreFile, pid, launchCommands, attachCommands].some((each) => each !== undefined)) return "lldb";
  if (target !== undefined) return "gdb";
  if (typeof program !== "string" || VARIABLE.test(program) || isPythonProgram(program)) return "debugpy";
  return "lldb";
}

function namedBackend({ backend }: Fields): string | undefined {
  return typeof backend === "string" && backend.trim() !== "" ? backend.trim() : undefined;
}

/** Whether nothing in it says what to run. An adapter that is named by its command line has attributes of its own. */
export function isWithoutProgram(configuration: Fields): boolean {
  if (configuration["request"] !== "launch") return false;
  if (!["debugpy", "lldb", "gdb"].includes(namedBackend(configuration) ?? "debugpy")) return false;
  return ["program", "module", "code", "launchCommands"].every((name) => !configuration[name]);
}

/** A Python file, or a folder or archive that Python runs. */
export function isPythonProgram(program: string): boolean {
  return PYTHON_FILE.test(program) || path.basename(program) === "__main__";
}

/** Whether another session is the parent of the one with this configuration: it goes the parent's way. */
export function isOfChild(configuration: Fields): boolean {
  return configuration["dapAiToken"] !== undefined || configuration["subProcessId"] !== undefined;
}

/** The configuration with what Python programs want and this one does not say. */
export function completePython(configuration: Fields, folder: string | undefined, python: string | undefined): Fields {
  if (configuration["request"] !== "launch") return configuration;
  const program = configuration["program"];
  const ownFolder = typeof program === "string" && path.isAbsolute(program) ? path.dirname(program) : undefined;
  const completed: Fields = { console: "integratedTerminal", ...configuration };
  const cwd = configuration["cwd"] ?? folder ?? ownFolder;
  if (cwd !== undefined) completed["cwd"] = cwd;
  if (python !== undefined && configuration["python"] === undefined) completed["python"] = [python];
  return completed;
}

/** The configuration with what native programs want and this one does not say. */
export function completeNative(configuration: Fields, folder: string | undefined): Fields {
  const { processId, ...rest } = configuration;
  const completed: Fields = { ...rest };
  if (configuration["request"] === "launch" && folder !== undefined) completed["cwd"] ??= folder;
  const pid = completed["pid"] ?? processId;
  // What a person picks from a list is text.
  if (pid !== undefined) completed["pid"] = typeof pid === "string" && /^\d+$/.test(pid) ? Number(pid) : pid;
  return completed;
}
