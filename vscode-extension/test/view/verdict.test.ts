/** An answer that begins with one sentence: verdict, fix, evidence, and the rest folded. */

import assert from "node:assert/strict";

import { viewTest, type View } from "./page";
import { FIXES, OFFLINE_USAGE, STEPS, VERDICT, VERDICT_ANSWER, ended, finished, talk, turn } from "./samples";

/** The tops of what is in sight, in order. */
function order(view: View): Promise<string[]> {
  return view.page.evaluate(() => {
    const parts = { verdict: ".verdict-first p", fix: ".fix", evidence: ".row.evidence", steps: ".steps", details: ".rest > summary", suspects: ".row.suspect", code: ".rest pre" };
    const tops = Object.entries(parts).flatMap(([name, selector]) => {
      const element = document.querySelector(selector);
      return element?.checkVisibility() ? [[name, element.getBoundingClientRect().top] as const] : [];
    });
    return tops.sort(([, one], [, other]) => one - other).map(([name]) => name);
  });
}

for (const place of ["panel", "tab"] as const) {
  viewTest(`in a ${place} the verdict is the first line, then the fix, then the evidence; all else is folded`, async (view) => {
    await view.post({ type: "state", state: talk(finished({ answer: VERDICT_ANSWER, usage: OFFLINE_USAGE })) });
    assert.deepEqual(await order(view), ["verdict", "fix", "evidence", "steps", "details"]);
    assert.equal(await view.find(".verdict-first p").first().innerText(), VERDICT.replaceAll("`", ""));
    assert.equal(await view.find(".fix").first().getByRole("button", { name: /^Apply fix/ }).isVisible(), true);
    await view.find(".rest > summary").click();
    assert.ok((await order(view)).includes("code"));
    assert.match(await view.find(".rest").innerText(), /What happened[\s\S]*Root cause[\s\S]*Recommendation/);
  }, { place, width: place === "tab" ? 900 : 340, height: 900 });
}

viewTest("a fix that the answer does not show stands below the verdict, too, and a second one is folded", async (view) => {
  await view.post({ type: "state", state: talk(finished({ answer: `${VERDICT}\n\nNo diff here.`, fixes: FIXES })) });
  assert.deepEqual((await order(view)).slice(0, 3), ["verdict", "fix", "evidence"]);
  assert.deepEqual(await view.find(".fix").evaluateAll((all) => all.map((each) => each.checkVisibility())), [true, false]);
  assert.match(await view.find(".parts").innerText(), /No diff here/);
});

viewTest("the folded rest begins with its first words, with a space between paragraphs and between the items of a list", async (view) => {
  const rest = `From before, about \`shop.py:5\`:\n\nIt was \`2\`.\n\n- one\n- two\n\n${"And so it was. ".repeat(12)}`;
  await view.post({ type: "state", state: talk(finished({ answer: `${VERDICT}\n\n${rest}`, fixes: [] })) });
  assert.match(await view.find(".rest .preview").innerText(), /^From before, about shop\.py:5: It was 2\. one two And so/);
});

viewTest("what somebody reads while the answer ends stays where it is", async (view) => {
  const steps = STEPS.map((each) => ({ kind: "step" as const, step: each }));
  await view.post({ type: "state", state: talk(turn({ parts: [...steps, { kind: "answer", text: VERDICT_ANSWER }] })) });
  await view.find(".scroller").hover();
  await view.page.mouse.wheel(0, -200);
  await view.page.waitForFunction(() => (document.querySelector(".scroller")?.scrollTop ?? 0) >= 0);
  await view.page.waitForTimeout(100); // the wheel scrolls in a frame of its own
  await view.page.mouse.wheel(0, 120);
  await view.page.waitForTimeout(100);
  await view.post({ type: "ended", turnId: "t1", ended: ended({ answer: VERDICT_ANSWER }) });
  assert.equal(await view.find(".rest").count(), 0);
}, { height: 400 });
