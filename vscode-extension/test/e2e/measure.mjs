// For benchmarks/editor.py: from the click on Ask to the first words of the answer, RUNS times for each provider.
//   node measure.mjs RUNS     prints {provider: [{total, proxy}]} in milliseconds, as JSON
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { findChromium } from "./install.mjs";
import { SHARE } from "./programs.mjs";
import { startServer } from "./server.mjs";
import { openWorkbench } from "./workbench.mjs";

const runs = Number(process.argv[2] ?? 10);
const server = await startServer();
const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
try {
  const found = {};
  for (const provider of ["offline", "scripted"]) found[provider] = await measure(provider);
  console.log(JSON.stringify(found));
} finally {
  await browser.close();
  await server.stop();
}

async function measure(provider) {
  const log = join(server.folder, `${provider}.jsonl`);
  const replay = server.file("replies.jsonl", "");
  for (let run = 0; run <= runs; run++) appendFileSync(replay, `${JSON.stringify({ text: "It is divided by **0**." })}\n`);
  server.file("share.py", SHARE);
  server.configure(provider === "scripted" ? `replay = "${replay}"\n` : 'provider = "offline"\n');
  server.settings({ "dapAi.logFile": log });
  const workbench = await openWorkbench(browser, server);
  try {
    await workbench.debug("share");
    await workbench.showPanel();
    const totals = [];
    for (let run = 0; run <= runs; run++) totals.push(await once(workbench.panel));
    await workbench.endDebugging(); // what the log holds is complete then
    const proxy = proxyTimes(log);
    return totals.map((total, run) => ({ total, proxy: proxy[run] })).slice(1); // the first one loads code
  } finally {
    await workbench.close();
  }
}

/** Milliseconds in the view itself, by its own clock. */
async function once(panel) {
  const frame = await panel.frame();
  await frame.evaluate(watch);
  await frame.locator(".ask-why").click();
  const total = await frame.evaluate(() => window["measured"]);
  await panel.answered();
  await panel.workbench.page.locator('.pane-header a.action-label[aria-label^="New Conversation"]').click();
  await frame.locator(".ask-why").waitFor();
  return total;
}

/** In the view: `measured` is fulfilled when words of an answer are there. */
function watch() {
  window["measured"] = new Promise((resolve) => {
    let start;
    document.addEventListener("click", () => (start = window.performance.now()), { capture: true, once: true });
    const observer = new window.MutationObserver(() => {
      if (start === undefined || !document.querySelector("article.turn .markdown")?.textContent.trim()) return;
      observer.disconnect();
      resolve(window.performance.now() - start);
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  });
}

/** For each question of a wire log: milliseconds until the proxy has sent the first words. */
function proxyTimes(log) {
  const rows = readFileSync(log, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const asked = rows.filter((row) => row.event === "FromClient" && row.message?.command === "ask");
  const words = rows.filter((row) => row.effect === "ToClient" && row.message?.event === "askOutput" && row.message.body.category === "answer");
  return asked.map(({ at }) => (words.find((row) => row.at >= at).at - at) * 1000);
}
