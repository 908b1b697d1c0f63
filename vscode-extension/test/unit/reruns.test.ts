/** After a fix was applied: the preview closes, the program is restarted, and the conversation says what came of it. */

import assert from "node:assert/strict";
import test, { beforeEach, type TestContext } from "node:test";
import type { Host } from "../../src/ask/host";
import type { HostMessage, Turn } from "../../src/shared/messages";
import { FIX_SCHEME } from "../../src/answers/fixes";
import { asking, FakeDocument, FakeSession } from "./fake/asking";
import { editor } from "./fake/editor";
import { ended, opened, settled, stopped } from "./fake/host";
import { endSession, fake, resetFake, TabInputTextDiff, Uri, window } from "./fake/vscode";

const FIX = { file: "/w/shop.py", diff: "--- a/shop.py\n+++ b/shop.py\n@@ -2 +2 @@\n-b\n+B", verified: true, check: "", result: "" };

beforeEach(() => {
  resetFake();
  asking.documents.clear();
});

interface Applied {
  host: Host;
  posts: HostMessage[];
  session: FakeSession;
  turn: Turn;
  act: (type: "previewFix" | "applyFix" | "undoFix") => Promise<void>;
}

/** A stop whose answer has a fix. */
async function answered(t: TestContext): Promise<Applied> {
  const { host, posts } = opened(t);
  new FakeDocument(Uri.file("/w/shop.py"), "a\nb\nc\n");
  const session = stopped();
  const turn = host.ask("why?")!;
  await settled();
  session.event("askEnded", ended("dap-ai-ask-1", { fixes: [FIX] }));
  const act = async (type: "previewFix" | "applyFix" | "undoFix"): Promise<void> => {
    host.onMessage({ type, turnId: turn.id, index: 0 });
    await settled();
  };
  return { host, posts, session, turn, act };
}

/** The next run; VS Code keeps the id of a session that it restarts. */
const started = (): FakeSession => new FakeSession("s1", "shop s1", () => ({}));
const told = ({ turn }: Applied): string | undefined => turn.reruns?.[0]?.state;

test("the preview shows texts of our own on both sides: nothing of the stop is drawn over them; it closes with Apply", async (t) => {
  const { act } = await answered(t);
  await act("previewFix");
  const [, left, right] = fake.executed.find(([name]) => name === "vscode.diff") as [string, Uri, Uri];
  assert.deepEqual([left.scheme, right.scheme], [FIX_SCHEME, FIX_SCHEME]);
  assert.notEqual(String(left), String(right));
  window.tabGroups.open({ input: new TabInputTextDiff(left, right), label: "shop.py: now ↔ with the fix" });
  window.tabGroups.open({ input: new TabInputTextDiff(Uri.file("/w/a"), Uri.file("/w/b")), label: "another" });
  await act("applyFix");
  assert.deepEqual(window.tabGroups.all[0]?.tabs.map(({ label }) => label), ["another"]);
});

test("a restart that ends well says Fixed in the conversation, which stays in sight", async (t) => {
  const applied = await answered(t);
  const { host, posts, session, turn, act } = applied;
  await act("applyFix");
  assert.equal(told(applied), undefined);
  host.onMessage({ type: "restart", turnId: turn.id });
  assert.deepEqual(fake.executed.at(-1), ["workbench.action.debug.restart", undefined, { sessionId: "s1" }]);
  endSession(session);
  assert.equal(told(applied), undefined);
  const again = started();
  again.event("exited", { exitCode: 0 });
  endSession(again);
  assert.equal(told(applied), "fixed");
  assert.match(turn.reruns?.[0]?.text ?? "", /^Fixed: .*exit code 0/);
  assert.equal(host.state().conversation?.turns[0], turn);
  assert.deepEqual(posts.flatMap((post) => (post.type === "rerun" ? [post.rerun?.state] : [])), ["running", "fixed"]);
});

for (const [what, line, frame, exitCode, state, words] of [
  ["stops there again", 6, "average", 1, "again", /does not help/],
  ["stops elsewhere", 30, "main", 1, "elsewhere", /now stops at shop\.py:30/],
  ["fails otherwise", 0, "", 3, "elsewhere", /exit code 3/],
] as const) {
  test(`a program that ${what} after the fix is not called fixed`, async (t) => {
    const applied = await answered(t);
    await applied.act("applyFix");
    endSession(applied.session);
    const again = started();
      if (line > 0) {
      again.event("stopped", { reason: "exception", threadId: 1 });
      again.exchange("stackTrace", { threadId: 1 }, { stackFrames: [{ id: 9, name: frame, line, source: { path: "/w/shop.py" } }] });
    }
    again.event("exited", { exitCode });
    endSession(again);
    assert.equal(told(applied), state);
    assert.match(applied.turn.reruns?.[0]?.text ?? "", words);
  });
}

test("of a run that the user ends, nothing is said; neither of one after the fix was undone", async (t) => {
  const applied = await answered(t);
  await applied.act("applyFix");
  endSession(applied.session);
  const again = started();
  again.exchange("disconnect", {}, {});
  again.event("exited", { exitCode: 0 });
  endSession(again);
  assert.equal(told(applied), undefined);
  await applied.act("undoFix");
  const third = started();
  third.event("exited", { exitCode: 0 });
  endSession(third);
  assert.equal(told(applied), undefined);
});

test("Restart begins a session that has ended again, as it was begun", async (t) => {
  const { host, session, turn } = await answered(t);
  Object.assign(session.configuration, { type: "dap-ai", name: "shop s1", program: "/w/shop.py", debugServer: 1, dapAiToken: "t", __id: 1 });
  endSession(session);
  host.onMessage({ type: "restart", turnId: turn.id });
  await settled();
  assert.deepEqual(fake.executed.at(-1), ["startDebugging", undefined, { type: "dap-ai", name: "shop s1", request: "launch", program: "/w/shop.py" }]);
});

test("a cited value shows its place, also where its frame is selected already or gone", async (t) => {
  const { host } = await answered(t);
  host.onMessage({ type: "openFrame", sessionId: "s1", frameId: 99, threadId: 1, file: "/w/shop.py", line: 2 });
  await settled();
  await settled();
  assert.deepEqual(editor.shown.map(({ path, line }) => [path, line]), [["/w/shop.py", 1]]);
});

test("apply and rerun is one action: the file has the fix, the session is restarted, and both outputs are told", async (t) => {
  const applied = await answered(t);
  applied.session.event("output", { category: "stdout", output: "before\n" });
  applied.host.onMessage({ type: "applyAndRerun", turnId: applied.turn.id, index: 0 });
  await settled();
  await settled();
  assert.equal(asking.documents.get(Uri.file("/w/shop.py").toString())?.text, "a\nB\nc\n");
  assert.deepEqual(fake.executed.at(-1)?.[0], "workbench.action.debug.restart");
  const run = started();
  run.event("output", { category: "stdout", output: "after\n" });
  run.event("exited", { exitCode: 0 });
  endSession(run);
  assert.equal(told(applied), "fixed");
  assert.deepEqual(applied.turn.reruns?.[0]?.output, { before: "before\n", after: "after\n" });
});

test("a fix that cannot be applied is not run", async (t) => {
  const applied = await answered(t);
  asking.documents.get(Uri.file("/w/shop.py").toString())!.text = "another\n";
  applied.host.onMessage({ type: "applyAndRerun", turnId: applied.turn.id, index: 0 });
  await settled();
  assert.equal(fake.executed.some(([name]) => name === "workbench.action.debug.restart"), false);
});
