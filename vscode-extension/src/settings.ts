/** The settings `dapAi.*`, and what of them the proxy is told by its environment. */

import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

/** The types of other extensions whose configurations can run through dap-ai. */
export const FOREIGN_TYPES = ["debugpy", "lldb-dap", "gdb"] as const;
export type ForeignType = (typeof FOREIGN_TYPES)[number];

/** The names of the settings, without `dapAi.`. */
export type Setting =
  | "python"
  | "enableFor"
  | "model"
  | "editor.model"
  | "endpoint.baseUrl"
  | "endpoint.model"
  | "level"
  | "budgetTokens"
  | "askTimeout"
  | "maxToolCalls"
  | "maxCostUsd"
  | "mask"
  | "consolePrefix"
  | "codeLens"
  | "atTheLine"
  | "history"
  | "keepConversations"
  | "logFile"
  | "startTimeout";

/** The value of a setting, as it counts for `scope`. */
export function setting<T>(name: Setting, scope?: vscode.ConfigurationScope): T | undefined {
  return vscode.workspace.getConfiguration("dapAi", scope ?? null).get<T>(name);
}

/**
 * A path as a setting has it, with `~`, `${workspaceFolder}`, `${userHome}` and `${env:NAME}` replaced: VS Code does it
 * in launch.json only. One that is neither absolute nor a mere name is meant from the folder. Undefined: it is empty.
 */
export function expanded(text: unknown, folder?: vscode.WorkspaceFolder): string | undefined {
  const root = (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath;
  const named = (name: string): string | undefined => vscode.workspace.workspaceFolders?.find((each) => each.name === name)?.uri.fsPath;
  const full = (typeof text === "string" ? text : "")
    .trim()
    .replace(/^~(?=[/\\]|$)/, homedir)
    .replace(/\$\{workspaceFolder(?::([^}]*))?\}/g, (_all, name?: string) => (name === undefined ? root : named(name)) ?? "")
    .replaceAll("${userHome}", homedir)
    .replace(/\$\{env:([^}]*)\}/g, (_all, name: string) => process.env[name] ?? "");
  if (full === "") return undefined;
  return root === undefined || path.isAbsolute(full) || !/[/\\]/.test(full) ? full : path.join(root, full);
}

/** Whether configurations of this type run through dap-ai in this folder. */
export function isEnabledFor(type: string, scope?: vscode.ConfigurationScope): boolean {
  return setting<Partial<Record<string, boolean>>>("enableFor", scope)?.[type] === true;
}

/** Where `editor` is chosen and nothing can be lent, dap_ai answers offline, never by an endpoint. */
const PROVIDERS: Record<string, string> = { offline: "offline", editor: "editor", endpoint: "openai" };

/** The settings that say who answers: a running proxy is told of them (`answererEnvironment`). */
export const ANSWERER_SETTINGS: readonly Setting[] = ["model", "editor.model", "endpoint.baseUrl", "endpoint.model"];
/** Those that a proxy is told at its start only. */
export const STARTING_SETTINGS: readonly Setting[] = [
  ...["python", "level", "budgetTokens", "askTimeout", "maxToolCalls", "maxCostUsd", "mask"] as const,
  ...["consolePrefix", "logFile", "startTimeout"] as const,
];
/** What of its environment says who answers; see dap_ai/commands/running/holder.py. */
const ANSWERER_VARIABLES = ["DAP_AI_PROVIDER", "DAP_AI_MODEL", "DAP_AI_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY"];

/** By setting, the variable that tells the proxy. */
const VARIABLES: [Setting, string][] = [
  ["endpoint.baseUrl", "DAP_AI_BASE_URL"],
  ["endpoint.model", "DAP_AI_MODEL"],
  ["level", "DAP_AI_LEVEL"],
  ["budgetTokens", "DAP_AI_BUDGET_TOKENS"],
  ["askTimeout", "DAP_AI_ASK_TIMEOUT_S"],
  ["maxToolCalls", "DAP_AI_MAX_TOOL_CALLS"],
  ["maxCostUsd", "DAP_AI_MAX_COST_USD"],
  ["mask", "DAP_AI_MASK"],
  ["consolePrefix", "DAP_AI_CONSOLE_PREFIX"],
];

/**
 * What the settings add to the proxy's environment. A setting that nobody has set says nothing: then the user's own
 * configuration of dap-ai counts.
 */
export function settingsEnvironment(scope?: vscode.ConfigurationScope): Record<string, string> {
  const environment: Record<string, string> = {};
  const provider = PROVIDERS[setting<string>("model", scope) ?? ""];
  if (provider !== undefined) environment["DAP_AI_PROVIDER"] = provider;
  for (const [name, variable] of VARIABLES) {
    const value = chosen(name, scope);
    if (Array.isArray(value)) environment[variable] = value.join("\n");
    else if (value !== undefined) environment[variable] = String(value);
  }
  return environment;
}

/** What a running proxy is told of who answers, as it would have been told at its start; null: it is not set. */
export function answererEnvironment(secrets: Record<string, string>): Record<string, string | null> {
  const all: Partial<Record<string, string>> = { ...process.env, ...settingsEnvironment(), ...secrets };
  return Object.fromEntries(ANSWERER_VARIABLES.map((name) => [name, all[name] ?? null]));
}

type Value = string | number | string[];

function chosen(name: Setting, scope?: vscode.ConfigurationScope): Value | undefined {
  const found = vscode.workspace.getConfiguration("dapAi", scope ?? null).inspect<Value>(name);
  return found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
}
