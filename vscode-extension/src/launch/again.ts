/** Starting a session's configuration anew. */

import type * as vscode from "vscode";

/** What belongs to one connection, and is made again with the next. */
const OF_ONE_START = new Set(["debugServer", "dapAiToken", "dapAiStopAt", "askEvents"]);

/** The session that the user has started: a child's is its parent's. */
export function rootOf(session: vscode.DebugSession): vscode.DebugSession {
  return session.parentSession ? rootOf(session.parentSession) : session;
}

/** The configuration with which a session runs, as it can be started again: its variables are replaced. */
export function configurationOf(session: vscode.DebugSession): vscode.DebugConfiguration {
  const { configuration } = rootOf(session);
  const kept = Object.entries(configuration).filter(([name]) => !OF_ONE_START.has(name) && !name.startsWith("__"));
  return { ...(Object.fromEntries(kept) as vscode.DebugConfiguration) };
}
