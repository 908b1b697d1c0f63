import assert from "node:assert/strict";
import { beforeEach, test, type TestContext } from "node:test";
import { LineVerdicts } from "../../src/line/verdicts";
import { wordsOf } from "../../src/line/ghost";
import type { FakeSession } from "./fake/asking";
import { asks, ended, opened, settled, stopped } from "./fake/host";
import { resetFake } from "./fake/vscode";

beforeEach(resetFake);

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 15));
const cancels = (session: FakeSession): number => session.requests.filter(({ command }) => command === "cancel").length;

function watching(t: TestContext, isOn = (): boolean => true): LineVerdicts {
  const { host } = opened(t);
  const verdicts = new LineVerdicts(host.sessions, isOn, 1);
  t.after(() => {
    verdicts.dispose();
  });
  return verdicts;
}

test("a stop at an exception asks the offline analyst, once, and what it calls certain is told until the program goes on", async (t) => {
  const verdicts = watching(t);
  const session = stopped();
  await later();
  assert.deepEqual(asks(session), [{ question: "", offline: true, progress: false, threadId: 1 }]);
  session.event("askEnded", ended("dap-ai-ask-1", { gist: "`rows` is `[]`" }));
  assert.equal(verdicts.of("s1")?.gist, "`rows` is `[]`");
  session.event("continued");
  assert.equal(verdicts.of("s1"), undefined);
});

test("an answer that comes before the id of its question is not lost", async (t) => {
  const verdicts = watching(t);
  let respond: (body: unknown) => void = () => undefined;
  const session = stopped("s1", (command) => (command === "ask" ? new Promise((resolve) => (respond = resolve)) : undefined));
  await later();
  session.event("askEnded", ended("dap-ai-ask-9", { gist: "so" }));
  respond({ askId: "dap-ai-ask-9", conversationId: "c9" });
  await settled();
  assert.equal(verdicts.of("s1")?.gist, "so");
});

test("nothing is asked at a breakpoint, after a step, or where it is switched off", async (t) => {
  let isOn = true;
  watching(t, () => isOn);
  const session = stopped();
  session.stop("/w/shop.py", 6, "breakpoint");
  session.stop("/w/shop.py", 7, "step");
  await later();
  isOn = false;
  session.stop("/w/shop.py", 8);
  await later();
  assert.deepEqual(asks(session), []);
});

test("a program that goes on at once is never asked about, one that goes on later has it cancelled", async (t) => {
  watching(t);
  const session = stopped();
  session.event("continued");
  await later();
  assert.equal(asks(session).length, 0);
  session.stop("/w/shop.py", 9);
  await later();
  session.event("continued");
  assert.deepEqual([asks(session).length, cancels(session)], [1, 1]);
});

test("a question of the user's own ends it, and its answer is told instead", async (t) => {
  const verdicts = watching(t);
  const session = stopped();
  await later();
  verdicts.giveUp();
  assert.equal(cancels(session), 1);
  session.event("askEnded", ended("dap-ai-ask-1", { reason: "cancelled", gist: "half" }));
  assert.equal(verdicts.of("s1"), undefined);
  verdicts.answered("s1", ended("dap-ai-ask-2", { gist: "whole" }));
  assert.equal(verdicts.of("s1")?.gist, "whole");
});

test("the words at the line have no marks of code, and are few", () => {
  assert.equal(wordsOf(ended("1", { gist: "line 3: `a`\n is `None`" })), "line 3: a is None");
  assert.equal(wordsOf(ended("1", { gist: "x".repeat(300) })).length, 90);
  assert.equal(wordsOf(ended("1")), "");
});
