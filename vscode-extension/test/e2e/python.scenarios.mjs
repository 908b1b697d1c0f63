// A Python program stops at an exception: the ways to ask, and what an answer leads to.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { CART, FEED, SHARE, TEST_CART } from "./programs.mjs";
import { clipped } from "../clipped.mjs";
import { picture, scenario, wear, world } from "./world.mjs";

const MEGABYTE = 1024 * 1024;

test("the packed extension is smaller than a megabyte", (context) => {
  const { size } = statSync(world.server.vsix[0]);
  context.diagnostic(`dap-ai.vsix: ${Math.round(size / 1024)} KB`);
  assert.ok(size < MEGABYTE, `${size} bytes`);
});

scenario("Why? above the stopped line asks; a view that is too low to read moves to the secondary side bar once, and the editor stays whole", { fresh: true }, async (workbench, server) => {
  const { page, panel } = workbench;
  server.file("share.py", SHARE);
  await workbench.debug("share");
  await page.locator(".codelens-decoration a", { hasText: "Why?" }).click();
  await page.locator(".part.auxiliarybar .pane-header[aria-label=\"Ask Section\"]").waitFor({ state: "attached" });
  assert.match(await panel.answered(), /share\.py:2/);
  assert.ok((await (await panel.frame()).evaluate(() => globalThis.innerHeight)) > 400);
  assert.equal(await page.locator(".editor-group-container").count(), 1);
  await picture(workbench, "room");
  // Whoever moves it back has said where it is to be.
  await workbench.command("View: Reset View Locations");
  await page.locator('.part.sidebar .pane-header[aria-label="Ask Section"]').waitFor();
  await workbench.command("dap-ai: Show Answers");
  assert.match(await panel.answered(), /share\.py:2/);
  assert.equal(await page.locator('.part.sidebar .pane-header[aria-label="Ask Section"]').isVisible(), true);
});

scenario("the panel answers why the program stopped: steps open, places lead to their lines", {}, async (workbench, server) => {
  const { panel } = workbench;
  server.file("share.py", SHARE);
  await workbench.debug("share");
  await workbench.showPanel();
  await (await panel.locator(".ask-why")).waitFor();
  await picture(workbench, "stopped");
  await (await panel.locator(".ask-why")).click();
  assert.match(await panel.answered(), /share\.py:2/);
  await picture(workbench, "answer");
  const step = await panel.locator("details.step");
  await (await panel.openSteps()).first().click();
  await step.first().locator(".step-full").first().waitFor();
  await picture(workbench, "step");
  await panel.openDetails();
  await (await panel.locator('main [title^="Open share.py:7"]')).filter({ visible: true }).first().click(); // not one in a folded part
  await workbench.atLine(7);
});

scenario("Step Back shows the program a line ago, in a copy; Continue returns to the present, and it fails where it has failed", {}, async (workbench, server) => {
  const { page } = workbench;
  server.file("share.py", SHARE);
  await workbench.debug("share");
  await workbench.showPanel();
  const back = page.locator('.debug-toolbar a.action-label[aria-label^="Step Back"]');
  await back.click();
  await workbench.console("A moment in the past, in a copy of the program");
  await page.locator(".exception-widget").waitFor({ state: "hidden" });
  await back.click();
  await workbench.atLine(7);
  await workbench.openVariable("bill");
  await picture(workbench, "past");
  await page.keyboard.press("F11"); // into the call
  await workbench.atLine(2);
  await workbench.openVariable("people");
  await workbench.type("total * 2");
  await workbench.console("84");
  await page.keyboard.press("F5");
  await page.locator(".exception-widget", { hasText: "division by zero" }).waitFor();
  await picture(workbench, "present");
});

scenario("a verified fix is previewed, applied and undone; the program that ran into the exception is restarted with it, and the conversation says Fixed", { files: ["payroll.py"] }, async (workbench, server) => {
  const { page, tab } = workbench;
  const file = join(server.workspace, "payroll.py");
  const before = readFileSync(file, "utf8");
  await workbench.debug("payroll");
  await workbench.showTab();
  await tab.ask("");
  await tab.answered();
  await (await tab.locator(".verdict.verified")).first().waitFor();
  await picture(workbench, "fix");
  await (await tab.button("Preview")).click();
  await page.locator(".diff-editor, .monaco-diff-editor").first().waitFor();
  await page.locator(".line-insert, .char-insert").first().waitFor();
  await picture(workbench, "preview");
  assert.equal(await page.locator(".diff-editor .exception-widget, .diff-editor .debug-top-stack-frame-line").count(), 0);
  await (await tab.button("Apply")).click();
  await (await tab.button("Undo")).waitFor();
  await page.locator(".diff-editor").first().waitFor({ state: "hidden" });
  await picture(workbench, "applied");
  assert.match(readFileSync(file, "utf8"), /(int|float)\(row\["overtime"\]\)/);
  await (await tab.button("Undo")).click();
  await (await tab.button("Apply again")).waitFor();
  assert.equal(readFileSync(file, "utf8"), before);
  await (await tab.button("Apply again")).click();
  await (await tab.button("Restart")).click();
  await (await tab.locator(".fix-note.fixed", { hasText: "exit code 0" })).waitFor();
  await picture(workbench, "fixed");
  await workbench.console("Okafor");
  await tab.ask("what was overtime?");
  assert.match(await tab.answered(2), /The program has ended[\s\S]*overtime[\s\S]*payroll\.py/);
  await picture(workbench, "after-the-end");
});

scenario("the editor's button, the debug console and a variable's menu ask too", {}, async (workbench, server) => {
  const { page, panel } = workbench;
  server.file("share.py", SHARE);
  await workbench.debug("share");
  await workbench.showPanel();
  await page.locator('.editor-actions a.action-label[aria-label^="Why Did It Stop?"]').click();
  assert.match(await panel.answered(1), /share\.py:2/);
  await workbench.openVariable("people");
  await workbench.menu(page.locator(".debug-variables .monaco-list-row", { hasText: "people" }), "Ask Why This Value");
  assert.match(await panel.answered(2), /people/);
  await workbench.type("??why is people so");
  await workbench.console("share.py:");
  await picture(workbench, "console");
});

scenario("the chat participant answers in the chat view", {}, async (workbench, server) => {
  const { page } = workbench;
  server.file("share.py", SHARE);
  await workbench.debug("share");
  await workbench.command("Chat: Open Chat");
  await page.locator(".interactive-session", { hasText: "Fake 1" }).first().waitFor();
  await page.keyboard.type("@dap-ai ");
  await page.keyboard.type("why did it stop?");
  await page.locator(".interactive-input-editor", { hasText: "why did it stop?" }).waitFor();
  await page.keyboard.press("Enter");
  assert.match(await firstInSight(page, "Offline analyst ·"), /share\.py:2/);
  await page.locator(".interactive-response").last().hover();
  await page.mouse.wheel(0, -10_000);
  await picture(workbench, "chat");
  // It may be scrolled out of sight: the list of the chat moves by itself.
  await page.locator(".interactive-response .chat-inline-anchor-widget", { hasText: "share.py:2" }).first().dispatchEvent("click");
  await workbench.atLine(2);
  server.modelSays({ text: "I look.", calls: [{ name: "evaluate", arguments: { expression: "total" } }] }, { text: "The model says: total is 42.\n" });
  await workbench.command("dap-ai: Choose Who Answers...");
  await workbench.pick("Fake 1");
  await workbench.says("dap-ai: Fake 1"); // or the question may be there before the choice
  await workbench.command("Chat: Open Chat");
  await page.keyboard.type("what is total?");
  await page.keyboard.press("Enter");
  assert.match(await firstInSight(page, "Fake 1 ·"), /^I look/);
  await page.locator(".interactive-response", { hasText: "The model says: total is 42." }).waitFor();
  await picture(workbench, "chat-model");
  await workbench.command("dap-ai: Choose Who Answers...");
  await workbench.pick("Offline analyst");
  await workbench.says("dap-ai: Offline analyst");
});

/** The first words of an answer in the chat that a person sees without opening anything, once its last line holds `end`. */
async function firstInSight(page, end) {
  const response = page.locator(".interactive-response", { hasText: end }).last();
  await response.waitFor();
  await response.locator("em", { hasText: end }).waitFor();
  await page.locator(".interactive-response.chat-response-loading").waitFor({ state: "hidden" });
  return response.evaluate((element) => {
    const paragraphs = [...element.querySelectorAll(".rendered-markdown p")];
    const isText = (each) => !each.closest(".progress-container, .progress-step, details:not([open])");
    const seen = paragraphs.filter((each) => isText(each) && each.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }));
    return seen[0]?.innerText ?? "";
  });
}

scenario("an error that something catches is told of: it can be asked about, and stops next time; a program that hangs is paused and asked about", { fresh: true }, async (workbench, server) => {
  const { panel } = workbench;
  server.file("feed.py", FEED);
  await workbench.start("feed");
  const notification = workbench.notification("KeyError at feed.py:5");
  await notification.waitFor();
  await picture(workbench, "caught-notification");
  await notification.locator(".monaco-button", { hasText: "Stop at This Error Next Time" }).click();
  await workbench.showPanel();
  await (await panel.locator(".ask-caught")).click();
  assert.match(await panel.answered(), /feed\.py:5; something caught it\.[\s\S]*Nothing stopped here\./);
  await picture(workbench, "caught");
  await (await panel.locator(".pause-and-ask")).first().click();
  assert.match(await panel.answered(2), /endless loop\.[\s\S]*while done < limit[\s\S]*in round [\d,]{5,}/i);
  // debugpy asks VS Code not to show where a paused program stands.
  await workbench.page.locator(".debug-top-stack-frame-line").first().waitFor();
  await picture(workbench, "hangs");
  await workbench.endDebugging();
  await workbench.debug("feed");
  await workbench.page.locator(".exception-widget", { hasText: "KeyError" }).waitFor();
  await workbench.atLine(5);
  await workbench.endDebugging();
  // A failing test: what is offered after the end stays in the status bar.
  server.file("cart.py", CART);
  server.file("test_cart.py", TEST_CART);
  await workbench.run("tests");
  await workbench.command("Notifications: Clear All Notifications");
  await workbench.page.locator(".statusbar-item", { hasText: "AssertionError at test_cart.py:5" }).click();
  const failed = workbench.notification("AssertionError at test_cart.py:5");
  await failed.locator(".monaco-button", { hasText: "Run Again and Stop There" }).waitFor();
  await picture(workbench, "caught-after-the-end");
  await failed.locator(".monaco-button", { hasText: /^Ask$/ }).click();
  await panel.says("Nothing stopped here.");
  assert.match(await panel.answered(1), /is -420, not 25\.5 at test_cart\.py:5; something caught it/);
  await picture(workbench, "caught-asked-after-the-end");
});

scenario("a configuration of another extension that stands at an exception is taken over by one click; where the switch is on it runs through dap-ai from the start", {}, async (workbench, server) => {
  const { page, panel } = workbench;
  server.file("share.py", SHARE);
  await workbench.debug("of another extension");
  const lens = page.locator(".codelens-decoration a", { hasText: "Restart with dap-ai to ask why" });
  await lens.waitFor();
  await page.locator(".statusbar-item", { hasText: "Restart with dap-ai to ask why" }).waitFor();
  await picture(workbench, "elsewhere");
  await lens.click();
  await page.locator(".codelens-decoration a", { hasText: "Why?" }).waitFor();
  await workbench.endDebugging();
  writeFileSync(server.standInLog, "");
  await workbench.settings({ "dapAi.enableFor": { debugpy: true } });
  await workbench.debug("of another extension");
  await workbench.showPanel();
  await panel.ask("");
  assert.match(await panel.answered(), /share\.py:2/);
  assert.equal(readFileSync(server.standInLog, "utf8"), "resolved\n"); // its resolver ran, its adapter did not
});

scenario("the states in a light theme, and at a zoom of 200 %, where no text is clipped", { theme: "light", files: ["payroll.py"] }, async (workbench) => {
  const { page, panel, tab } = workbench;
  await workbench.debug("payroll");
  await workbench.showPanel();
  await (await panel.locator(".ask-why")).waitFor();
  await picture(workbench, "stopped");
  await panel.ask("");
  await panel.answered();
  await picture(workbench, "answer");
  await workbench.showTab();
  await tab.answered();
  await (await tab.openSteps()).first().click();
  await picture(workbench, "step");
  await page.locator(".statusbar-item", { hasText: "dap-ai" }).click();
  await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
  await picture(workbench, "menu");
  await page.keyboard.press("Escape");
  await (await tab.button("Preview")).click();
  await page.locator(".line-insert, .char-insert").first().waitFor();
  await picture(workbench, "preview");
  await tab.openDetails();
  await panel.openDetails();
  const variables = page.locator('.pane-header[aria-label^="Variables Section"]');
  await variables.click({ position: { x: 60, y: 8 } });
  for (const theme of ["light", "dark"]) {
    await wear(workbench, theme);
    await workbench.zoom(2);
    await page.waitForFunction(() => globalThis.innerWidth === 700);
    const end = theme === "light" ? 0 : 1_000_000; // of the pictures: the beginning in one, the end in the other
    for (const place of [panel, tab]) await (await place.locator(".scroller")).evaluate((scroller, end) => (scroller.scrollTop = end), end);
    await picture(workbench, "zoomed");
    for (const place of [panel, tab]) assert.deepEqual(await (await place.frame()).evaluate(clipped), [], `${place.place}, ${theme}`);
    await workbench.zoom(1);
  }
  await variables.click({ position: { x: 60, y: 8 } });
});
