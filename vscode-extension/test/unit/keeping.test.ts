import assert from "node:assert/strict";
import test, { beforeEach, type TestContext } from "node:test";
import type { Memento } from "vscode";
import type { Talk } from "../../src/ask/conversations";
import { fitting } from "../../src/ask/keeping";
import { asking, FakeDocument } from "./fake/asking";
import { ended, opened, settled, stopped } from "./fake/host";
import { changeSetting, endSession, fake, resetFake, Uri } from "./fake/vscode";

beforeEach(() => {
  resetFake();
  asking.documents.clear();
});

/** VS Code's storage: what is kept is kept as JSON. */
class Storage implements Memento {
  readonly texts = new Map<string, string>();

  keys(): readonly string[] {
    return [...this.texts.keys()];
  }
  get<T>(key: string, otherwise?: T): T {
    const text = this.texts.get(key);
    return (text === undefined ? otherwise : JSON.parse(text)) as T;
  }
  update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.texts.delete(key);
    else this.texts.set(key, JSON.stringify(value));
    return Promise.resolve();
  }
}

const DIFF = "--- a/shop.py\n+++ b/shop.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";

/** A window in which one question was answered. */
async function answered(t: TestContext, storage: Storage, question = "why?"): Promise<void> {
  const { host } = opened(t, undefined, storage);
  const session = stopped();
  host.ask(question);
  await settled();
  session.event("askOutput", { askId: "dap-ai-ask-1", category: "answer", output: "Because." });
  const fix = { file: "/w/shop.py", diff: DIFF, verified: true, check: "" };
  session.event("askEnded", ended("dap-ai-ask-1", { fixes: [fix as never] }));
  endSession(session);
}

test("after a reload the last conversation is in sight, and its session is over", async (t) => {
  const storage = new Storage();
  await answered(t, storage);
  const { host } = opened(t, undefined, storage);
  const { conversation, history } = host.state();
  assert.deepEqual(conversation?.turns.map(({ question }) => question), ["why?"]);
  assert.deepEqual(conversation.turns[0]?.parts, [{ kind: "answer", text: "Because." }]);
  assert.deepEqual(history, []);
});

test("a program that stops then begins a conversation of its own, and the kept one is in the history", async (t) => {
  const storage = new Storage();
  await answered(t, storage);
  const { host } = opened(t, undefined, storage);
  stopped();
  assert.equal(host.state().conversation, undefined);
  assert.deepEqual(host.state().history.map(({ title }) => title), ["why? · shop.py:5"]);
  const turn = host.ask("and now?");
  assert.equal(turn?.id, "conversation-2.1");
});

test("an answer that was cut off says so, and what waited for consent waits no more", async (t) => {
  const storage = new Storage();
  const { host } = opened(t, undefined, storage);
  const session = stopped();
  const turn = host.ask("why?")!;
  await settled();
  const askId = "dap-ai-ask-1";
  session.event("askApproval", { askId, approvalId: "a", kind: "set_variable", action: "x = 1", reason: "", timeoutS: 60 });
  host.ask("more"); // whatever changes a conversation keeps all of it
  const { host: next } = opened(t, undefined, storage);
  const kept = next.state().conversation?.turns[0];
  assert.match(kept?.error ?? "", /closed before the answer was complete/);
  assert.equal(kept?.parts.find((part) => part.kind === "approval")?.approval.outcome, "over");
  assert.equal(turn.error, undefined);
});

test("a fix that was applied before the reload is taken back after it", async (t) => {
  const storage = new Storage();
  await answered(t, storage);
  const document = new FakeDocument(Uri.file("/w/shop.py"), "a\nc\n");
  const kept = storage.get<Talk[]>("dapAi.conversations");
  kept[0]!.turns[0]!.fixes = ["applied"];
  await storage.update("dapAi.conversations", kept);
  const { host } = opened(t, undefined, storage);
  host.onMessage({ type: "undoFix", turnId: kept[0]!.turns[0]!.id, index: 0 });
  await settled();
  await settled();
  assert.equal(document.text, "a\nb\n");
});

test("that a fix was applied is kept at once", async (t) => {
  const storage = new Storage();
  await answered(t, storage);
  new FakeDocument(Uri.file("/w/shop.py"), "a\nb\n");
  const { host } = opened(t, undefined, storage);
  host.onMessage({ type: "applyFix", turnId: host.state().conversation!.turns[0]!.id, index: 0 });
  await settled();
  await settled();
  assert.deepEqual(storage.get<Talk[]>("dapAi.conversations")[0]?.turns[0]?.fixes, ["applied"]);
});

test("conversations can be forgotten; that of a session that goes on stays", async (t) => {
  const storage = new Storage();
  await answered(t, storage);
  const { host } = opened(t, undefined, storage);
  const session = stopped();
  host.ask("mine");
  await settled();
  session.event("askEnded", ended("dap-ai-ask-1"));
  host.forgetConversations();
  assert.deepEqual(host.state().history, []);
  assert.deepEqual(host.state().conversation?.turns.map(({ question }) => question), ["mine"]);
  assert.equal(storage.get<Talk[]>("dapAi.conversations").length, 1);
});

test("where keeping is switched off, what was kept is deleted and nothing is read", async (t) => {
  const storage = new Storage();
  await answered(t, storage);
  fake.settings.set("dapAi.keepConversations", false);
  const { host } = opened(t, undefined, storage);
  assert.equal(host.state().conversation, undefined);
  stopped();
  host.ask("why?");
  await settled();
  assert.deepEqual(storage.keys(), []);
});

test("what was kept is deleted as soon as keeping is switched off, and in each window that finds it off", async (t) => {
  const storage = new Storage();
  await answered(t, storage);
  const before = structuredClone(storage.texts.get("dapAi.conversations")!);
  changeSetting("dapAi.keepConversations", false);
  await settled();
  assert.deepEqual(storage.keys(), []);
  storage.texts.set("dapAi.conversations", before);
  opened(t, undefined, storage);
  await settled();
  assert.deepEqual(storage.keys(), []);
});

test("what an unknown version has kept is left out", (t) => {
  const storage = new Storage();
  const turns = [[null], [{ parts: [] }], [{ id: "x.1", question: "why?", parts: [null] }]];
  const talks = turns.map((each) => ({ id: "x", sessionId: "s", sessionName: "n", turns: each }));
  storage.texts.set("dapAi.conversations", JSON.stringify([null, 3, { id: 1 }, ...talks]));
  const { host } = opened(t, undefined, storage);
  assert.equal(host.state().conversation, undefined);
});

test("the oldest are left out where all together are too long", () => {
  const talk = (id: number, chars: number): Talk => ({
    id: `conversation-${id}`,
    sessionId: "s",
    sessionName: "n",
    turns: [{ id: `conversation-${id}.1`, question: "x".repeat(chars), parts: [] }],
  });
  assert.deepEqual(fitting([talk(1, 10), talk(2, 300_000), talk(3, 300_000)]).map(({ id }) => id), ["conversation-3"]);
  assert.equal(fitting(Array.from({ length: 30 }, (_, index) => talk(index, 1))).length, 20);
});

test("what a program has written is not kept", () => {
  const turn = { id: "t", question: "why?", parts: [], reruns: [{ state: "fixed" as const, text: "Fixed.", output: { before: "my-token", after: "" } }] };
  const kept = fitting([{ id: "c", sessionId: "s", sessionName: "shop", turns: [turn] }]);
  assert.deepEqual(kept[0]?.turns[0]?.reruns, [{ state: "fixed", text: "Fixed." }]);
  assert.doesNotMatch(JSON.stringify(kept), /my-token/);
});
