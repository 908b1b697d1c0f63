import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import type { HostMessage } from "../../src/shared/messages";
import { asking, FakeDocument, FakeSession } from "./fake/asking";
import { asks, ended, opened, settled, stopped } from "./fake/host";
import { endSession, fake, resetFake, Uri } from "./fake/vscode";

beforeEach(() => {
  resetFake();
  asking.documents.clear();
});

test("a session is known from its initialize response on, and only if it is behind dap_ai", (t) => {
  const { host } = opened(t);
  new FakeSession("other", "other", () => ({}), false);
  assert.equal(host.session(), undefined);
  stopped();
  assert.deepEqual(host.state().sessions, [
    { id: "s1", name: "shop s1", stop: { reason: "exception", file: "/w/shop.py", line: 5, frame: "average" } },
  ]);
});

test("a session that is told to go on is no longer stopped, and is again when that fails", (t) => {
  const { host } = opened(t);
  const session = stopped();
  session.exchange("next", { threadId: 1 }, {});
  assert.equal(host.session()?.stop, undefined);
  session.stop("/w/shop.py", 6);
  session.exchange("continue", { threadId: 1 }, {}, false);
  assert.equal(host.session()?.stop?.top?.line, 6);
  session.event("continued", { threadId: 9, allThreadsContinued: false });
  assert.equal(host.session()?.stop?.top?.line, 6);
  session.event("terminated");
  assert.equal(host.session()?.stop, undefined);
});

test("a turn is in the view before anything is sent, and holds what comes in its order", async (t) => {
  const { host, posts } = opened(t);
  const session = stopped();
  const turn = host.ask("why?")!;
  assert.equal(host.state().conversation?.turns[0], turn);
  assert.equal(turn.spot, "shop.py:5");
  assert.ok(posts.some((post) => post.type === "state" && post.state.conversation?.turns.length === 1));
  await settled();
  assert.deepEqual(asks(session), [{ progress: false, question: "why?", threadId: 1 }]);
  const askId = "dap-ai-ask-1";
  session.event("askOutput", { askId, category: "status", output: "offline: nothing leaves this machine" });
  session.event("askOutput", { askId, category: "tool", output: "| x |", tool: { name: "evaluate", call: "evaluate x" } });
  session.event("askOutput", { askId, category: "answer", output: "Be" });
  session.event("askOutput", { askId, category: "answer", output: "cause." });
  session.event("askEnded", ended(askId));
  assert.deepEqual(turn.parts.map((part) => part.kind), ["status", "step", "answer"]);
  assert.deepEqual(turn.parts[2], { kind: "answer", text: "Because." });
  assert.equal(turn.ended?.reason, "completed");
  assert.deepEqual(posts.slice(-3).map((post) => post.type), ["part", "part", "ended"]);
  assert.equal(host.state().answerer?.kind, "offline");
});

test("events that come before the response are not lost", async (t) => {
  const { host } = opened(t);
  const session: FakeSession = stopped("s1", (command) => {
    if (command !== "ask") return undefined;
    session.event("askOutput", { askId: "early", category: "answer", output: "Early." });
    session.event("askEnded", ended("early", { answer: "Early." }));
    return { askId: "early", conversationId: "c1" };
  });
  const turn = host.ask("why?")!;
  await settled();
  assert.equal(turn.ended?.answer, "Early.");
  assert.deepEqual(turn.parts, [{ kind: "answer", text: "Early." }]);
});

test("a question that is not taken says why", async (t) => {
  const { host, posts } = opened(t);
  stopped("s1", () => Promise.reject(new Error("the program runs: pause it first")));
  const turn = host.ask("why?")!;
  await settled();
  assert.equal(turn.error, "the program runs: pause it first");
  assert.equal(posts.at(-1)?.type, "failed");
});

test("the end of a session in mid-answer ends the turn with words and keeps what came", async (t) => {
  const { host } = opened(t);
  const session = stopped();
  const [first, second] = [host.ask("one")!, host.ask("two")!];
  await settled();
  session.event("askOutput", { askId: "dap-ai-ask-1", category: "answer", output: "Half" });
  session.tracker.onError(new Error("connection closed"));
  session.tracker.onExit();
  endSession(session);
  assert.match(first.error ?? "", /ended before the answer was complete.*connection closed/);
  assert.deepEqual(first.parts, [{ kind: "answer", text: "Half" }]);
  assert.match(second.error ?? "", /Start the program again/);
  assert.equal(host.questions.asks.count, 0);
  assert.equal(host.state().conversation?.turns.length, 2);
});

test("a second question waits for the first one, then follows up on it", async (t) => {
  const { host } = opened(t);
  const session = stopped();
  host.ask("one");
  const second = host.ask("two")!;
  const third = host.ask("three")!;
  await settled();
  assert.equal(asks(session).length, 1);
  assert.match((second.parts[0] as { text: string }).text, /Waits/);
  host.onMessage({ type: "stop", turnId: third.id });
  session.event("askEnded", ended("dap-ai-ask-1"));
  await settled();
  assert.deepEqual(asks(session)[1], { progress: false, question: "two", threadId: 1, conversationId: "c1" });
  assert.match(third.error ?? "", /stopped this question/);
  session.event("askEnded", ended("dap-ai-ask-2"));
  await settled();
  assert.equal(asks(session).length, 2);
});

test("stop cancels by the ask id, also when it comes before the response", async (t) => {
  const { host } = opened(t);
  const session = stopped();
  const turn = host.ask("why?")!;
  host.onMessage({ type: "stop", turnId: turn.id });
  await settled();
  assert.deepEqual(session.requests.at(-1), { command: "cancel", args: { progressId: "dap-ai-ask-1" } });
  session.event("askEnded", ended("dap-ai-ask-1", { reason: "cancelled" }));
  assert.equal(turn.ended?.reason, "cancelled");
});

test("each session has its own conversation, and its own ids", async (t) => {
  const { host } = opened(t);
  const [one, two] = [stopped("s1"), stopped("s2")];
  const first = host.ask("first", { sessionId: "s1" })!;
  const second = host.ask("second", { sessionId: "s2" })!;
  await settled();
  two.event("askOutput", { askId: "dap-ai-ask-1", category: "answer", output: "Two" });
  one.event("askOutput", { askId: "dap-ai-ask-1", category: "answer", output: "One" });
  assert.deepEqual([first.parts, second.parts], [[{ kind: "answer", text: "One" }], [{ kind: "answer", text: "Two" }]]);
  assert.equal(host.state().conversation?.sessionId, "s2");
  host.onMessage({ type: "selectSession", sessionId: "s1" });
  assert.equal(host.state().conversation?.turns[0], first);
  assert.deepEqual(host.state().history.map(({ title }) => title), ["second · shop.py:5 · shop s2"]);
});

test("a question of the debug console gets a turn in a conversation of its own", async (t) => {
  const { host } = opened(t);
  const session = stopped();
  host.ask("in the panel");
  await settled();
  session.exchange("evaluate", { expression: "??why x", context: "repl" }, { result: "dap-ai-ask-9: why x" });
  session.event("askOutput", { askId: "dap-ai-ask-9", category: "answer", output: "X" });
  session.event("askOutput", { askId: "a-tool-of-somebody", category: "answer", output: "no" });
  session.event("askEnded", ended("dap-ai-ask-9", { conversationId: "c9" }));
  assert.equal(host.state().conversation?.turns.length, 1);
  const [entry] = host.state().history;
  assert.equal(entry?.title, "why x · shop.py:5");
  host.onMessage({ type: "openConversation", id: entry.id });
  assert.equal(host.state().conversation?.turns[0]?.ended?.conversationId, "c9");
});

test("a fix is applied, saved and taken back, unless the file has changed", async (t) => {
  const { host, posts } = opened(t);
  const document = new FakeDocument(Uri.file("/w/shop.py"), "a\nb\nc\n");
  const session = stopped();
  const turn = host.ask("why?")!;
  await settled();
  const fix = { file: "/w/shop.py", diff: "--- a/shop.py\n+++ b/shop.py\n@@ -2 +2 @@\n-b\n+B", verified: true, check: "", result: "" };
  session.event("askEnded", ended("dap-ai-ask-1", { fixes: [fix] }));
  const act = async (type: "applyFix" | "undoFix"): Promise<HostMessage | undefined> => {
    host.onMessage({ type, turnId: turn.id, index: 0 });
    await settled();
    return posts.at(-1);
  };
  assert.deepEqual(await act("applyFix"), { type: "fix", turnId: turn.id, index: 0, outcome: "applied" });
  assert.deepEqual([document.text, document.isDirty], ["a\nB\nc\n", false]);
  document.text += "more\n";
  assert.match((await act("undoFix") as { error: string }).error, /edited after the fix/);
  assert.deepEqual(turn.fixes, ["applied"]);
  document.text = "a\nB\nc\n";
  await act("undoFix");
  assert.deepEqual([document.text, turn.fixes], ["a\nb\nc\n", ["undone"]]);
  document.text = "something else\n";
  assert.match((await act("applyFix") as { error: string }).error, /changed near line 2/);
});

test("without a session a question says how to start one", async (t) => {
  const { host } = opened(t);
  assert.equal(host.ask("why?"), undefined);
  await settled();
  assert.match(fake.shown[0] ?? "", /Nothing is being debugged/);
});

test("the answer of a session that has ended stays in sight until its program, started again, has stopped", async (t) => {
  const { host } = opened(t);
  const session = stopped();
  const turn = host.ask("why?")!;
  await settled();
  session.event("askEnded", ended("dap-ai-ask-1"));
  endSession(session);
  assert.equal(host.state().conversation?.turns[0], turn);
  const next = new FakeSession("s2", "shop s1", () => ({}));
  assert.equal(host.state().conversation?.turns[0], turn);
  next.stop("/w/shop.py", 9);
  assert.equal(host.state().conversation, undefined);
  assert.equal(host.state().history.length, 1);
});

test("a session that VS Code restarts keeps its id, and begins a conversation of its own", async (t) => {
  const { host } = opened(t);
  const session = stopped();
  const turn = host.ask("why?")!;
  await settled();
  session.event("askEnded", ended("dap-ai-ask-1"));
  endSession(session);
  const again = stopped();
  assert.equal(host.state().conversation, undefined);
  host.ask("and now?");
  await settled();
  assert.deepEqual(asks(again), [{ progress: false, question: "and now?", threadId: 1 }]);
  host.onMessage({ type: "retry", turnId: turn.id });
  again.event("askEnded", ended("dap-ai-ask-1"));
  await settled();
  assert.deepEqual(asks(again)[1], { progress: false, question: "why?", threadId: 1, conversationId: "c1" });
});

test("a tool's call is no turn, and its result is the answer", async (t) => {
  const { host } = opened(t);
  const session = stopped("s1", (command) => (command === "askTool" ? { askId: "dap-ai-ask-8", conversationId: "c8" } : undefined));
  const results: string[] = [];
  host.questions.asks.tool(host.session()!.session, { name: "stack" }, {
    output: () => undefined,
    approval: () => undefined,
    ended: ({ answer }) => results.push(answer),
    failed: (error) => results.push(error),
  });
  await settled();
  session.event("askOutput", { askId: "dap-ai-ask-8", category: "answer", output: "0 average" });
  session.event("askEnded", ended("dap-ai-ask-8", { answer: "0 average" }));
  assert.deepEqual(results, ["0 average"]);
  assert.equal(host.hasConversations, false);
});

test("a turn is copied as Markdown", async (t) => {
  const { host } = opened(t);
  const session = stopped();
  const turn = host.ask("why?")!;
  await settled();
  session.event("askEnded", ended("dap-ai-ask-1"));
  host.onMessage({ type: "copyTurn", turnId: turn.id });
  assert.match(asking.clipboard, /^## why\?\n\nAt `shop\.py:5`\.\n\nBecause\./);
});

test("a question whose session has ended fails once, whatever becomes of its request", async (t) => {
  const { host, posts } = opened(t);
  let refuse: (error: Error) => void = () => undefined;
  const session = stopped("s1", () => new Promise((_resolve, reject) => (refuse = reject)));
  const turn = host.ask("why?")!;
  await settled();
  endSession(session);
  refuse(new Error("Canceled"));
  await settled();
  assert.match(turn.error ?? "", /ended before the answer was complete/);
  assert.equal(posts.filter(({ type }) => type === "failed").length, 1);
});

test("a restart of which only the new beginning is heard begins a conversation of its own, too", async (t) => {
  const { host } = opened(t);
  const session = stopped();
  host.ask("why?");
  await settled();
  session.event("askEnded", ended("dap-ai-ask-1"));
  stopped();
  assert.equal(host.state().conversation, undefined);
  assert.equal(host.state().history.length, 1);
});

test("a consent that was asked for before a restart allows nothing after it", async (t) => {
  const { host } = opened(t);
  const approval = { approvalId: "dap-ai-approval-1", action: "x = 0", reason: "", kind: "assign", timeoutS: 60 };
  const ids: string[] = [];
  let session!: FakeSession;
  for (const action of ["x = 0", "wipe()"]) {
    session = stopped();
    const turn = host.ask("why?")!;
    await settled();
    session.event("askApproval", { ...approval, askId: "dap-ai-ask-1", action });
    for (const part of turn.parts) if (part.kind === "approval") ids.push(part.approval.approvalId);
    if (action === "x = 0") endSession(session);
  }
  host.onMessage({ type: "approve", approvalId: ids[0]!, allow: true, remember: false });
  await settled();
  const approved = (): unknown[] => session.requests.filter(({ command }) => command === "askApprove").map(({ args }) => args);
  assert.deepEqual(approved(), []);
  host.onMessage({ type: "approve", approvalId: ids[1]!, allow: true, remember: false });
  await settled();
  assert.deepEqual(approved(), [{ approvalId: "dap-ai-approval-1", allow: true, remember: false }]);
});

test("what is left of a session before its restart does not end it again", (t) => {
  const { host } = opened(t);
  const [before, after] = [stopped(), stopped()];
  before.tracker.onExit();
  assert.equal(host.session()?.session, after);
  after.tracker.onExit();
  assert.equal(host.session(), undefined);
});

test("a model is lent to nobody but dap_ai, and not for a request that has ended meanwhile", async (t) => {
  const lent: string[] = [];
  const told = (what: string) => (_session: unknown, body: unknown) => void lent.push(`${what} ${(body as { requestId: string }).requestId}`);
  const { host } = opened(t, { offered: () => ["editor"], onAskModel: told("asked"), onAskModelEnded: told("ended") });
  const foreign = new FakeSession("other", "other", () => ({}), false);
  foreign.event("askModel", { requestId: "r0", askId: "a", messages: [] });
  const session: FakeSession = stopped("s1", (command) => {
    if (command !== "ask") return undefined;
    session.event("askModel", { requestId: "r1", askId: "a1", messages: [] });
    session.event("askModelEnded", { requestId: "r1", askId: "a1" });
    return { askId: "a1", conversationId: "c1" };
  });
  host.ask("why?");
  await settled();
  assert.deepEqual(lent, ["asked r1", "ended r1"]);
});
