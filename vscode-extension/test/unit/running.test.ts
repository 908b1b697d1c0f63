import assert from "node:assert/strict";
import { beforeEach, test, type TestContext } from "node:test";
import { asking, FakeDocument, FakeSession } from "./fake/asking";
import { editor } from "./fake/editor";
import { asks, ended, opened, settled, stopped } from "./fake/host";
import { commands, debug, endSession, fake, resetFake, Uri, ViewColumn } from "./fake/vscode";

const { executeCommand } = commands;

beforeEach(() => {
  resetFake();
  debug.activeStackItem = undefined;
});

test("Pause and ask stops the program that runs, and asks once VS Code has read where it stands", async (t) => {
  const { host } = opened(t);
  const session = stopped("s1", (command) => (command === "threads" ? { threads: [{ id: 7 }] } : undefined));
  session.event("continued");
  const asked = host.pauseAndAsk();
  await settled();
  assert.deepEqual(session.requests.at(-1), { command: "pause", args: { threadId: 7 } });
  assert.deepEqual(asks(session), []);
  session.stop("/w/shop.py", 12);
  assert.equal(await asked, true);
  await settled();
  assert.equal(asks(session)[0]?.["question"], "Why does it hang?");
  assert.equal(await host.pauseAndAsk(), false); // it stands already
});

/** VS Code selects a frame when it is told to, and says so. */
function selecting(t: TestContext): void {
  commands.executeCommand = (...call) => {
    fake.executed.push(call);
    debug.activeStackItem = { session: { id: "s1" }, threadId: 1, frameId: 7 };
    for (const listener of asking.stackListeners) (listener as (item: unknown) => void)(debug.activeStackItem);
    return Promise.resolve();
  };
  t.after(() => {
    commands.executeCommand = executeCommand;
    debug.activeStackItem = undefined;
  });
}

test("the frame of a program that was paused is selected, since VS Code was asked not to do it; what is selected stays so", async (t) => {
  const { host } = opened(t);
  selecting(t);
  const session = stopped();
  session.stop("/w/shop.py", 12, "pause");
  host.ask("why?");
  await settled();
  assert.deepEqual(fake.executed, [["workbench.action.debug.focusProcess"]]);
  debug.activeStackItem = { session: { id: "s1" }, threadId: 1 }; // its thread alone
  host.ask("why?");
  await settled();
  host.ask("why?");
  await settled();
  assert.deepEqual(fake.executed.slice(1), [["workbench.action.debug.callStackTop"]]);
});

test("where VS Code could select a frame of another session, the stopped line is shown as a file, and the cursor stays in the question", async (t) => {
  const { host } = opened(t);
  selecting(t);
  new FakeDocument(Uri.file("/w/shop.py"), "one\n  two");
  stopped("s2");
  stopped("s1").stop("/w/shop.py", 2, "pause");
  host.ask("why?", { sessionId: "s1" });
  await settled();
  assert.deepEqual(fake.executed, []);
  assert.deepEqual(editor.shown, [{ path: "/w/shop.py", line: 1, character: 2, column: ViewColumn.Active, preserveFocus: true }]);
});

test("of a program that is started again, what was asked in its last run is marked as such; of another program nothing is shown", async (t) => {
  const { host } = opened(t);
  const session = stopped();
  const turn = host.ask("why?")!;
  await settled();
  session.event("askEnded", ended("dap-ai-ask-1"));
  endSession(session);
  const again = new FakeSession("s2", "shop s1", () => ({}));
  assert.deepEqual([host.state().conversation?.turns[0], host.state().conversation?.isOver], [turn, true]);
  endSession(again);
  assert.equal(new FakeSession("s3", "till", () => ({})).id, "s3");
  assert.equal(host.state().conversation, undefined);
  assert.equal(host.state().history.length, 1);
});
