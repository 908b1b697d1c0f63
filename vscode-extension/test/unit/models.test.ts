import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type * as vscode from "vscode";
import { wrongUrl } from "../../src/models/chooseAnswerer";
import { failureOf } from "../../src/models/lending";
import { messagesOf, toolsOf } from "../../src/models/lentMessages";
import { keepKey, Models, secretEnvironment } from "../../src/models/models";
import type { AskModelEnd } from "../../src/shared/protocol";
import { FakeModel, LanguageModelError, LanguageModelToolCallPart, lm, type Said } from "./fake/languageModels";
import { changeSetting, endSession, resetFake } from "./fake/vscode";

interface Sent {
  command: string;
  args: Record<string, unknown>;
}

/** A session that keeps what it is sent. `answer` makes the responses. */
class FakeSession {
  readonly id = "session-1";
  readonly sent: Sent[] = [];
  private waiting: { holds: () => boolean; done: () => void }[] = [];
  answer: (sent: Sent) => Promise<unknown> = ({ command }) => Promise.resolve({ active: command === "askModelDelta" });

  customRequest(command: string, args: Record<string, unknown>): Promise<unknown> {
    this.sent.push({ command, args });
    for (const { holds, done } of this.waiting) if (holds()) done();
    return this.answer({ command, args });
  }

  /** The reply is complete. */
  async ended(): Promise<AskModelEnd> {
    await this.has(() => this.sent.at(-1)?.command === "askModelEnd");
    return this.sent.at(-1)!.args as unknown as AskModelEnd;
  }

  has(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((done) => this.waiting.push({ holds, done }));
  }

  get text(): string {
    return this.sent.map(({ args }) => (args["text"] as string | undefined) ?? "").join("");
  }

  get asVscode(): vscode.DebugSession {
    return this as unknown as vscode.DebugSession;
  }
}

const BODY = { requestId: "m1", askId: "a1", messages: [{ role: "user", content: "why" }] };
const PARTIAL = { requestId: "m1", askId: "a1" };
let session: FakeSession;
let model: FakeModel;

beforeEach(() => {
  resetFake();
  session = new FakeSession();
  model = new FakeModel("GPT-5 mini", "copilot", "gpt-5-mini");
  lm.models = [model];
  changeSetting("dapAi.model", "editor");
});

/** The end of one reply to BODY. */
async function replied(reply: Said[], models = new Models()): Promise<AskModelEnd> {
  model.replies.push(reply);
  models.onAskModel(session.asVscode, BODY);
  const end = await session.ended();
  models.dispose();
  return end;
}

test("text comes in deltas, calls at the end", async () => {
  const end = await replied(["It ", "is ", new LanguageModelToolCallPart("c1", "stack", { thread: 1 }), "0."]);
  assert.equal(session.text, "It is 0.");
  assert.deepEqual(end, {
    requestId: "m1",
    model: "GPT-5 mini",
    calls: [{ id: "c1", name: "stack", arguments: { thread: 1 } }],
  });
});

test("many small pieces are few messages", async () => {
  await replied(Array.from({ length: 200 }, () => "x"));
  assert.equal(session.text.length, 200);
  assert.ok(session.sent.length < 50);
});

test("a part of a later VS Code is left out", async () => {
  await replied(["a", { thinking: "hm" }, "b"]);
  assert.equal(session.text, "ab");
});

test("told that nobody waits, the model stops and dap_ai hears nothing more", async () => {
  const models = new Models();
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  const reached = new Promise<void>((resolve) => {
    model.replies.push(["a", () => { resolve(); return held; }, "b"]);
  });
  models.onAskModel(session.asVscode, BODY);
  await reached;
  models.onAskModelEnded(session.asVscode, PARTIAL);
  assert.equal(model.requests[0]!.token.isCancellationRequested, true);
  go();
  await new Promise(setImmediate);
  assert.deepEqual(session.sent, []);
  models.dispose();
});

test("the end of its session stops the model", async () => {
  const models = new Models();
  const reached = new Promise<void>((resolve) => {
    model.replies.push([() => { resolve(); return new Promise(() => undefined); }]);
  });
  models.onAskModel(session.asVscode, BODY);
  await reached;
  endSession(session.asVscode);
  assert.equal(model.requests[0]!.token.isCancellationRequested, true);
  models.dispose();
});

test("a restarted session's request is not taken for the one of the same id before", async () => {
  const models = new Models();
  const goesOn: (() => void)[] = [];
  const begun = async (count: number): Promise<void> => {
    model.replies.push([() => new Promise<void>((resolve) => goesOn.push(resolve))]);
    models.onAskModel(session.asVscode, BODY);
    for (let turn = 0; turn < 50 && goesOn.length < count; turn++) await Promise.resolve();
  };
  await begun(1);
  endSession(session.asVscode);
  await begun(2);
  goesOn[0]!();
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  models.onAskModelEnded(session.asVscode, PARTIAL);
  assert.equal(model.requests[1]!.token.isCancellationRequested, true);
  models.dispose();
});

for (const [why, answer] of [
  ["an answer says that nobody waits", () => Promise.resolve({ active: false })],
  ["the session is gone", () => Promise.reject(new Error("gone"))],
] as [string, FakeSession["answer"]][]) {
  test(`when ${why}, the model stops`, async () => {
    const models = new Models();
    session.answer = answer;
    model.replies.push(["a", () => session.has(() => session.sent.length > 0), "b", "c"]);
    models.onAskModel(session.asVscode, BODY);
    await session.has(() => session.sent.length > 0);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    assert.equal(model.requests[0]!.token.isCancellationRequested, true);
    assert.deepEqual(session.sent.map(({ command }) => command), ["askModelDelta"]);
    models.dispose();
  });
}

for (const [error, code] of [
  [LanguageModelError.NoPermissions("no"), "noPermissions"],
  [LanguageModelError.NotFound("gone"), "notFound"],
  [LanguageModelError.Blocked("off topic"), "blocked"],
  [LanguageModelError.Blocked("You have exceeded your monthly quota"), "quota"],
  [new LanguageModelError("Unknown", "Unknown", new Error("prompt is too long: 99 tokens")), "overflow"],
  [new Error("model_max_prompt_tokens_exceeded: exceeds the limit of tokens 64000 token limit"), "overflow"],
  [new Error("Response contained no choices."), "failed"],
] as [Error, string][]) {
  test(`${error.message} is told as ${code}`, async () => {
    const end = await replied([error]);
    assert.equal(end.error?.code, code);
    assert.ok(end.error.message?.includes(error.message));
  });
}

test("an error in the middle keeps the text before it", async () => {
  const end = await replied(["So far", new Error("broken off")]);
  assert.equal(session.text, "So far");
  assert.equal(end.error?.message, "broken off");
});

test("what an error's cause says is told once", () => {
  const cause = new Error("429 too many requests");
  assert.deepEqual(failureOf(new Error("failed", { cause })), { code: "quota", message: "failed: 429 too many requests" });
  assert.equal(failureOf(new Error("same", { cause: new Error("same") })).message, "same");
});

test("without a model, or with a chosen one that is gone, the answer says so and no other is taken", async () => {
  changeSetting("dapAi.editor.model", "copilot/gone");
  assert.deepEqual((await replied([])).error, { code: "notFound", message: "VS Code does not list copilot/gone" });
  lm.models = [];
  changeSetting("dapAi.editor.model", "");
  session = new FakeSession();
  assert.deepEqual((await replied([])).error, { code: "notFound", message: "VS Code has no language model" });
  assert.deepEqual(model.requests, []);
});

test("where somebody else was chosen meanwhile, no model is asked", async () => {
  const models = new Models();
  changeSetting("dapAi.model", "offline");
  assert.equal((await replied([], models)).error?.code, "noPermissions");
  assert.deepEqual(model.requests, []);
});

test("the chosen model answers", async () => {
  const other = new FakeModel("Claude", "copilot", "claude");
  lm.models = [model, other];
  changeSetting("dapAi.editor.model", "copilot/claude");
  other.replies.push(["I"]);
  assert.equal((await replied([])).model, "Claude");
});

test("a VS Code without language models offers its own words, not an error", async () => {
  const select = lm.selectChatModels;
  delete lm.selectChatModels;
  try {
    assert.equal((await replied([])).error?.code, "notFound");
  } finally {
    lm.selectChatModels = select!;
  }
});

test("a model is offered only where it was chosen", () => {
  const models = new Models();
  for (const [chosen, offered] of [["auto", []], ["offline", []], ["editor", ["editor"]], ["endpoint", []]] as const) {
    changeSetting("dapAi.model", chosen);
    assert.deepEqual(models.offered(), offered);
  }
  models.dispose();
});

test("the panel is told who answers and what leaves the machine", async () => {
  const models = new Models();
  await new Promise(setImmediate);
  assert.equal(models.lentModel(), "GPT-5 mini");
  assert.deepEqual([models.answerer()?.kind, models.answerer()?.name], ["editor", "GPT-5 mini"]);
  changeSetting("dapAi.model", "offline");
  assert.match(models.answerer()!.leaves, /^Nothing leaves/);
  changeSetting("dapAi.model", "endpoint");
  changeSetting("dapAi.endpoint.baseUrl", "http://localhost:11434/v1");
  changeSetting("dapAi.endpoint.model", "qwen3");
  assert.equal(models.answerer()?.name, "qwen3 at localhost:11434");
  changeSetting("dapAi.model", "auto");
  assert.equal(models.answerer(), undefined);
  models.dispose();
});

test("the key reaches the proxy only where the endpoint was chosen", async () => {
  const kept = new Map<string, string>();
  const context = {
    secrets: {
      get: (name: string) => Promise.resolve(kept.get(name)),
      store: (name: string, value: string) => Promise.resolve(void kept.set(name, value)),
      delete: (name: string) => Promise.resolve(void kept.delete(name)),
    },
  } as unknown as vscode.ExtensionContext;
  changeSetting("dapAi.model", "endpoint");
  assert.deepEqual(await secretEnvironment(context), {});
  await keepKey(context, "sk-1");
  assert.deepEqual(await secretEnvironment(context), { OPENAI_API_KEY: "sk-1" });
  changeSetting("dapAi.model", "offline");
  assert.deepEqual(await secretEnvironment(context), {});
  changeSetting("dapAi.model", "endpoint");
  await keepKey(context, undefined);
  assert.deepEqual(await secretEnvironment(context), {});
});

test("a conversation of Chat Completions becomes VS Code's", () => {
  const call = (id: string, written: string) => ({ id, type: "function", function: { name: "stack", arguments: written } });
  const messages = messagesOf({
    ...PARTIAL,
    messages: [
      { role: "system", content: "Be short." },
      { role: "user", content: "why" },
      { role: "assistant", content: "", tool_calls: [call("c1", '{"thread": 1}'), call("c2", "{bro"), call("c3", "[1]"), call("c4", "")] },
      { role: "tool", tool_call_id: "c1", content: "frames" },
      { role: "tool", tool_call_id: "c2", content: "wrong" },
      { role: "assistant", content: "" },
      { role: "assistant", content: "So." },
      { role: "user", content: "and?" },
    ],
  });
  const text = (value: string) => ({ value });
  const plain = JSON.parse(JSON.stringify(messages)) as unknown;
  assert.deepEqual(plain, [
    { role: "user", content: [text("Be short.\n\nwhy")] },
    {
      role: "assistant",
      content: [
        { callId: "c1", name: "stack", input: { thread: 1 } },
        { callId: "c2", name: "stack", input: { malformed: "{bro" } },
        { callId: "c3", name: "stack", input: { malformed: "[1]" } },
        { callId: "c4", name: "stack", input: {} },
      ],
    },
    { role: "user", content: [{ callId: "c1", content: [text("frames")] }, { callId: "c2", content: [text("wrong")] }] },
    { role: "assistant", content: [text("So.")] },
    { role: "user", content: [text("and?")] },
  ]);
});

test("tools keep their schema", async () => {
  const parameters = { type: "object", properties: { thread: { type: "integer" } } };
  const tools = [{ type: "function", function: { name: "stack", description: "The frames.", parameters } }];
  assert.deepEqual(toolsOf({ ...BODY, tools }), [{ name: "stack", description: "The frames.", inputSchema: parameters }]);
  await replied([]);
  assert.equal("tools" in model.requests[0]!.options, false);
  assert.match(model.requests[0]!.options.justification!, /secrets masked/);
});

test("a URL of an endpoint holds no key, as a password or as a name", () => {
  for (const good of ["", "http://localhost:11434/v1", " https://api.example.com/v1 "]) assert.equal(wrongUrl(good), undefined);
  for (const url of ["https://user:key@example.com/v1", "https://key@example.com/v1"]) assert.match(wrongUrl(url) ?? "", /Leave the key out/);
  for (const bad of ["localhost", "file:///etc"]) assert.match(wrongUrl(bad) ?? "", /^A URL that begins with/);
});
