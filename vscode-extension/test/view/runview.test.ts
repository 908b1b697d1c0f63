/** The view of a run: strip, conversation, inspector, pages; by mouse, by keyboard, at any length. */

import assert from "node:assert/strict";

import { clipped } from "../clipped.mjs";
import { viewTest, type Options, type View } from "./page";
import { HOSTILE, events, long, runOf, shop, team } from "./runSamples";
import { broken, faint } from "./structure";
import type { ThemeName } from "./themes";
import type { Abilities, GalleryRow, RunHostMessage } from "../../src/shared/runMessages";
import type { RunView } from "../../src/shared/runView";

const WIDE: Options = { place: "run", width: 1200, height: 800 };
const DEBUGGER: Abilities = { goTo: true, open: true };
const show = (view: View, run: RunView, can: Abilities = {}): Promise<void> => view.post({ type: "run", run, can });
const rows = (view: View) => view.find("article.row");
const chosen = (view: View): Promise<string> => view.find(".inspected .place").innerText();

viewTest("an answer stands beside its call and result in one row, with what it cost and how it came out", async (view) => {
  await show(view, shop());
  const second = rows(view).filter({ hasText: "run the tests" });
  assert.equal(await rows(view).count(), 10);
  assert.match(await second.innerText(), /1\.5k→40[\s\S]*verify[\s\S]*pytest -q[\s\S]*✗ failed: 1 failed/);
  assert.match(await view.find("header").first().innerText(), /Fix total\(\)\.\s*failed[\s\S]*4 steps · 16 events · 2,570 tokens · \$0\.03/);
}, WIDE);

viewTest("a row opens and folds, and what a run says stays text", async (view) => {
  await show(view, shop());
  const row = rows(view).filter({ hasText: "change it" });
  await row.getByRole("button", { name: "Unfold" }).click();
  assert.match(await row.locator(".body").innerText(), /I change it\. <\/script><img src=x/);
  assert.deepEqual(await row.locator("ins, del").allInnerTexts(), ["-return 1\n", "+return 2\n"]);
  assert.equal(await view.find("img").count(), 0);
  await row.getByRole("button", { name: "Fold" }).click();
  assert.equal(await row.locator(".body").count(), 0);
}, WIDE);

viewTest("a query shows what it has more than the one before", async (view) => {
  await show(view, shop());
  const row = rows(view).filter({ hasText: "query 2" });
  assert.match(await row.innerText(), /\+3 messages · 1\.5k tokens \(\+500\)/);
  await row.getByRole("button", { name: "Unfold" }).click();
  assert.deepEqual((await row.locator(".message summary").allInnerTexts()).map((each) => each.slice(0, 14)), ["+ response: I ", "+ 1 call bash:", "+ 1 result bas"]);
}, WIDE);

viewTest("queries that say their messages are compared line by line", async (view) => {
  await show(view, runOf(events({ kind: "query", cycle: 1, text: "system: fix\nuser: a" }, { kind: "query", cycle: 2, text: "system: mend\nuser: a\nuser: b" })));
  const row = rows(view).nth(1);
  await row.getByRole("button", { name: "Unfold" }).click();
  assert.deepEqual((await row.locator("ins, del").allInnerTexts()).map((each) => each.trim()), ["-system: fix", "+system: mend", "+user: b"]);
}, WIDE);

viewTest("rows are found by words, expressions, effect and status, and Escape shows all again", async (view) => {
  await show(view, shop());
  const search = view.page.getByRole("searchbox");
  const found = async (): Promise<string> => (await view.find(".count").innerText()).trim();
  await view.page.keyboard.press("/");
  await search.fill("PYTEST");
  await rows(view).nth(1).waitFor({ state: "detached" });
  assert.equal(await found(), "1 of 10 rows");
  await search.fill("/cat|edited/");
  await rows(view).nth(1).waitFor();
  assert.equal(await found(), "2 of 10 rows");
  await search.press("Escape");
  await rows(view).nth(9).waitFor();
  await view.page.getByRole("button", { name: "verify 1" }).click();
  assert.equal(await found(), "1 of 10 rows");
  await view.page.getByRole("button", { name: "verify 1" }).click();
  await view.page.getByLabel("Status").selectOption("flagged");
  assert.match(await rows(view).innerText(), /onset[\s\S]*never-verified/);
}, WIDE);

viewTest("the conversation is walked by keys, and what is chosen is inspected", async (view) => {
  await show(view, shop());
  await view.page.keyboard.press("j");
  await view.page.keyboard.press("ArrowDown");
  assert.equal(await view.find(".inspected h2").innerText(), "response");
  await view.page.keyboard.press("ArrowRight");
  assert.equal(await view.find(".inspected h2").innerText(), "step 2 · call · bash");
  await view.page.keyboard.press("Enter");
  assert.equal(await view.find("article.row:focus").getAttribute("aria-label"), "Step 2, verify, run the tests, bash pytest -q, failed: 1 failed, failed");
  assert.equal(await view.find("article.row:focus .body").count(), 1);
}, WIDE);

viewTest("the strip is a slider that says each event, zooms, and moves the debugger", async (view) => {
  await show(view, shop(), DEBUGGER);
  const strip = view.page.getByRole("slider");
  await strip.focus();
  await strip.press("End");
  assert.equal(await strip.getAttribute("aria-valuetext"), "end: submitted");
  for (let times = 0; times < 7; times++) await strip.press("ArrowLeft");
  assert.match((await strip.getAttribute("aria-valuetext")) ?? "", /^2 result: 1 failed in 0\.1s {2}\[failed\] \[inspection, steps 1-2\]/);
  await strip.press("Enter");
  const { width, height } = (await strip.boundingBox())!;
  await strip.click({ position: { x: (3.5 / 16) * width, y: height - 10 } });
  assert.deepEqual(await view.sentOfRun(), [{ type: "goTo", index: 8 }, { type: "goTo", index: 3 }]);
  await strip.press("+");
  await strip.click({ position: { x: 2, y: height - 10 } });
  const [sent] = await view.sentOfRun();
  assert.ok(sent?.type === "goTo" && sent.index > 0, "after zooming in, the run's first event is out of sight");
}, WIDE);

viewTest("where the debugger stands is marked and followed, also past a filter", async (view) => {
  await show(view, long(5000), DEBUGGER);
  await view.page.getByRole("searchbox").fill("Cycle 7:");
  await view.find(".count").filter({ hasText: "1 of" }).waitFor();
  await view.post({ type: "standing", standing: { index: 4403, isHeld: false }, can: DEBUGGER });
  const row = view.find("article.row.standing");
  assert.match(await row.innerText(), /1101/);
  assert.equal(await row.getAttribute("aria-current"), "step");
  const [box, list] = [(await row.boundingBox())!, (await view.find(".list").boundingBox())!];
  assert.ok(box.y >= list.y && box.y + box.height <= list.y + list.height, "it is in sight");
}, WIDE);

viewTest("of 5,000 events only those in sight are elements, and the last is reached", async (view) => {
  await show(view, long(5000));
  assert.ok((await rows(view).count()) < 80);
  await view.find(".list").evaluate((list) => { list.scrollTop = list.scrollHeight; });
  await rows(view).filter({ hasText: "orders 1250" }).waitFor();
  assert.ok((await rows(view).count()) < 80);
  await view.button("Open all").click();
  await view.find(".list").evaluate((list) => { list.scrollTop = list.scrollHeight / 2; });
  await view.find("article.row.open .body").first().waitFor();
  assert.ok((await rows(view).count()) < 80);
}, WIDE);

viewTest("an event is shown as text, tree and as it is recorded, and beside another one", async (view) => {
  await show(view, shop());
  await rows(view).filter({ hasText: "run the tests" }).locator(".came").click();
  const tab = (name: string): Promise<void> => view.page.getByRole("tab", { name, exact: true }).click();
  await tab("Tree");
  assert.match(await view.find(".panel").innerText(), /exit_code: 1/);
  await tab("Raw");
  assert.match(await view.find(".panel").innerText(), /"place": "run\.jsonl:9"/);
  await tab("Compare");
  assert.deepEqual(await view.find(".columns .cell").allInnerTexts(), ["event 5 · step 1 · result", "event 9 · step 2 · result", "def total(items):", "1 failed in 0.1s", "    return 1", ""]);
  await view.page.getByRole("spinbutton").fill("1");
  await view.page.keyboard.press("Enter");
  assert.equal(await view.find(".columns .cell").first().innerText(), "event 1 · task");
}, WIDE);

viewTest("what is held is edited in place; what may hold hidden characters is not", async (view) => {
  await show(view, shop(), DEBUGGER);
  await view.post({ type: "standing", standing: { index: 7, isHeld: true }, can: DEBUGGER });
  const area = view.page.getByRole("textbox", { name: "args.command" });
  assert.equal(await view.button("Apply").isDisabled(), true);
  await area.fill("pytest -x");
  await view.button("Apply").click();
  assert.deepEqual(await view.sentOfRun(), [{ type: "edit", index: 7, name: "args.command", value: "pytest -x" }]);
  await view.post({ type: "edited", index: 7, name: "args.command", value: "pytest -x" });
  await view.post({ type: "standing", standing: { index: 7, isHeld: true }, can: DEBUGGER });
  assert.equal(await area.inputValue(), "pytest -x", "the recording has the old one until the agent goes on");
  const run = shop();
  run.events[8]!.text = "red \\x1b[31m";
  await show(view, run, DEBUGGER);
  await view.post({ type: "standing", standing: { index: 8, isHeld: true }, can: DEBUGGER });
  assert.equal(await view.page.getByRole("textbox", { name: "text" }).isEditable(), false);
}, WIDE);

viewTest("a text that is only begun is asked for, and replaced", async (view) => {
  const run = shop();
  Object.assign(run.events[4]!, { text: "def", chars: 5000 });
  await show(view, run, DEBUGGER);
  await rows(view).filter({ hasText: "look first" }).locator(".came").click();
  assert.deepEqual(await view.sentOfRun(), [{ type: "whole", index: 4 }]);
  await view.post({ type: "event", event: { ...run.events[4]!, text: "all of it", chars: 0 } });
  assert.equal(await view.find(".panel").innerText(), "all of it");
}, WIDE);

viewTest("a run that grows keeps what is open and chosen", async (view) => {
  const whole = shop();
  await show(view, { ...whole, events: whole.events.slice(0, 9), total: 9, known: "the run so far" });
  await rows(view).filter({ hasText: "run the tests" }).getByRole("button", { name: "Unfold" }).click();
  await rows(view).filter({ hasText: "run the tests" }).locator(".said").first().click();
  await show(view, { ...whole, first: 7, events: whole.events.slice(7) });
  assert.equal(await rows(view).count(), 10);
  assert.equal(await rows(view).filter({ hasText: "run the tests" }).locator(".body").count(), 1);
  assert.match(await chosen(view), /^event 7 of 16/);
}, WIDE);

viewTest("the steps that an answer rests on are marked", async (view) => {
  await show(view, shop(), DEBUGGER);
  await view.post({ type: "cited", steps: [2], words: "The check at step 2 failed." });
  assert.equal(await rows(view).filter({ hasText: "run the tests" }).locator(".flag.cited").getAttribute("title"), "The check at step 2 failed.");
  await view.page.getByRole("tab", { name: "Findings (2)" }).click();
  assert.match(await view.find(".page").innerText(), /rests on\s*The check at step 2 failed\.\s*step 2/);
}, WIDE);

viewTest("the findings lead to their steps, and changes to their diffs", async (view) => {
  await show(view, shop(), DEBUGGER);
  await view.page.getByRole("tab", { name: "Findings (2)" }).click();
  assert.match(await view.find(".page").innerText(), /Step 3 changed total\(\) wrongly[\s\S]*confidence 60 %[\s\S]*never-verified[\s\S]*line 12 is no JSON/);
  await view.page.getByRole("button", { name: "step 3", exact: true }).first().click();
  assert.match(await chosen(view), /^event 12 of 16/);
  await view.page.getByRole("tab", { name: "Changes (1)" }).click();
  await view.page.getByRole("button", { name: "Open the diff" }).click();
  await view.page.getByRole("button", { name: "Restore to compare..." }).click();
  assert.deepEqual(await view.sentOfRun(), [{ type: "openChange", index: 13 }, { type: "restore", index: 13 }]);
}, WIDE);

viewTest("agents are lanes: a click in one finds its own event", async (view) => {
  await show(view, team(), DEBUGGER);
  assert.deepEqual(await view.find(".lanes > div").allInnerTexts(), ["main", "reviewer"]);
  const { width } = (await view.page.getByRole("slider").boundingBox())!;
  await view.page.getByRole("slider").click({ position: { x: (4.5 / 7) * width, y: 18 + 26 + 10 } });
  assert.match(await view.find(".inspected").innerText(), /step 2 · call · bash[\s\S]*reviewer/);
}, WIDE);

const ROW: GalleryRow = { path: "/store/a", format: "dap-ai-recording 1", agent: "main", model: "gpt-x", task: `Fix it ${HOSTILE}`, steps: 3, outcome: "failed", cost_usd: 0.2, seconds: 9, problems: [] };
const GALLERY: RunHostMessage = { type: "gallery", place: "/store", isStore: true, isWhole: true, rows: [ROW, { ...ROW, path: "/store/b", steps: 12, cost_usd: null, outcome: "solved" }, { ...ROW, path: "/store/broken", steps: 0, task: "", problems: ["cannot be read"] }] };

viewTest("the gallery sorts, compares two, and renames and deletes only what is in the store", async (view) => {
  await view.post(GALLERY);
  const names = (): Promise<string[]> => view.find(".c-name .link").allInnerTexts();
  assert.deepEqual(await names(), ["a", "b", "broken"]);
  await view.button("Steps").click();
  await view.button("Steps ↑").click();
  assert.deepEqual(await names(), ["b", "a", "broken"]);
  assert.match(await view.find("tr").filter({ hasText: "broken" }).innerText(), /cannot be read/);
  assert.equal(await view.button("Compare the two").isDisabled(), true);
  for (const name of ["a", "b"]) await view.page.getByLabel(`Choose ${name} to compare`).check();
  await view.button("Compare the two").click();
  await view.button("Delete: a").click();
  assert.deepEqual(await view.sentOfRun(), [{ type: "gallery", action: "compare", paths: ["/store/a", "/store/b"] }, { type: "gallery", action: "delete", paths: ["/store/a"] }]);
  await view.post({ ...GALLERY, isStore: false, place: "/elsewhere" });
  assert.equal(await view.button("Delete: a").count(), 0);
}, WIDE);

viewTest("two runs stand side by side from the first change that differs", async (view) => {
  const [one, other] = [shop(), shop()];
  other.name = "better.json";
  await view.post({ type: "both", both: { runs: [one, other], same_task: true, differs: { step: 3, other: 3, same: 0, text: "Both change shop.py, differently", diff: ["-return 2", "+return 3"] } } });
  assert.match(await view.find(".differs").innerText(), /0 changes alike, then: Both change shop\.py, differently \(first: step 3, second: step 3\)/);
  assert.equal(await view.find(".half.differing").count(), 2);
  await view.find(".half.differing").first().click();
  assert.equal(await view.find("article.row.open ins").count(), 2);
}, WIDE);

// -- rules for every state ---------------------------------------------------------------------------------------------

const SCENES: Record<string, (view: View) => Promise<void>> = {
  "a run": async (view) => {
    await show(view, shop(), DEBUGGER);
    await view.post({ type: "standing", standing: { index: 8, isHeld: true }, can: DEBUGGER });
    await view.button("Open all").click();
  },
  "agents": async (view) => {
    await show(view, team());
    await view.find(".row .tools").first().click();
    await view.page.getByRole("tab", { name: "Compare" }).click();
  },
  "findings": async (view) => {
    await show(view, shop(), DEBUGGER);
    await view.page.getByRole("tab", { name: /^Findings/ }).click();
  },
  "changes": async (view) => {
    await show(view, shop(), DEBUGGER);
    await view.page.getByRole("tab", { name: /^Changes/ }).click();
  },
  "gallery": (view) => view.post(GALLERY),
};

viewTest("every state keeps the rules of structure", async (view) => {
  for (const [name, scene] of Object.entries(SCENES)) {
    await view.reload();
    await scene(view);
    assert.deepEqual(await broken(view, ...(name === "gallery" ? [] : ["main"])), [], name);
  }
}, WIDE);

for (const [width, height] of [[300, 600], [600, 400]] as const) {
  viewTest(`in ${width} by ${height} pixels, a narrow panel or a zoom of 200 %, nothing is clipped`, async (view) => {
    for (const [name, scene] of Object.entries(SCENES)) {
      await view.reload();
      await scene(view);
      assert.deepEqual(await view.page.evaluate(clipped), [], name);
    }
  }, { place: "run", width, height });
}

for (const theme of ["light", "dark", "contrast"] as ThemeName[]) {
  viewTest(`every text of a run can be read in the theme ${theme}`, async (view) => {
    for (const [name, scene] of Object.entries(SCENES)) {
      await view.reload();
      await scene(view);
      assert.deepEqual(await faint(view), [], name);
    }
  }, { ...WIDE, theme });
}
