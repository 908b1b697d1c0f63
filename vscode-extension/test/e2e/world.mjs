// What the scenarios share: one code-server, one browser, one window as long as it is sound, and evidence of failures.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";

import { ROOT, findChromium } from "./install.mjs";
import { patient } from "./patience.mjs";
import { startServer } from "./server.mjs";
import { openWorkbench } from "./workbench.mjs";

const RESULTS = join(ROOT, "test-results", "e2e");
const PICTURES = process.env["DAP_AI_SCREENSHOTS"];
const THEME = process.env["DAP_AI_THEME"] ?? "dark";
const TEST_MS = patient(300_000);
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"];

export const world = { server: undefined, browser: undefined, workbench: undefined };

before(async () => {
  mkdirSync(RESULTS, { recursive: true });
  if (PICTURES) mkdirSync(PICTURES, { recursive: true });
  world.server = await startServer();
  world.browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS });
});

after(async () => {
  await closeWindow();
  await world.browser?.close();
  await world.server?.stop();
});

/**
 * A test with a workbench: `body(workbench, server, context)`. To open a window takes as long as most of what is tested
 * in it: it is that of the scenario before, tidied up, unless that one has failed. `settings`: of VS Code; `config`:
 * dap_ai's own; `fresh`: it is about a window that nobody has used yet.
 */
export function scenario(name, { settings = {}, config = "", theme = THEME, skip = false, files = [], fresh = false }, body) {
  test(name, { skip }, async (context) => {
    const { server } = world;
    server.emptyWorkspace();
    server.configure(config);
    server.modelSays();
    for (const file of files) server.example(file);
    try {
      const workbench = await windowWith({ "workbench.colorTheme": THEMES[theme], ...settings }, { theme, fresh });
      await within(TEST_MS, body(workbench, server, context));
      await workbench.tidyUp();
    } catch (error) {
      if (world.workbench) await evidence(world.workbench, name);
      await closeWindow();
      throw error;
    }
  });
}

/** Changes the theme of the open window. */
export async function wear(workbench, theme) {
  await workbench.dress(theme);
  await workbench.settings({ "workbench.colorTheme": THEMES[theme] });
}

/** A window with these settings, and with nothing that another scenario has left. */
async function windowWith(settings, { theme, fresh }) {
  if (fresh) await closeWindow();
  if (world.workbench) {
    await world.workbench.dress(theme);
    await world.workbench.settings(settings);
  } else {
    world.server.settings(settings);
    world.workbench = await openWorkbench(world.browser, world.server, { theme });
  }
  return world.workbench;
}

async function closeWindow() {
  const { workbench } = world;
  world.workbench = undefined;
  if (!workbench) return;
  await workbench.endDebugging().catch(() => undefined); // what hangs ends with the server
  await workbench.close();
}

/** Fails after so many milliseconds; what still goes on then ends with its window. */
async function within(ms, body) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`It has not ended within ${ms / 1000} s.`)), ms)));
  return Promise.race([body, late]).finally(() => clearTimeout(timer));
}

const THEMES = { dark: "Default Dark Modern", light: "Default Light Modern", contrast: "Default High Contrast" };

/** A picture of a state, for people who want one. */
export async function picture(workbench, name) {
  if (!PICTURES) return;
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
