/** A host whose sessions a test plays, and what it says to the view. */

import type { TestContext } from "node:test";
import type { Memento } from "vscode";
import type { Lender } from "../../../src/ask/lender";
import { Host } from "../../../src/ask/host";
import type { HostMessage, Turn } from "../../../src/shared/messages";
import type { AskEnded } from "../../../src/shared/protocol";
import { FakeSession } from "./asking";

/** The next turn of the event loop: every promise that could be settled is. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function opened(t: TestContext, lender?: Lender, storage?: Memento, revive?: ConstructorParameters<typeof Host>[2]): { host: Host; posts: HostMessage[] } {
  const host = new Host(lender, storage, revive);
  const posts: HostMessage[] = [];
  host.onDidPost((message) => posts.push(structuredClone(message)));
  t.after(() => {
    host.dispose();
  });
  return { host, posts };
}

/** A session whose proxy takes every question at once. */
export function stopped(id = "s1", answer?: (command: string, args: Record<string, unknown>) => unknown): FakeSession {
  let asked = 0;
  const session = new FakeSession(id, `shop ${id}`, (command, args) => {
    const given = answer?.(command, args as Record<string, unknown>);
    if (given !== undefined) return given;
    const { conversationId = `c${asked + 1}` } = args as { conversationId?: string };
    return command === "ask" ? { askId: `dap-ai-ask-${++asked}`, conversationId } : {};
  });
  session.stop("/w/shop.py", 5);
  return session;
}

export function ended(askId: string, more: Partial<AskEnded> = {}): AskEnded {
  const usage = { modelCalls: 0, toolCalls: 1, inputTokens: 0, outputTokens: 0, costUsd: 0, seconds: 1, provider: "offline", model: "" };
  const base = { askId, conversationId: "c1", reason: "completed", stale: false, answer: "Because.", usage } as const;
  return { ...base, evidence: [], suspects: [], fixes: [], masked: [], error: "", ...more };
}

export const asks = (session: FakeSession): Record<string, unknown>[] =>
  session.requests.filter(({ command }) => command === "ask").map(({ args }) => args);

/** Of the first consent of a turn. */
export function outcomeOf(turn: Turn): string | undefined {
  const part = turn.parts.find((each) => each.kind === "approval");
  return part?.kind === "approval" ? part.approval.outcome : undefined;
}
