import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test, type TestContext } from "node:test";
import type { Host } from "../../src/ask/host";
import { registerTools } from "../../src/ways/tools";
import { editor } from "./fake/editor";
import { ended, opened, settled, stopped } from "./fake/host";
import { CancellationError, CancellationTokenSource, debug, endSession, lm, resetFake } from "./fake/vscode";

beforeEach(() => {
  resetFake();
  debug.activeDebugSession = debug.activeStackItem = undefined;
});

function registered(t: TestContext): Host {
  const { host } = opened(t);
  const registration = registerTools(host);
  t.after(() => {
    registration.dispose();
  });
  return host;
}

interface Tool {
  invoke(options: object, token: unknown): Promise<{ content: { value: string }[] }>;
  prepareInvocation(options: object): { invocationMessage: string };
}

const tool = (name: string): Tool => editor.tools.get(`dapAi_${name}`) as unknown as Tool;

/** The result of a tool, as a model is given it. */
async function call(name: string, input: object = {}, cancelling = new CancellationTokenSource()): Promise<string> {
  const { content } = await tool(name).invoke({ input }, cancelling.token);
  return content[0]!.value;
}

test("the tools of package.json are those that are registered", (t) => {
  registered(t);
  const { contributes } = JSON.parse(readFileSync(join(__ROOT__, "package.json"), "utf8")) as {
    contributes: { languageModelTools: { name: string }[] };
  };
  assert.deepEqual([...editor.tools.keys()].sort(), contributes.languageModelTools.map(({ name }) => name).sort());
});

test("where VS Code has no tools, nothing is registered", (t) => {
  const { registerTool } = lm;
  delete lm.registerTool;
  try {
    registered(t);
  } finally {
    Object.assign(lm, { registerTool });
  }
  assert.equal(editor.tools.size, 0);
});

test("a tool reads the stopped program, and never changes it", async (t) => {
  registered(t);
  const session = stopped();
  void call("evaluate", { expression: "total" });
  await settled();
  assert.deepEqual(session.requests, [
    { command: "askTool", args: { name: "evaluate", arguments: { expression: "total" }, level: "compute", threadId: 1 } },
  ]);
});

test("its result is the answer; what went wrong is one, too", async (t) => {
  registered(t);
  let asked = 0;
  const session = stopped("s1", (command) => (command === "askTool" ? { askId: `tool-${++asked}`, conversationId: "c1" } : undefined));
  const resultOf = async (more: Parameters<typeof ended>[1]): Promise<string> => {
    const result = call("stack");
    await settled();
    session.event("askEnded", ended(`tool-${asked}`, more));
    return result;
  };
  assert.equal(await resultOf({ answer: "0 average" }), "0 average");
  assert.equal(await resultOf({ answer: "", reason: "failed", error: "denied: the policy is observe" }), "denied: the policy is observe");
  assert.equal(await resultOf({ answer: "", reason: "notStopped" }), "It has no result: notStopped.");
});

test("a tool that the policy refuses says why", async (t) => {
  registered(t);
  stopped("s1", () => Promise.reject(new Error("evaluate wants the level compute, and observe is in force")));
  assert.equal(await call("evaluate", { expression: "x" }), "evaluate wants the level compute, and observe is in force");
});

test("without a session, or while the program runs, it says what to do", async (t) => {
  registered(t);
  assert.match(await call("stack"), /Nothing is being debugged with dap-ai: ask the user to start/);
  stopped().event("continued");
  assert.match(await call("stack"), /The program is running/);
});

test("of two sessions, the one in front is read", async (t) => {
  registered(t);
  const [one, two] = [stopped("s1"), stopped("s2")];
  debug.activeDebugSession = one;
  debug.activeStackItem = { session: one, threadId: 4, frameId: 12 };
  void call("frame");
  await settled();
  assert.deepEqual(one.requests.map(({ args }) => [args["threadId"], args["frameId"]]), [[4, 12]]);
  assert.deepEqual(two.requests, []);
});

test("the end of the session is a result", async (t) => {
  registered(t);
  const session = stopped();
  const result = call("stack");
  endSession(session);
  assert.match(await result, /The debug session ended/);
});

test("a cancelled call ends at once, and in the program, too", async (t) => {
  registered(t);
  const session = stopped("s1", (command) => (command === "askTool" ? { askId: "tool-1", conversationId: "c1" } : undefined));
  const cancelling = new CancellationTokenSource();
  const result = call("trace", { expression: "f()" }, cancelling);
  await settled();
  cancelling.cancel();
  await assert.rejects(result, CancellationError);
  assert.deepEqual(session.requests.at(-1), { command: "cancel", args: { progressId: "tool-1" } });
  await assert.rejects(call("stack", {}, cancelling), CancellationError);
});

test("the chat shows what is read", (t) => {
  registered(t);
  const shown = (input: object): string => tool("evaluate").prepareInvocation({ input }).invocationMessage;
  assert.equal(shown({ expression: "total" }), "Reading the stopped program: evaluate total");
  assert.equal(shown({}), "Reading the stopped program: evaluate");
});
