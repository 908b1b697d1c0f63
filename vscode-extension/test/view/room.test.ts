/** A view of a few lines, and names that are longer than it is wide. */

import assert from "node:assert/strict";

import { viewTest } from "./page";
import { APPROVAL, FILE, STOPPED, SYMBOL, finished, state, talk, turn } from "./samples";

viewTest("a view of a few lines that is called for wants room; one that is wide is where the user has moved it", async (view) => {
  await view.post({ type: "state", state: state() }, { type: "focus" }, { type: "focus" });
  assert.deepEqual(await view.sent(), [{ type: "command", command: "makeRoom" }]);
  await view.page.setViewportSize({ width: 1000, height: 150 });
  await view.reload();
  await view.post({ type: "state", state: state() }, { type: "focus" });
  assert.deepEqual(await view.sent(), []);
}, { height: 150 });

viewTest("a long symbol of a native program is short in the middle, and whole in its tooltip", async (view) => {
  const stopped = { ...STOPPED, stop: { ...STOPPED.stop!, frame: SYMBOL } };
  const answer = `It is in \`${SYMBOL}\`, not in \`${"x".repeat(80)}\`.`;
  await view.post({ type: "state", state: { ...talk(finished({ answer, suspects: [{ file: FILE, line: 6, score: 1, reason: `calls \`${SYMBOL}\`` }] })), sessions: [stopped] } });
  assert.equal(await view.find(".stop-line code").textContent(), "std::__1::ba…signed long)");
  assert.equal(await view.find(".stop-line code").getAttribute("title"), SYMBOL);
  for (const code of [view.find(".markdown code").first(), view.find(".suspect code")]) {
    assert.match((await code.textContent()) ?? "", /^std::__1::basic_string<char, s…>>::operator\[\]\(unsigned long\)$/);
    assert.equal(await code.getAttribute("title"), SYMBOL);
  }
  assert.equal(await view.find(".markdown code").nth(1).innerText(), "x".repeat(80));
});

viewTest("a few lines of room are said to be too few, once for each question", async (view) => {
  await view.post({ type: "state", state: state() });
  await view.button("Why did it stop here?").click();
  await view.post({ type: "turn", conversationId: "c1", turn: turn() }, { type: "focus" }, { type: "focus" });
  assert.deepEqual(await view.sent(), [{ type: "ask", question: "" }, { type: "command", command: "makeRoom" }]);
}, { height: 150 });

viewTest("what is asked elsewhere needs no room in a view of a few lines, but consent does", async (view) => {
  await view.post({ type: "state", state: state() }, { type: "turn", conversationId: "c1", turn: turn() });
  assert.deepEqual(await view.sent(), []);
  await view.post({ type: "part", turnId: "t1", part: { kind: "approval", approval: APPROVAL } });
  assert.deepEqual(await view.sent(), [{ type: "command", command: "makeRoom" }]);
}, { height: 150 });
