/** The path of a value in the answer: cards that open their lines. */

import assert from "node:assert/strict";

import { viewTest, type View } from "./page";
import { FILE, FIXES, OFFLINE_USAGE, PATH, VERDICT_ANSWER, finished, talk } from "./samples";

const show = (view: View, path = PATH): Promise<void> =>
  view.post({ type: "state", state: talk(finished({ answer: VERDICT_ANSWER, usage: OFFLINE_USAGE, path })) });

viewTest("each value is a card with its expression and its line, a value under another name is not told again", async (view) => {
  await show(view);
  const cards = await view.find(".path-card").allInnerTexts();
  assert.deepEqual(cards.map((text) => text.split("\n").slice(0, 3)), [
    ["-962.28", "total", "report.py:29 main"],
    ["the same value", "net - abs(net) * rate * -1", "report.py:16 with_tax"],
    ["-1188", "net", "report.py:23 bill"],
    ["the same value", "reduced", "report.py:11 price"],
    ["10", "discount", "report.py:22 bill"],
    ["the same value", "DISCOUNTS[name]", "report.py:3"],
  ]);
});

viewTest("a click on a card opens its line, and so does Enter; arrow keys go along the path", async (view) => {
  await show(view);
  await view.find(".path-card").nth(2).click();
  await view.page.keyboard.press("ArrowRight");
  await view.page.keyboard.press("Enter");
  const opened = (await view.sent()).filter(({ type }) => type === "openLocation");
  assert.deepEqual(opened, [{ type: "openLocation", file: FILE, line: 23 }, { type: "openLocation", file: FILE, line: 11 }]);
});

viewTest("a screen reader hears how each value is known, and where the path begins", async (view) => {
  await show(view);
  const list = view.find(".value-path");
  assert.equal(await list.getByRole("listitem").count(), 6);
  const first = list.getByRole("button", { name: "total = -962.28, set at report.py:29 in main, its value was read from the stopped program" });
  assert.equal(await first.count(), 1);
  assert.equal(await list.getByRole("button", { name: /DISCOUNTS.*it begins here/ }).count(), 1);
});

viewTest("it stands below the verdict, and no card is wider than a narrow panel", async (view) => {
  await show(view, PATH.map((each) => ({ ...each, expression: each.expression.repeat(9), value: each.value.repeat(20) })));
  assert.equal(await view.find(".verdict-first .value-path").count(), 1);
  const widths = await view.find(".path-card").evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right - innerWidth));
  assert.ok(widths.every((over) => over <= 0), widths.join(" "));
}, { width: 220 });

viewTest("a verified fix is applied and run in one action, and what the program wrote is compared", async (view) => {
  await show(view);
  await view.find(".fix").first().getByRole("button", { name: /^Apply and Rerun/ }).click();
  const [asked] = (await view.sent()).filter(({ type }) => type === "applyAndRerun");
  assert.deepEqual(asked, { type: "applyAndRerun", turnId: "t1", index: 0 });
  await view.post({ type: "fix", turnId: "t1", index: 0, outcome: "applied" });
  const output = { before: "bob 47.5\nann 0\n", after: "bob 47.5\nann 118.8\ntotal 166.3\n" };
  await view.post({ type: "rerun", turnId: "t1", index: 0, rerun: { state: "fixed", text: "Fixed: it ran to its end.", output } });
  assert.deepEqual((await view.find(".fix-output .diff-line").allInnerTexts()).map((line) => line.trim()), ["bob 47.5", "-ann 0", "+ann 118.8", "+total 166.3"]);
  assert.match(await view.find(".fix-note").first().innerText(), /^Fixed/);
});

viewTest("a fix that was not verified has no such action", async (view) => {
  await view.post({ type: "state", state: talk(finished({ answer: VERDICT_ANSWER, fixes: [{ ...FIXES[0]!, verified: false }] })) });
  assert.equal(await view.find(".fix").first().getByRole("button", { name: /^Apply and Rerun/ }).count(), 0);
});

viewTest("an answer without a path, or with one step only, has no picture", async (view) => {
  await show(view, PATH.slice(0, 1));
  assert.equal(await view.find(".value-path").count(), 0);
});
