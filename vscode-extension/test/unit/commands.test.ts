import assert from "node:assert/strict";
import { beforeEach, test, type TestContext } from "node:test";
import { registerCommands } from "../../src/ways/commands";
import { editor } from "./fake/editor";
import { asks, ended, opened, settled, stopped } from "./fake/host";
import { fake, resetFake, Uri, window } from "./fake/vscode";

beforeEach(() => {
  resetFake();
});

/** The commands, and how often the view was shown. */
function registered(t: TestContext): { run: (name: string, ...args: unknown[]) => Promise<void>; view: { focused: number } } {
  const { host } = opened(t);
  const view = { focused: 0, focus: () => Promise.resolve(void (view.focused += 1)) };
  const commands = registerCommands(host, view);
  t.after(() => {
    commands.dispose();
  });
  const run = async (name: string, ...args: unknown[]): Promise<void> => {
    await (editor.commands.get(`dapAi.${name}`) as (...given: unknown[]) => unknown)(...args);
    await settled();
  };
  return { run, view };
}

/** An editor in which `selected` is selected; nothing: the cursor stands in `word`. */
function select(selected: string, word?: string): void {
  const selection = { isEmpty: selected === "", active: "cursor", start: { line: 4 } };
  const document = {
    uri: Uri.file("/w/shop.py"),
    getText: (range: unknown) => (range === selection ? selected : word),
    getWordRangeAtPosition: () => (word === undefined ? undefined : { start: { line: 4 } }),
  };
  window.activeTextEditor = { document, selection };
}

const VARIABLE = { sessionId: "s2", variable: { name: "total", evaluateName: "self.total", value: "0" } };

test("without a session every question says how to start one, and shows no view", async (t) => {
  const { run, view } = registered(t);
  select("total");
  const commands: [string, ...unknown[]][] = [["why"], ["ask", "why?"], ["askValue", VARIABLE], ["askSelection"], ["askFrame"]];
  for (const [name, ...args] of commands) {
    await run(name, ...args);
    assert.match(fake.shown.at(-1) ?? "", /Nothing is being debugged with dap-ai\. Start a program/, name);
  }
  assert.deepEqual([fake.shown.length, view.focused], [commands.length, 0]);
});

test("without a session the other commands do no harm", async (t) => {
  const { run } = registered(t);
  for (const name of ["stop", "newConversation", "copyConversation", "exportConversation", "openEditor"]) await run(name);
  assert.deepEqual(fake.shown, []);
});

test("Ask without a question shows the view, and asks nothing", async (t) => {
  const { run, view } = registered(t);
  const session = stopped();
  for (const question of [undefined, "", { some: "context" }]) await run("ask", question);
  assert.deepEqual([view.focused, asks(session)], [3, []]);
});

test("Why asks where the program has stopped, and shows the answer", async (t) => {
  const { run, view } = registered(t);
  const session = stopped();
  await run("why", Uri.file("/w/shop.py"), { groupId: 0 });
  assert.deepEqual(asks(session), [{ progress: false, question: "", threadId: 1 }]);
  assert.equal(view.focused, 1);
});

test("a variable is asked about in its own session", async (t) => {
  const { run } = registered(t);
  const [one, two] = [stopped("s2"), stopped("s1")];
  await run("askValue", VARIABLE);
  assert.deepEqual(asks(one).map(({ question }) => question), ["Why is `self.total` 0?"]);
  assert.deepEqual(asks(two), []);
});

test("a value can be typed, and nothing is asked when it is not", async (t) => {
  const { run, view } = registered(t);
  const session = stopped();
  for (const typed of [undefined, "  ", " len(cart) "]) {
    editor.typed = typed;
    await run("askValue");
  }
  assert.deepEqual(asks(session).map(({ question }) => question), ["Why is `len(cart)` what it is?"]);
  assert.equal(view.focused, 1);
});

test("a selection is asked about, or the word at the cursor", async (t) => {
  const { run } = registered(t);
  const session = stopped();
  const ask = async (selected: string, word?: string): Promise<unknown> => {
    select(selected, word);
    await run("askSelection");
    session.event("askEnded", ended(`dap-ai-ask-${asks(session).length}`));
    return asks(session).at(-1)?.["question"];
  };
  assert.equal(await ask("price * count"), "Why is `price * count` what it is?");
  assert.equal(await ask("", "total"), "Why is `total` what it is?");
  assert.match(String(await ask("a = 1\nb = 2")), /What does this do here.*\(shop\.py:5\)\?\n\n```\na = 1\nb = 2\n```/);
});

test("without a selection or an editor, it says what to do", async (t) => {
  const { run } = registered(t);
  const session = stopped();
  await run("askSelection");
  select("");
  await run("askSelection");
  assert.deepEqual(fake.shown, ["Select what you want to ask about.", "Select what you want to ask about."]);
  assert.deepEqual(asks(session), []);
});

test("a row of the call stack is asked about by its session, thread and frame", async (t) => {
  const { run } = registered(t);
  const session = stopped("s1");
  const front = stopped("s2");
  session.exchange("stackTrace", { threadId: 3 }, { stackFrames: [{ id: 20, name: "f", line: 1 }, { id: 21, name: "g", line: 2 }] });
  const frameLocation = { source: { path: "/w/till.py" }, range: { startLineNumber: 9 } };
  await run("askFrame", {}, { sessionId: "s1", threadId: "thread:s1:3", frameId: "stackframe:thread:s1:3:1:g", frameLocation });
  const question = "What is wrong in this frame (till.py:9), and how did the program get here?";
  assert.deepEqual(asks(session), [{ progress: false, question, threadId: 3, frameId: 21 }]);
  assert.deepEqual(asks(front), []);
});

test("Stop ends every question of the conversation", async (t) => {
  const { run } = registered(t);
  const session = stopped();
  await run("why");
  await run("why");
  await run("stop");
  assert.deepEqual(session.requests.map(({ command }) => command), ["ask", "cancel"]);
});
