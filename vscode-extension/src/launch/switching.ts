/** The switch: configurations of other extensions run through dap-ai as they are, where the user has said so. */

import * as vscode from "vscode";
import { isOfChild } from "./completing";
import { log } from "../log";
import type { Proxies } from "../proxy/proxies";
import { FOREIGN_TYPES, isEnabledFor, type ForeignType } from "../settings";

/**
 * Sends the sessions of one other type to a proxy. The owner's own resolver runs as well: an extension cannot take the
 * place of another's adapter, but `debugServer` comes before it.
 */
export class SwitchedConfigurations implements vscode.DebugConfigurationProvider {
  constructor(
    private readonly type: ForeignType,
    private readonly proxies: Proxies,
  ) {}

  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (!isEnabledFor(this.type, folder?.uri) || configuration["noDebug"] === true) return configuration;
    if (isOfChild(configuration)) return configuration; // it is told the address of a listener of the parent's proxy
    const own = ownAdapter(configuration);
    if (own !== undefined) {
      log().info(`${configuration.name}: not through dap-ai, because it has "${own}"`);
      return configuration;
    }
    // Without dap-ai the session is what it was before: that is better than none.
    if (!(await this.proxies.canStart(folder))) return configuration;
    const backend = backendFor(this.type, configuration, folder);
    const changed = await this.proxies.through(folder, understood(this.type, configuration), backend, "runs without dap-ai");
    return changed ?? configuration;
  }
}

/** Registers the switch for all types that it knows. */
export function registerSwitch(proxies: Proxies): vscode.Disposable {
  return vscode.Disposable.from(
    ...FOREIGN_TYPES.map((type) =>
      vscode.debug.registerDebugConfigurationProvider(type, new SwitchedConfigurations(type, proxies)),
    ),
  );
}

/** The attribute by which a configuration names a debug adapter of its own, one that we would push aside. */
function ownAdapter(configuration: vscode.DebugConfiguration): string | undefined {
  const names = ["debugServer", "debugAdapterPath", "debugAdapterPort", "debugAdapterHostname"];
  return names.find((name) => configuration[name] !== undefined);
}

/** The debug adapter that the owner would have started. */
export function backendFor(
  type: ForeignType,
  configuration: vscode.DebugConfiguration,
  folder: vscode.WorkspaceFolder | undefined,
): string {
  if (type === "debugpy") return "debugpy";
  if (type === "gdb") return command(configuration["gdb"] ?? configuration["gdbpath"], ["-i", "dap"]) ?? "gdb";
  const settings = vscode.workspace.getConfiguration("lldb-dap", folder?.uri ?? null);
  const args: unknown = configuration["debugAdapterArgs"] ?? settings.get("arguments");
  const program: unknown = configuration["debugAdapterExecutable"] ?? settings.get("executable-path");
  return command(program, Array.isArray(args) ? args.map(String) : []) ?? "lldb";
}

function command(program: unknown, args: readonly string[]): string | undefined {
  if (typeof program !== "string" || program === "") return undefined;
  return [program, ...args].map(quoted).join(" ");
}

/** As dap-ai takes a command line apart: on Windows a backslash is one, elsewhere it hides what follows. */
function quoted(word: string): string {
  if (process.platform === "win32") return /\s/.test(word) ? `"${word}"` : word;
  return /^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`;
}

/** GDB's own adapter says `program` and `pid`; an older extension of the same type says `target` for both. */
function understood(type: ForeignType, configuration: vscode.DebugConfiguration): vscode.DebugConfiguration {
  const { target, program, pid } = configuration as Record<string, unknown>;
  if (type !== "gdb" || typeof target !== "string") return configuration;
  if (configuration.request === "launch") return program === undefined ? { ...configuration, program: target } : configuration;
  // Without a value it is not sent.
  return pid === undefined && /^\d+$/.test(target) ? { ...configuration, pid: Number(target), target: undefined } : configuration;
}
