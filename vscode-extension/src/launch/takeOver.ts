/** A session of another debug adapter begins anew through dap-ai: what it stopped at can then be asked about. */

import * as vscode from "vscode";
import { configurationOf, rootOf } from "./again";

/** In a configuration: it runs through dap-ai this time, whatever `dapAi.enableFor` says. */
export const THIS_TIME = "dapAiThisTime";
const END_MS = 5000;
/** Types whose owner resolves them as before; the switch does the rest. */
const SWITCHED: Record<string, string> = { debugpy: "debugpy", python: "debugpy", "lldb-dap": "lldb-dap", gdb: "gdb" };
/** Types of debug adapters that dap-ai cannot stand before: their programs run in another. */
const NATIVE = new Set(["cppdbg", "lldb"]);

/** Whether this session's program can be started through dap-ai. What was attached to would not fail again. */
export function canTakeOver({ type, configuration }: vscode.DebugSession): boolean {
  const isKnown = Object.hasOwn(SWITCHED, type) || (NATIVE.has(type) && typeof configuration["program"] === "string");
  return isKnown && configuration.request === "launch";
}

/** The configuration with which the same program runs through dap-ai. */
export function takenOver(configuration: vscode.DebugConfiguration): vscode.DebugConfiguration {
  const type = SWITCHED[configuration.type];
  if (type !== undefined) return { ...configuration, type, [THIS_TIME]: true };
  const { name, program, args, cwd, preLaunchTask } = configuration as Record<string, unknown> & { name: string };
  const backend = configuration.type === "cppdbg" && configuration["MIMode"] !== "lldb" ? "gdb" : "lldb";
  const env = { ...pairs(configuration["environment"]), ...(configuration["env"] as object | undefined) };
  const known = Object.entries({ program, args, cwd, preLaunchTask }).filter(([, value]) => value !== undefined);
  const taken = { type: "dap-ai", request: "launch", name, backend, ...Object.fromEntries(known) };
  return Object.keys(env).length > 0 ? { ...taken, env } : taken;
}

/** Ends the session, and starts its configuration through dap-ai. */
export async function takeOver(session: vscode.DebugSession): Promise<void> {
  const root = rootOf(session);
  const configuration = takenOver(configurationOf(root));
  const over = ended(root);
  await vscode.debug.stopDebugging(root);
  await over;
  await vscode.debug.startDebugging(root.workspaceFolder, configuration);
}

/** Two sessions of one configuration would want the same port, file or terminal. */
function ended(session: vscode.DebugSession): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      listening.dispose();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, END_MS);
    const listening = vscode.debug.onDidTerminateDebugSession(({ id }) => {
      if (id === session.id) done();
    });
  });
}

/** As cppdbg has them. */
function pairs(environment: unknown): Record<string, string> {
  const all = Array.isArray(environment) ? (environment as { name?: unknown; value?: unknown }[]) : [];
  return Object.fromEntries(all.map(({ name, value }) => [String(name), String(value)]));
}
