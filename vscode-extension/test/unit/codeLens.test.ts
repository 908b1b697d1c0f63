import assert from "node:assert/strict";
import { beforeEach, test, type TestContext } from "node:test";
import { registerCodeLens } from "../../src/ways/codeLens";
import { asking, FakeDocument } from "./fake/asking";
import { editor } from "./fake/editor";
import { opened, stopped } from "./fake/host";
import { changeSetting, endSession, resetFake, Uri } from "./fake/vscode";

interface Lens {
  range: { start: { line: number } };
  command: { title: string; command: string; arguments: unknown[] };
}

beforeEach(() => {
  resetFake();
  asking.documents.clear();
});

/** The lenses that a file shows, and how often VS Code was told to look again. */
function registered(t: TestContext): { lenses: (path?: string, lines?: number) => Lens[]; changes: () => number } {
  const { host } = opened(t);
  const registration = registerCodeLens(host.sessions);
  t.after(() => {
    registration.dispose();
  });
  let changes = 0;
  editor.lenses!.onDidChangeCodeLenses(() => (changes += 1));
  const provide = editor.lenses!.provideCodeLenses as (document: unknown) => Lens[];
  const lenses = (path = "/w/shop.py", lines = 20): Lens[] => provide(new FakeDocument(Uri.file(path), "x\n".repeat(lines)));
  return { lenses, changes: () => changes };
}

test("it stands above the line at which the program has stopped, and asks about that session", (t) => {
  const { lenses } = registered(t);
  stopped();
  const [lens, ...more] = lenses();
  assert.deepEqual([lens?.range.start.line, more], [4, []]);
  assert.deepEqual([lens?.command.title, lens?.command.command], ["$(lightbulb) Why?", "dapAi.why"]);
  assert.deepEqual(lens?.command.arguments, [null, { sessionId: "s1" }]);
});

test("no other file has it, and no file without a session", (t) => {
  const { lenses } = registered(t);
  assert.deepEqual(lenses(), []);
  stopped();
  assert.deepEqual(lenses("/w/other.py"), []);
});

test("it goes when the program goes on, moves with the next stop, and goes with the session", (t) => {
  const { lenses } = registered(t);
  const session = stopped();
  session.event("continued");
  assert.deepEqual(lenses(), []);
  session.stop("/w/shop.py", 9);
  assert.deepEqual(lenses().map(({ range }) => range.start.line), [8]);
  endSession(session);
  assert.deepEqual(lenses(), []);
});

test("a file that has become shorter than the line has none", (t) => {
  const { lenses } = registered(t);
  stopped();
  assert.deepEqual(lenses("/w/shop.py", 3), []);
});

test("a frame without a file has none", (t) => {
  const { lenses } = registered(t);
  const session = stopped();
  session.event("stopped", { reason: "pause", threadId: 1 });
  session.exchange("stackTrace", { threadId: 1 }, { stackFrames: [{ id: 1, name: "native", line: 0 }] });
  assert.deepEqual(lenses(), []);
});

test("sessions that stand on one line are told apart by their names", (t) => {
  const { lenses } = registered(t);
  stopped("s1");
  stopped("s2");
  assert.deepEqual(lenses().map(({ command }) => command.title), ["$(lightbulb) Why? (shop s1)", "$(lightbulb) Why? (shop s2)"]);
});

test("the setting takes it away at once", (t) => {
  const { lenses, changes } = registered(t);
  stopped();
  const before = changes();
  changeSetting("dapAi.codeLens", false);
  assert.deepEqual([lenses(), changes()], [[], before + 1]);
});

test("VS Code looks again when another line is concerned, and not with every change", (t) => {
  const { changes } = registered(t);
  const session = stopped();
  const before = changes();
  for (const listener of asking.stackListeners) listener();
  assert.equal(changes(), before);
  session.event("continued");
  assert.equal(changes(), before + 1);
});
