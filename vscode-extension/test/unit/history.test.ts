import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { row } from "../../src/ask/history";
import { FakeSession } from "./fake/asking";
import { editor } from "./fake/editor";
import { opened, settled, stopped } from "./fake/host";
import { resetFake } from "./fake/vscode";

beforeEach(() => {
  resetFake();
});

test("a row of the history says what was asked, why and where it stood, when, and in which session", () => {
  const at = Date.UTC(2026, 0, 5, 12, 30);
  const turn = { id: "1", question: "why  is\n x 0? $(x)", spot: "shop.py:5", cause: "ValueError: no", at, parts: [] };
  const { label, description, detail } = row({ id: "c", sessionId: "s", sessionName: "shop", turns: [turn, { ...turn, id: "2" }] });
  assert.equal(label.replaceAll("\u200b", "|"), "why is x 0? $|(x)");
  assert.equal(description, "ValueError: no · shop.py:5");
  assert.match(detail, /2026.* · shop · 2 questions$/);
  assert.equal(row({ id: "c", sessionId: "s", sessionName: "shop", turns: [{ id: "1", question: "", parts: [] }] }).detail, "shop · 1 question");
});

test("what the adapter says of a stop is the cause, without debugpy's own notes", (t) => {
  const { host } = opened(t);
  const session = new FakeSession("s1", "shop", () => ({ askId: "a1", conversationId: "c1" }));
  session.event("stopped", { reason: "exception", threadId: 1, text: "ValueError", description: "no\n (note: full exception trace is shown but execution is paused at: f)" });
  assert.equal(host.ask("why?")?.cause, "ValueError: no");
});

test("the conversation that is chosen from the list is shown", async (t) => {
  const { host } = opened(t);
  stopped();
  host.ask("first");
  await settled();
  host.newConversation();
  host.ask("second");
  await settled();
  editor.pick = "first";
  host.onMessage({ type: "openConversation" });
  await settled();
  assert.equal(host.state().conversation?.turns[0]?.question, "first");
});
