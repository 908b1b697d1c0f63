// What the scenarios share: one code-server, one browser, a workbench of its own for each test, and evidence of failures.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";

import { ROOT, findChromium } from "./install.mjs";
import { patient } from "./patience.mjs";
import { startServer } from "./server.mjs";
import { openWorkbench } from "./workbench.mjs";

const RESULTS = join(ROOT, "test-results", "e2e");
const PICTURES = process.env["DAP_AI_SCREENSHOTS"] ?? RESULTS;
const THEME = process.env["DAP_AI_THEME"] ?? "dark";
const TEST_MS = patient(300_000);
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"];

export const world = { server: undefined, browser: undefined };

before(async () => {
  for (const folder of [RESULTS, PICTURES]) mkdirSync(folder, { recursive: true });
  world.server = await startServer();
  world.browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS });
});

after(async () => {
  await world.browser?.close();
  await world.server?.stop();
});

/** A test with a workbench: `body(workbench, server, context)`. `settings`: of VS Code; `config`: dap_ai's own. */
export function scenario(name, { settings = {}, config = "", theme = THEME, skip = false, files = [] }, body) {
  test(name, { skip, timeout: TEST_MS }, async (context) => {
    const { server, browser } = world;
    server.settings({ "workbench.colorTheme": THEMES[theme], ...settings });
    server.configure(config);
    server.modelSays();
    for (const file of files) server.example(file);
    const workbench = await openWorkbench(browser, server, { theme });
    try {
      await body(workbench, server, context);
    } catch (error) {
      await evidence(workbench, name);
      throw error;
    } finally {
      await leave(workbench);
    }
  });
}

const THEMES = { dark: "Default Dark Modern", light: "Default Light Modern", contrast: "Default High Contrast" };

/** A picture of a state, for people. */
export async function picture(workbench, name) {
  await workbench.page.mouse.move(1, 1); // no tooltip of a button that was there by chance
  await workbench.page.locator(".workbench-hover-container").waitFor({ state: "hidden", timeout: 2000 }).catch(() => undefined);
  await workbench.screenshot(join(PICTURES, `${name}-${workbench.theme}.png`));
}

async function evidence(workbench, name) {
  const file = join(RESULTS, name.replace(/\W+/g, "-").slice(0, 80));
  await workbench.screenshot(`${file}.png`).catch(() => undefined);
  await workbench.command("Notifications: Show Notifications").catch(() => undefined);
  await workbench.screenshot(`${file}-notifications.png`).catch(() => undefined);
  writeFileSync(`${file}.log`, workbench.server.logs());
  console.error(`see ${file}.png and ${file}.log`);
}

async function leave(workbench) {
  try {
    await workbench.endDebugging();
  } finally {
    await workbench.close();
  }
}
