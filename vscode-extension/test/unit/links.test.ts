import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { DebugSession } from "vscode";
import { openLocation, resolveFile, selectFrame, showVariables } from "../../src/answers/links";
import { asking, FakeDocument } from "./fake/asking";
import { editor } from "./fake/editor";
import { opened, stopped } from "./fake/host";
import { commands, debug, fake, TabInputWebview, Uri, ViewColumn, window, workspace } from "./fake/vscode";

const { executeCommand } = commands;
const { openTextDocument } = workspace;

beforeEach(() => {
  fake.reset();
  asking.documents.clear();
  debug.activeStackItem = undefined;
  fake.folders.push({ uri: Uri.file("/w"), name: "w", index: 0 });
});

function file(path: string, text = "one\n  two\nthree"): Uri {
  const uri = Uri.file(path);
  new FakeDocument(uri, text);
  return uri;
}

const session = (configuration: object): DebugSession => ({ configuration }) as unknown as DebugSession;

test("a link shows its line, at the first letter", async () => {
  file("/w/shop.py");
  assert.ok(await openLocation("/w/shop.py", 2));
  assert.deepEqual(editor.shown, [{ path: "/w/shop.py", line: 1, character: 2, column: ViewColumn.Active }]);
});

test("a line past the end, or before the beginning, shows the nearest", async () => {
  file("/w/shop.py");
  for (const line of [99, 0, -5]) assert.ok(await openLocation("/w/shop.py", line));
  assert.deepEqual(editor.shown.map(({ line }) => line), [2, 0, 0]);
});

test("a missing file is named, and nothing is shown", async () => {
  assert.equal(await openLocation("/gone/shop.py", 2), false);
  assert.equal(await openLocation("gone.py", 2), false);
  assert.deepEqual(fake.shown, ["There is no /gone/shop.py on this machine.", "There is no gone.py in this workspace."]);
  assert.deepEqual(editor.shown, []);
});

test("a file that cannot be read says so", async () => {
  file("/w/shop.py");
  workspace.openTextDocument = () => Promise.reject(new Error("it is binary"));
  try {
    assert.equal(await openLocation("/w/shop.py", 1), false);
  } finally {
    workspace.openTextDocument = openTextDocument;
  }
  assert.deepEqual(fake.shown, ["shop.py cannot be shown: it is binary"]);
});

test("a relative path is looked for where the program runs, in the workspace, beside the program", async () => {
  const there = session({ cwd: "/run", program: "/prog/main.py" });
  for (const path of ["/prog/shop.py", "/w/shop.py", "/run/shop.py"]) {
    file(path);
    assert.equal((await resolveFile("shop.py", there))?.fsPath, path);
  }
});

test("the end of a path is enough, in the writing of any system", async () => {
  editor.found = [file("/w/src/[a]/shop.py")];
  for (const written of ["[a]/shop.py", "[a]\\shop.py", "./[a]/shop.py"]) {
    assert.equal((await resolveFile(written))?.fsPath, "/w/src/[a]/shop.py");
  }
  assert.deepEqual(new Set(editor.patterns), new Set(["**/[[]a[]]/shop.py"]));
});

test("of several files of a name none is guessed: the user says which", async () => {
  editor.found = [file("/w/a/shop.py"), file("/w/b/shop.py")];
  assert.equal(await resolveFile("shop.py"), undefined);
  assert.equal(await openLocation("shop.py", 1), false);
  assert.deepEqual([editor.offered, fake.shown, editor.shown], [["a/shop.py", "b/shop.py"], [], []]);
  editor.pick = "b/shop.py";
  assert.ok(await openLocation("shop.py", 1));
  assert.equal(editor.shown[0]?.path, "/w/b/shop.py");
});

test("a path of another system is not looked for by its end", async () => {
  editor.found = [file("/w/shop.py")];
  assert.equal(await openLocation("C:\\w\\shop.py", 2), false);
  assert.deepEqual(fake.shown, ["There is no C:\\w\\shop.py on this machine."]);
});

test("code never covers an answer in an editor tab", async () => {
  file("/w/shop.py");
  window.tabGroups.activeTabGroup.activeTab = { input: new TabInputWebview("dapAi.answerTab") };
  await openLocation("/w/shop.py", 1);
  window.visibleTextEditors.push({ viewColumn: ViewColumn.Two });
  await openLocation("/w/shop.py", 1);
  assert.deepEqual(editor.shown.map(({ column }) => column), [ViewColumn.Beside, ViewColumn.Two]);
});

/** A call stack of frames 7, 8, 9 from the innermost, in which VS Code's commands move, and then say it. */
function callStack(frameId: number): void {
  const select = (id: number): void => {
    if ((debug.activeStackItem as { frameId?: number }).frameId === id) return;
    debug.activeStackItem = { session: { id: "s1" }, threadId: 1, frameId: id };
    for (const listener of asking.stackListeners) (listener as (item: unknown) => void)(debug.activeStackItem);
  };
  debug.activeStackItem = { session: { id: "s1" }, threadId: 1, frameId };
  commands.executeCommand = (...call) => {
    fake.executed.push(call);
    const { frameId: now = 7 } = debug.activeStackItem as { frameId?: number };
    if (call[0] === "workbench.action.debug.callStackTop") select(7);
    if (call[0] === "workbench.action.debug.callStackDown") select(now === 9 ? 7 : now + 1);
    return Promise.resolve();
  };
}

async function withCallStack(frameId: number, run: () => Promise<void>): Promise<void> {
  callStack(frameId);
  try {
    await run();
  } finally {
    commands.executeCommand = executeCommand;
  }
}

const moves = (): string[] => fake.executed.map(([name]) => String(name)).filter((name) => name.includes("callStack")).map((name) => name.slice(32));

test("a frame is reached from the innermost on, which is not gone to twice", (t) => {
  const { host } = opened(t);
  stopped();
  return withCallStack(7, async () => {
    assert.ok(await selectFrame(host.sessions, "s1", 9));
    assert.deepEqual(moves(), ["Down", "Down"]);
    assert.ok(await selectFrame(host.sessions, "s1", 8));
    assert.deepEqual(moves().slice(2), ["Top", "Down"]);
  });
});

test("the frame that is selected needs no step", (t) => {
  const { host } = opened(t);
  stopped();
  return withCallStack(8, async () => {
    assert.ok(await selectFrame(host.sessions, "s1", 8));
    assert.deepEqual(moves(), []);
  });
});

test("a frame that is not in the call stack is not found, once round", (t) => {
  const { host } = opened(t);
  stopped();
  return withCallStack(7, async () => {
    assert.equal(await selectFrame(host.sessions, "s1", 99), false);
    assert.deepEqual(moves(), ["Down", "Down", "Down"]);
  });
});

test("a frame of a program that runs, or of a session that is not selected, is not gone to", (t) => {
  const { host } = opened(t);
  const session = stopped();
  stopped("s2");
  return withCallStack(7, async () => {
    assert.equal(await selectFrame(host.sessions, "s2", 8), false);
    session.event("continued");
    assert.equal(await selectFrame(host.sessions, "s1", 8), false);
    assert.deepEqual(moves(), []);
  });
});

test("a VS Code without the command to show Variables is no trouble", async () => {
  commands.executeCommand = () => Promise.reject(new Error("command not found"));
  try {
    await showVariables();
  } finally {
    commands.executeCommand = executeCommand;
  }
  assert.match(fake.logged.at(-1) ?? "", /Variables view: command not found/);
});
