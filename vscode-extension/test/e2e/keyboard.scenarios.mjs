// Without a mouse.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { patient } from "./patience.mjs";
import { picture, scenario } from "./world.mjs";

const MOST_STOPS = 120;
/** Ends a wait for the focus to move; nothing goes on when it is over. */
const MOVE_MS = 30_000;

scenario("by keyboard alone: ask, open a step, follow a place and a value, apply the fix", { files: ["payroll.py"] }, async (workbench, server) => {
  const { page, tab } = workbench;
  const file = join(server.workspace, "payroll.py");
  await workbench.debug("payroll");
  await workbench.showTab();
  await ask(workbench);
  await page.keyboard.press("Enter");
  await tab.answered();
  await walkBack(workbench, "summary", /^\d+ steps/);
  await page.keyboard.press("Enter");
  await walk(workbench, "details.step summary", /./);
  await page.keyboard.press("Enter");
  await (await tab.locator("details.step[open] .step-full")).first().waitFor();
  await picture(workbench, "keyboard");
  await walk(workbench, "details.rest > summary", /^Details/);
  await page.keyboard.press("Enter");
  await walk(workbench, ".place, .link", /^payroll\.py:17/);
  await page.keyboard.press("Enter");
  await workbench.atLine(17);
  await ask(workbench);
  await walkBack(workbench, ".frame-link", /row/);
  await page.keyboard.press("Enter");
  await page.locator(".debug-variables .monaco-list-row", { hasText: "Locals" }).waitFor();
  await ask(workbench);
  await walkBack(workbench, "button", /^Apply$/);
  await page.keyboard.press("Enter");
  await (await tab.button("Undo")).waitFor();
  assert.match(readFileSync(file, "utf8"), /(int|float)\(row\["overtime"\]\)/);
});

/**
 * The key of "Ask About the Stopped Program...": the cursor is in the input then. A key press can come before VS Code
 * listens; one that is only late would take the focus back later, so each is given more time than the one before.
 */
async function ask({ page, tab }) {
  const input = await tab.locator(".composer textarea");
  for (let tries = 1; tries <= 5; tries++) {
    await page.keyboard.press("Control+Shift+Slash");
    const focused = await input.and(await tab.locator(":focus")).waitFor({ timeout: patient(1000) * tries }).then(() => true, () => false);
    if (focused) return;
  }
  throw new Error("The key does not lead to the input.");
}

const walk = (workbench, selector, text) => press(workbench, "Tab", selector, text);
const walkBack = (workbench, selector, text) => press(workbench, "Shift+Tab", selector, text);

/**
 * Goes on until something of this kind with this text has the focus. The key reaches the frame, a process of its own,
 * only after the press is over: the next one waits for the focus to have moved, however long that takes, or it would pass
 * what is looked for unseen. Nor does it go on in the workbench: there Tab may be a character.
 */
async function press({ page, tab }, key, selector, text) {
  const frame = await tab.frame();
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    const before = await frame.evaluateHandle(() => document.activeElement);
    await page.keyboard.press(key);
    const isInside = await moved(page, frame, before);
    assert.ok(isInside, `${key} leaves the view before it leads to ${selector} with ${text}.`);
    const found = await frame.evaluate(([selector, text]) => {
      const element = document.activeElement;
      return element?.matches(selector) === true && new RegExp(text).test(element.textContent.trim());
    }, [selector, text.source]);
    if (found) return;
  }
  throw new Error(`No ${key} leads to ${selector} with ${text}.`);
}

/** Waits until the focus is elsewhere than `before`: whether it is in a frame still. */
async function moved(page, frame, before) {
  const end = Date.now() + patient(MOVE_MS);
  while (Date.now() < end) {
    if (await frame.evaluate((before) => document.activeElement !== before, before)) return true;
    if (await page.evaluate(() => document.activeElement?.tagName !== "IFRAME")) return false;
    await page.waitForTimeout(20); // two documents, of which none tells the other
  }
  throw new Error("The key moves the focus nowhere.");
}
