import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakeSession } from "./fake/asking";
import { asks, ended, opened, settled, stopped } from "./fake/host";
import { endSession, resetFake } from "./fake/vscode";

beforeEach(() => {
  resetFake();
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
