/** Keeps the conversations of a workspace over reloads and restarts, in VS Code's own storage on this machine. */

import type * as vscode from "vscode";
import { setting } from "../settings";
import type { Turn } from "../shared/messages";
import type { Talk } from "./conversations";
import { isOpen } from "./turns";

/** In the storage of the workspace. */
const KEY = "dapAi.conversations";
/** VS Code reads it all at its start. */
const MAX_CHARS = 500_000;
const MAX_TALKS = 20;
const INTERRUPTED = "VS Code was closed before the answer was complete.";

/** What was kept of the last window, oldest first; all of it is over. */
export function keptTalks(storage: vscode.Memento): Talk[] {
  const kept = isOn() ? storage.get<unknown>(KEY) : undefined;
  return Array.isArray(kept) ? kept.filter(isTalk).map(asOver) : [];
}

/** Keeps the newest of them. */
export async function keepTalks(storage: vscode.Memento, talks: readonly Talk[]): Promise<void> {
  if (isOn() || storage.get(KEY) !== undefined) await storage.update(KEY, isOn() ? fitting(talks) : undefined);
}

/** The newest that together are not too long, oldest first. What dap_ai calls them is of no use later. */
export function fitting(talks: readonly Talk[]): Talk[] {
  const kept: Talk[] = [];
  let chars = 0;
  for (const { id, sessionId, sessionName, turns } of talks.filter((talk) => talk.turns.length > 0).reverse()) {
    const talk: Talk = { id, sessionId, sessionName, turns: turns.map(withoutOutput) };
    chars += JSON.stringify(talk).length;
    if (chars > MAX_CHARS || kept.length === MAX_TALKS) break;
    kept.unshift(talk);
  }
  return kept;
}

/** What a program has written is not masked. */
function withoutOutput(turn: Turn): Turn {
  if (!turn.reruns?.some((rerun) => rerun?.output)) return turn;
  return { ...turn, reruns: turn.reruns.map((rerun) => rerun && { state: rerun.state, text: rerun.text }) };
}

function isOn(): boolean {
  return setting<boolean>("keepConversations") !== false;
}

function asOver(talk: Talk): Talk {
  for (const turn of talk.turns) {
    if (isOpen(turn)) turn.error = INTERRUPTED;
    for (const part of turn.parts) if (part.kind === "approval") part.approval.outcome ??= "over";
  }
  return { ...talk, isOver: true };
}

/** It may be of another version of the extension. */
function isTalk(kept: unknown): kept is Talk {
  const { id, sessionId, sessionName, turns } = (kept ?? {}) as Partial<Record<keyof Talk, unknown>>;
  const isNamed = [id, sessionId, sessionName].every((each) => typeof each === "string");
  return isNamed && Array.isArray(turns) && turns.every(isTurn);
}

function isTurn(kept: unknown): boolean {
  const { id, question, parts } = (kept ?? {}) as Partial<Record<keyof Turn, unknown>>;
  const isNamed = typeof id === "string" && typeof question === "string";
  return isNamed && Array.isArray(parts) && parts.every((part) => typeof part === "object" && part !== null);
}
