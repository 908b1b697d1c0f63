/** What a finished answer rests on folds away; what it comes to is in sight. */

import assert from "node:assert/strict";

import { viewTest } from "./page";
import { ANSWER, OFFLINE_ANSWER, OFFLINE_USAGE, ended, finished, talk, turn } from "./samples";

const offline = finished({ answer: OFFLINE_ANSWER, usage: OFFLINE_USAGE });

viewTest("long lists of the offline analyst are folded to their heading and first words, code and fixes are not", async (view) => {
  await view.post({ type: "state", state: talk(offline) });
  assert.deepEqual(await view.find(".part:not([open]) > summary").allInnerTexts(), [
    "Why\nBack from the failing line: resampling.py:30 in main sets low: low, high = interval(estimates, level=0.95) (low is now 6…",
    "Run again\nIn a copy of the process, the call at resampling.py:36 fails the same way.",
  ]);
  const text = await view.find(".markdown").innerText();
  assert.match(text, /Root cause\.[\s\S]*15\s+estimates\.append[\s\S]*Fix 1/);
  assert.ok(!text.includes("The calls in it"));
});

viewTest("the last part, which is what the answer comes to, is not folded", async (view) => {
  const list = "- `shop.py:18` in `bill` sets `cost`. ".repeat(2) + `\n\n${"1. `main`, at `report.py:18`.\n".repeat(8)}`;
  const answer = `**Why.** Back from the line:\n\n${list}\n\n**Recommendation.** Next steps:\n\n${list}`;
  await view.post({ type: "state", state: talk(finished({ answer, usage: OFFLINE_USAGE })) });
  assert.deepEqual(await view.find(".part h3").allInnerTexts(), ["Why"]);
  assert.equal(await view.find("strong[role=heading]").innerText(), "Recommendation.");
});

viewTest("what became of a fix is told once, in its card", async (view) => {
  const fix = { file: "report.py", diff: "--- a/report.py\n+++ b/report.py\n@@ -6 +6 @@\n-a\n+b\n", verified: true, result: "it passes", check: "`f()`" };
  const answer = `**Fix.** Change it.\n\n\`\`\`diff\n${fix.diff}\`\`\`\n\nVerified in a snapshot: it passes (\`f()\`).\n\nMore.`;
  await view.post({ type: "state", state: talk(finished({ answer, fixes: [fix] })) });
  assert.equal((await view.find("article.turn").innerText()).split("Verified in a snapshot").length, 2);
  assert.equal(await view.find(".markdown").getByText("More.").count(), 1);
});

viewTest("a part that was opened stays open over a reload, and shows its words once", async (view) => {
  await view.post({ type: "state", state: talk(offline) });
  await view.find(".part > summary").nth(1).click();
  await view.page.getByText("The calls in it").waitFor();
  await view.reload();
  await view.post({ type: "state", state: talk(offline) });
  const part = view.find(".part").nth(1);
  assert.equal((await part.innerText()).split("fails the same way").length, 2);
  await part.getByRole("link", { name: "resampling.py:36" }).click();
  assert.deepEqual(await view.sent(), [{ type: "openLocation", file: "resampling.py", line: 36 }]);
});

viewTest("a model's answer folds only by hand, whether its headings are bold words or headings", async (view) => {
  const lists = ANSWER.replace("**Recommendation.**", `## Who calls it\n\n- ${"`main`, at `report.py:18`. ".repeat(8)}\n\n**Recommendation.**`);
  await view.post({ type: "state", state: talk(finished({ answer: lists })) });
  assert.deepEqual(await view.find(".part[open] > summary").allInnerTexts(), ["Why", "Who calls it"]);
  await view.find(".part > summary").last().click();
  assert.equal(await view.find(".part[open]").count(), 1);
});

viewTest("an answer that is held at its question folds as soon as it has ended", async (view) => {
  await view.post({ type: "state", state: talk(turn()) }, { type: "part", turnId: "t1", part: { kind: "answer", text: OFFLINE_ANSWER } });
  assert.equal(await view.find(".part").count(), 0);
  await view.post({ type: "ended", turnId: "t1", ended: ended({ answer: OFFLINE_ANSWER, usage: OFFLINE_USAGE }) });
  assert.equal(await view.find(".part:not([open])").count(), 2);
});

viewTest("nothing is folded under the eyes of a user who reads while the answer is made", async (view) => {
  await view.post({ type: "state", state: talk(turn()) }, { type: "part", turnId: "t1", part: { kind: "answer", text: OFFLINE_ANSWER } });
  await view.find(".markdown").getByText("heuristic").waitFor();
  await view.find(".scroller").evaluate((scroller) => {
    scroller.scrollTop = 150;
    return new Promise((resolve) => requestAnimationFrame(resolve));
  });
  await view.post({ type: "ended", turnId: "t1", ended: ended({ answer: OFFLINE_ANSWER, usage: OFFLINE_USAGE }) });
  assert.equal(await view.find(".part[open]").count(), 2);
}, { height: 320 });

viewTest("a view of a few lines shows the line and the way to its fix instead of the beginning of the answer", async (view) => {
  await view.post({ type: "state", state: talk(turn()) }, { type: "ended", turnId: "t1", ended: ended({ answer: OFFLINE_ANSWER, usage: OFFLINE_USAGE }) });
  const gist = view.find(".gist");
  assert.match(await gist.innerText(), /^report\.py:6 the failing check passes with >= here/);
  const { top, bottom } = await gist.evaluate((element) => element.getBoundingClientRect());
  assert.ok(top > 0 && bottom < 100, `${top} to ${bottom}`);
  await gist.getByRole("button", { name: "Show fix" }).click();
  assert.equal(await view.button(/Preview fix 1/).evaluate((element) => element === document.activeElement), true);
}, { height: 150 });

viewTest("where there is room the answer says it itself", async (view) => {
  await view.post({ type: "state", state: talk(offline) });
  assert.equal(await view.find(".gist").isVisible(), false);
});
