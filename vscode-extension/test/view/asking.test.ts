/** When a question can be asked, and what is said when none can. */

import assert from "node:assert/strict";

import type { Turn } from "../../src/shared/messages";
import { viewTest } from "./page";
import { RUNNING, STOPPED, finished, state, talk } from "./samples";

viewTest("a question that nothing can answer now stays where it is, and what to do stands below it", async (view) => {
  await view.post({ type: "state", state: state({ sessions: [] }) });
  const input = view.find(".composer textarea");
  await input.fill("why is it empty?");
  await input.press("Enter");
  assert.deepEqual(await view.sent(), []);
  assert.equal(await view.find(".composer .leaves").innerText(), "Start debugging, then ask.");
  await view.post({ type: "sessions", sessions: [STOPPED], sessionId: "s1" });
  await input.press("Enter");
  assert.deepEqual(await view.sent(), [{ type: "ask", question: "why is it empty?" }]);
});

viewTest("while a program runs, its own conversation can go on, and one whose session has ended; without either there is none", async (view) => {
  const input = view.find(".composer textarea");
  await view.post({ type: "state", state: { ...talk(finished()), sessions: [RUNNING] } });
  assert.equal(await input.getAttribute("placeholder"), "Ask about the conversation");
  await view.post({ type: "state", state: { ...talk(finished()), sessions: [{ id: "s2", name: "C: prices" }], sessionId: "s2" } });
  assert.equal(await input.getAttribute("placeholder"), "Ask about the conversation");
  await view.post({ type: "state", state: state({ sessions: [{ id: "s2", name: "C: prices" }], sessionId: "s2" }) });
  await input.fill("and now?");
  await input.press("Enter");
  assert.deepEqual(await view.sent(), []);
  assert.match(await view.find(".composer").innerText(), /The program runs: pause it/);
});

viewTest("what was asked while the program ran was asked at no earlier stop", async (view) => {
  const asked: Turn = { id: "t1", question: "what is total?", parts: [], error: "The program is running: pause it first, then ask." };
  await view.post({ type: "state", state: { ...talk(asked), sessions: [RUNNING] } });
  assert.equal(await view.find(".moved").isVisible(), false);
});
