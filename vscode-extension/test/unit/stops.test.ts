import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Causes, type Cause } from "../../src/stops/causes";
import { foundIn, Timeline } from "../../src/stops/timeline";
import type { Turn } from "../../src/shared/messages";
import type { Stop, Tracked } from "../../src/sessions/tracker";
import { ended } from "./fake/host";

const CAUSE: Cause = { at: 1000, type: "TypeError", file: "/w/pay.py", line: 17, reason: "`x` stays text", found: "x stays text." };

function causes(t: TestContext, isOn = (): boolean => true): { folder: string; history: Causes } {
  const folder = mkdtempSync(join(tmpdir(), "dap-ai-causes-"));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  return { folder, history: new Causes(join(folder, "storage"), isOn) };
}

const stop = (line: number, reason = "exception"): Stop =>
  ({ reason, cause: "TypeError: secret-in-the-message", top: { frameId: 1, frame: "f", file: "/w/pay.py", line }, frames: new Map() });
const at = (where: Stop | undefined, id = "s1"): Tracked[] =>
  [{ session: { id, name: "pay" }, output: "", consoleQuestions: new Map(), ...(where ? { stop: where } : {}) } as unknown as Tracked];
const turn = (id: string): Turn => ({ id, question: "why?", parts: [], stop: { reason: "exception" } });

test("a cause that comes again is known from the file, which only the user can read", async (t) => {
  const { folder, history } = causes(t);
  await history.add(CAUSE);
  const again = new Causes(join(folder, "storage"), () => true);
  assert.deepEqual(await again.before({ ...CAUSE, at: 2000, line: 19 }), CAUSE);
  assert.equal(await again.before({ ...CAUSE, at: 2000, reason: "another" }), undefined);
  assert.equal(await again.before(CAUSE), undefined);
  if (process.platform !== "win32") assert.equal(statSync(join(folder, "storage", "causes.json")).mode & 0o777, 0o600);
});

test("switched off, nothing is kept and nothing is told; emptied, the file is gone", async (t) => {
  let isOn = true;
  const { folder, history } = causes(t, () => isOn);
  await history.add(CAUSE);
  isOn = false;
  await history.add({ ...CAUSE, at: 3000 });
  assert.deepEqual(await history.all(), []);
  isOn = true;
  assert.equal((await history.all()).length, 1);
  await history.empty();
  assert.deepEqual(await history.all(), []);
  assert.throws(() => statSync(join(folder, "storage", "causes.json")));
});

test("a file that is broken is no history, and does not stop another from being kept", async (t) => {
  const { folder, history } = causes(t);
  await history.add(CAUSE);
  const file = join(folder, "storage", "causes.json");
  (await import("node:fs")).writeFileSync(file, '[{"at": "x"}, 3');
  await history.add({ ...CAUSE, at: 2000 });
  assert.equal((await history.all()).length, 1);
});

test("each stop has what was asked and found there; a step that nothing was asked after is not kept", () => {
  const timeline = new Timeline();
  timeline.look(at(stop(2, "breakpoint")));
  assert.equal(timeline.look(at(stop(3, "step"))), true);
  timeline.look(at(stop(4, "step")));
  const failed = stop(5);
  timeline.look(at(failed));
  assert.equal(timeline.look(at(failed)), false);
  timeline.hear({ type: "turn", conversationId: "c", turn: turn("t1") }, () => "s1");
  const suspects = [{ file: "/w/pay.py", line: 17, score: 1, reason: "`x` stays text" }];
  const row = timeline.hear({ type: "ended", turnId: "t1", ended: ended("a", { answer: "`x` stays **text**.\n\nMore.", suspects }) }, () => undefined, 9);
  assert.deepEqual(timeline.rows.map(({ line, asked }) => [line, asked.map(({ found }) => found)]), [[2, []], [5, ["x stays text."]]]);
  assert.deepEqual(row?.named, { at: 9, type: "TypeError", file: "/w/pay.py", line: 17, reason: "`x` stays text", found: "x stays text." });
  timeline.hear({ type: "rerun", turnId: "t1", index: 0, rerun: { state: "fixed", text: "Fixed: so." } }, () => undefined);
  assert.deepEqual([row.named.isFixed, row.asked[0]?.rerun], [true, "Fixed: so."]);
});

test("what is kept holds no message of the program's, and no question", async (t) => {
  const { folder, history } = causes(t);
  const timeline = new Timeline();
  timeline.look(at(stop(5)));
  timeline.hear({ type: "turn", conversationId: "c", turn: { ...turn("t1"), question: "is my-token right?" } }, () => "s1");
  const suspects = [{ file: "/w/pay.py", line: 17, score: 1, reason: "it is `<secret:3f2a>`" }];
  const row = timeline.hear({ type: "ended", turnId: "t1", ended: ended("a", { suspects }) }, () => undefined);
  await history.add(row!.named!);
  assert.doesNotMatch(readFileSync(join(folder, "storage", "causes.json"), "utf8"), /secret-in-the-message|my-token/);
});

test("an answer that failed tells why", () => {
  assert.equal(foundIn(ended("a", { reason: "failed", answer: "", error: "No key." })), "No key.");
  assert.equal(foundIn(ended("a", { reason: "cancelled", answer: "half" })), "cancelled");
});
