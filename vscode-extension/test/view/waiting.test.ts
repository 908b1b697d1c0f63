/** What a person is told while an answer is made, and when it could not be. */

import assert from "node:assert/strict";

import { viewTest } from "./page";
import { APPROVAL, finished, step, talk, turn } from "./samples";

viewTest("an error stands once, and a key that is refused can be set there", async (view) => {
  const error = "https://api.test/v1 does not accept the key: set OPENAI_API_KEY to one of yours there.";
  const text = `**The model did not answer.** ${error}\n\nWithout it, the offline analyst says:\n\n`;
  const parts = [{ kind: "answer" as const, text }, { kind: "step" as const, step: step() }, { kind: "answer" as const, text: "By analysis." }];
  const ended = { reason: "failed" as const, answer: `${text}By analysis.`, error, trouble: "key" as const, suspects: [], fixes: [], evidence: [] };
  await view.post({ type: "state", state: talk(finished(ended, { parts })) });
  const shown = await view.find("article").innerText();
  assert.equal(shown.split("does not accept the key").length, 2, shown);
  assert.match(shown, /By analysis\./);
  await view.button("Set the key").click();
  assert.deepEqual(await view.sent(), [{ type: "setKey" }]);
});

viewTest("what is waited for is said, and for how many seconds", async (view) => {
  await view.page.clock.install();
  const answerer = { kind: "endpoint" as const, name: "qwen3", leaves: "It leaves." };
  await view.post({ type: "state", state: { ...talk(turn()), answerer } }, { type: "part", turnId: "t1", part: { kind: "status", text: "qwen3 answers" } });
  const line = view.find(".working");
  assert.equal((await line.innerText()).trim(), "Waiting for qwen3");
  await view.page.clock.runFor(12_000);
  assert.equal((await line.innerText()).trim(), "Waiting for qwen3 · 12 s");
  await view.post({ type: "part", turnId: "t1", part: { kind: "approval", approval: { ...APPROVAL, now: "[1, 2]" } } });
  assert.equal((await line.innerText()).trim(), "Waiting for your confirmation");
  assert.match(await view.find(".approval").innerText(), /Now it is\s+\[1, 2\]/);
}, { alone: true });
