import assert from "node:assert/strict";
import { beforeEach, test, type TestContext } from "node:test";
import type { Host } from "../../src/ask/host";
import { registerChat } from "../../src/ways/chat";
import { asking, FakeDocument, type FakeSession } from "./fake/asking";
import { chat, editor } from "./fake/editor";
import { asks, ended, opened, settled, stopped } from "./fake/host";
import { CancellationTokenSource, endSession, fake, resetFake, Uri } from "./fake/vscode";

interface Result {
  metadata?: { turnId: string; suspects: number };
  errorDetails?: { message: string };
}
type Said = [string, unknown];

beforeEach(() => {
  resetFake();
  asking.documents.clear();
});

/** The participant, asked as the chat view does. As there, nothing can be said once a request was cancelled. */
class Chat {
  readonly cancelling = new CancellationTokenSource();
  readonly said: Said[] = [];
  result: Result | undefined;

  private readonly say = (kind: string) => (value: unknown, title?: string): void => {
    if (this.cancelling.token.isCancellationRequested) throw new Error("the stream is closed");
    this.said.push([kind, title ?? value]);
  };

  async ask(prompt: string, { command, history = [] as unknown[] }: { command?: string; history?: unknown[] } = {}): Promise<void> {
    const handle = editor.participant!.handle as (...args: unknown[]) => Promise<Result>;
    const kinds = ["markdown", "progress", "button", "reference", "anchor"];
    const stream = Object.fromEntries(kinds.map((kind) => [kind, this.say(kind)]));
    void handle({ prompt, command }, { history }, stream, this.cancelling.token).then((result) => (this.result = result));
    await settled();
  }

  of(kind: string): unknown[] {
    return this.said.filter(([said]) => said === kind).map(([, value]) => value);
  }

  buttons(): unknown[] {
    return (this.of("button") as { title: string }[]).map(({ title }) => title);
  }
}

function registered(t: TestContext): { host: Host; chat: Chat } {
  const { host } = opened(t);
  const registration = registerChat(host);
  t.after(() => {
    registration.dispose();
  });
  return { host, chat: new Chat() };
}

async function end(session: FakeSession, more = {}, askId = "dap-ai-ask-1"): Promise<void> {
  session.event("askEnded", ended(askId, more));
  await settled();
}

test("where there is no chat, nothing is registered", (t) => {
  const { createChatParticipant } = chat;
  delete chat.createChatParticipant;
  try {
    registered(t);
  } finally {
    Object.assign(chat, { createChatParticipant });
  }
  assert.equal(editor.participant, undefined);
});

test("without a session it says how to start one", async (t) => {
  const { chat: view } = registered(t);
  await view.ask("why?");
  assert.match(String(view.of("markdown")[0]), /Nothing is being debugged with dap-ai/);
  assert.deepEqual([view.buttons(), view.result], [["Start Debugging"], {}]);
});

test("an answer comes as it is made, with its steps, and its places as references", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped();
  new FakeDocument(Uri.file("/w/shop.py"), "");
  await view.ask("why?");
  const askId = "dap-ai-ask-1";
  session.event("askOutput", { askId, category: "status", output: "offline: nothing leaves this machine" });
  session.event("askOutput", { askId, category: "tool", output: "| x |", tool: { name: "evaluate", call: "evaluate x" } });
  session.event("askOutput", { askId, category: "answer", output: "Be" });
  session.event("askOutput", { askId, category: "answer", output: "cause." });
  session.event("askApproval", { askId, approvalId: "a", action: "next", reason: "", kind: "step", timeoutS: 60 });
  assert.deepEqual([view.result], [undefined]);
  const places = [{ file: "/w/shop.py", line: 5, score: 1, reason: "" }, { file: "/gone.py", line: 1, score: 1, reason: "" }];
  await end(session, { suspects: [...places, ...places] });
  assert.deepEqual(view.said.slice(0, 4), [
    ["progress", "offline: nothing leaves this machine"],
    ["progress", "evaluate x"],
    ["markdown", "Because."],
    ["markdown", "\n\nWaits for your confirmation: next\n\n"],
  ]);
  const references = view.of("reference") as { uri: Uri; range: { line: number } }[];
  assert.deepEqual(references.map(({ uri, range }) => [uri.fsPath, range.line]), [["/w/shop.py", 4]]);
  assert.deepEqual(view.result?.metadata, { turnId: "conversation-1.1", suspects: 4 });
});

/**
 * What VS Code's chat shows of a complete response, as its chatListRenderer does: the last run of text, and what follows
 * it. All before that is folded. An anchor is part of the text around it.
 */
function unfolded(said: Said[]): Said[] {
  const parts = said.filter(([kind]) => kind !== "reference").map(([kind, value]): Said => [kind === "anchor" ? "markdown" : kind, value]);
  let first = parts.findLastIndex(([kind]) => kind === "markdown");
  while (first > 0 && parts[first - 1]![0] === "markdown") first -= 1;
  return parts.slice(first);
}

test("whatever is done once an answer has begun, all of its text stays in sight", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped();
  await view.ask("why?");
  const askId = "dap-ai-ask-1";
  const say = (category: string, output: string): void => {
    session.event("askOutput", { askId, category, output, ...(category === "tool" ? { tool: { name: "evaluate", call: output } } : {}) });
  };
  say("status", "offline: nothing leaves this machine");
  say("answer", "`parse('')` returned None, so `tea.stock` is None.\n\n");
  say("status", "reading the cited values again");
  say("tool", "report");
  say("answer", "**Recommendation.** Test for None.\n");
  say("status", "done");
  const fix = { file: "/w/shop.py", diff: "--- a/shop.py\n+++ b/shop.py\n@@ -2 +2 @@\n-b\n+B", verified: true, check: "", result: "" };
  await end(session, { fixes: [fix] });
  const seen = unfolded(view.said);
  const text = seen.filter(([kind]) => kind === "markdown").map(([, value]) => value).join("");
  assert.match(text, /^`parse\(''\)` returned None[^]*Recommendation[^]*\*Offline analyst · 1\.0 s\*$/);
  assert.equal(seen.filter(([kind]) => kind === "button").length, 2);
  assert.deepEqual(view.of("progress"), ["offline: nothing leaves this machine"]);
});

test("a place in the answer is a link to its file, where there is one", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped();
  new FakeDocument(Uri.file("/w/shop.py"), "");
  await view.ask("why?");
  session.event("askOutput", { askId: "dap-ai-ask-1", category: "answer", output: "At `/w/shop.py:2`, not `/gone_.py:3`.\n" });
  await end(session);
  assert.deepEqual(view.said.slice(0, 4), [["markdown", "At "], ["anchor", "/w/shop.py:2"], ["markdown", ", not "], ["markdown", "/gone\\_.py:3"]]);
});

test("an answer that did not come in pieces is shown at its end", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped();
  await view.ask("", { command: "why" });
  await end(session, { answer: "All at once." });
  assert.deepEqual(view.of("markdown"), ["All at once.", "\n\n*Offline analyst · 1.0 s*"]);
});

test("each fix has its buttons, which do what they say", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped();
  const document = new FakeDocument(Uri.file("/w/shop.py"), "a\nb\nc\n");
  await view.ask("why?");
  const fix = { file: "/w/shop.py", diff: "--- a/shop.py\n+++ b/shop.py\n@@ -2 +2 @@\n-b\n+B", verified: true, check: "", result: "" };
  await end(session, { fixes: [fix, { ...fix, verified: false }] });
  assert.deepEqual(view.buttons(), ["Preview Fix 1 (verified)", "Apply Fix 1", "Preview Fix 2", "Apply Fix 2"]);
  const { command, arguments: args } = view.of("button")[1] as { command: string; arguments: unknown[] };
  (editor.commands.get(command) as (...given: unknown[]) => void)(...args);
  await settled();
  assert.equal(document.text, "a\nB\nc\n");
});

test("a chat begins a conversation, a follow-up continues it, and /new leaves it", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped();
  await view.ask("one");
  await end(session);
  await view.ask("two", { history: [{}] });
  await end(session, {}, "dap-ai-ask-2");
  await view.ask("three", { history: [{}], command: "new" });
  assert.deepEqual(asks(session).map(({ conversationId }) => conversationId), [undefined, "c1", undefined]);
});

test("a follow-up is offered after an answer, and about a fix where there is a suspect", (t) => {
  registered(t);
  const provide = editor.participant!.followupProvider!.provideFollowups as (result: object) => { prompt: string }[];
  const prompts = (metadata?: object): string[] => provide({ metadata }).map(({ prompt }) => prompt);
  assert.deepEqual(prompts(), []);
  assert.deepEqual(prompts({ suspects: 0 }), ["Where do the wrong values come from?"]);
  assert.deepEqual(prompts({ suspects: 2 }), ["How can I fix it?", "Where do the wrong values come from?"]);
});

test("a question that waits for another one says so", async (t) => {
  const { host, chat: view } = registered(t);
  stopped();
  host.ask("in the panel");
  await settled();
  await view.ask("in the chat", { history: [{}] });
  assert.deepEqual(view.said, [["progress", "Waits for the answer before it."]]);
});

test("a cancelled request stops the question at once, and says nothing more", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped();
  await view.ask("why?");
  view.cancelling.cancel();
  await settled();
  assert.deepEqual(session.requests.at(-1), { command: "cancel", args: { progressId: "dap-ai-ask-1" } });
  assert.deepEqual(view.result, {});
  session.event("askOutput", { askId: "dap-ai-ask-1", category: "answer", output: "Half" });
  await end(session, { reason: "cancelled" });
  assert.deepEqual(view.said, []);
});

test("a request that was cancelled before it came is not answered", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped();
  view.cancelling.cancel();
  await view.ask("why?");
  assert.deepEqual([view.said, view.result], [[], {}]);
  assert.deepEqual(session.requests.map(({ command }) => command), ["ask", "cancel"]);
});

test("a program that runs is offered to be paused: that one, not the session in front", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped("s1", (command) => (command === "ask" ? Promise.reject(new Error("the program runs: pause it first")) : undefined));
  session.event("continued");
  await view.ask("why?");
  assert.deepEqual(view.result, { errorDetails: { message: "the program runs: pause it first" } });
  assert.deepEqual(view.buttons(), ["Pause"]);
});

test("the end of the session in mid-answer is told, and another session is not offered to be paused", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped("s1");
  await view.ask("why?");
  stopped("s2").event("continued");
  endSession(session);
  await settled();
  assert.match(view.result?.errorDetails?.message ?? "", /ended before the answer was complete/);
  assert.deepEqual(view.buttons(), []);
});

test("an error stands once, with what can be done about it", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped();
  await view.ask("why?");
  const error = "the endpoint does not accept the key";
  await end(session, { reason: "failed", answer: `**The model did not answer.** ${error}\n\nBy analysis.`, error, trouble: "key" });
  assert.equal(view.of("markdown").join("").split(error).length, 2);
  assert.equal(view.result?.errorDetails, undefined);
  assert.deepEqual(view.buttons(), ["Set the Key", "Choose Who Answers"]);
});

test("/who lets the user choose, without a question and without a session", async (t) => {
  const { chat: view } = registered(t);
  await view.ask("", { command: "who" });
  assert.ok(fake.executed.some(([command]) => command === "dapAi.chooseAnswerer"));
  assert.deepEqual([view.buttons(), view.result], [["Choose Who Answers"], {}]);
});

test("an answer that failed shows what there is, and the error", async (t) => {
  const { chat: view } = registered(t);
  const session = stopped();
  await view.ask("why?");
  await end(session, { reason: "failed", answer: "By analysis.", error: "the endpoint is not there" });
  assert.equal(view.of("markdown")[0], "By analysis.");
  assert.deepEqual(view.result?.errorDetails, { message: "the endpoint is not there" });
});
