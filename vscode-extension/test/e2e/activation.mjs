// What the extension costs VS Code at its start: the seconds of its activation, as VS Code itself counts them, by turns.
//   node test/e2e/activation.mjs ROUNDS VSIX...     prints the milliseconds of each VSIX, and their medians
import { chromium } from "playwright-core";

import { findChromium } from "./install.mjs";
import { SHARE } from "./programs.mjs";
import { startServer } from "./server.mjs";
import { openWorkbench } from "./workbench.mjs";

const [rounds, ...packed] = process.argv.slice(2);
const found = packed.map(() => []);
const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
const servers = [];
try {
  for (const vsix of packed) {
    process.env["DAP_AI_VSIX"] = vsix;
    servers.push(await startServer());
  }
  for (let round = 0; round <= Number(rounds); round++) {
    for (const [index, server] of servers.entries()) {
      const took = await activation(server);
      if (round > 0) found[index].push(took); // the first one fills caches
    }
  }
  for (const [index, times] of found.entries()) console.log(`${packed[index]}: ${times.join(", ")} ms; median ${times.sort((a, b) => a - b)[times.length >> 1]} ms`);
} finally {
  await browser.close();
  for (const server of servers) await server.stop();
}

/** In a new window, by the start of a session. */
async function activation(server) {
  server.file("share.py", SHARE);
  const workbench = await openWorkbench(browser, server);
  try {
    await workbench.debug("share");
    await workbench.endDebugging();
    await workbench.command("Developer: Show Running Extensions");
    const row = workbench.page.locator(".runtime-extensions-editor .extension", { hasText: "dap-ai" }).first();
    const text = await row.locator(".activation-time").innerText();
    return Number(/(\d+)ms/.exec(text)[1]);
  } finally {
    await workbench.close();
  }
}
