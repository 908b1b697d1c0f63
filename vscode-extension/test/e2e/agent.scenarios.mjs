// Language models, consent, several sessions, and what goes wrong.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { startEndpoint } from "./endpoint.mjs";
import { COUNTER, CRASH, SHARE } from "./programs.mjs";
import { PROJECT } from "./server.mjs";
import { picture, scenario } from "./world.mjs";

const ENDPOINT = (url) => `provider = "openai"\nbase_url = "${url}"\nmodel = "scripted"\n`;

/** Long: what comes last is held back until it is certain that no secret begins in it. */
const BEGINNING = `The first words of a long answer.\n\n${"It goes on and on.\n\n".repeat(50)}`;

scenario("a change of the program waits for consent, and happens when it is allowed", {}, async (workbench, server) => {
  const { page, panel } = workbench;
  server.file("counter.py", COUNTER);
  const replay = server.file("replies.jsonl", [
    { text: "I set it.", calls: [{ name: "set_variable", arguments: { expression: "counter.value", value: "0", reason: "to see whether it matters" } }] },
    { text: "Done: it is 0 now." },
  ].map((each) => JSON.stringify(each)).join("\n"));
  server.configure(`level = "mutate"\nreplay = "${replay}"\n`);
  await workbench.debug("counter");
  await workbench.showPanel();
  await panel.ask("does the value matter?");
  await (await panel.locator(".approval .action", { hasText: "counter.value" })).waitFor();
  await picture(workbench, "consent-dark");
  await (await panel.button("Allow once")).click();
  assert.match(await panel.answered(), /it is 0 now/);
  await page.locator(".debug-toolbar .codicon-debug-continue").click();
  await workbench.console("value 0");
});

scenario("each session has a conversation of its own", { files: ["payroll.py"] }, async (workbench, server) => {
  const { panel } = workbench;
  server.file("share.py", SHARE);
  await workbench.debug("share");
  await workbench.showPanel();
  await panel.ask("why is people 0?");
  await panel.answered();
  await workbench.debug("payroll"); // VS Code stays at the session that has stopped first, and so does the panel
  await panel.choose("payroll");
  await (await panel.locator(".ask-why")).waitFor();
  await panel.ask("");
  assert.match(await panel.answered(), /payroll\.py:24/);
  await panel.choose("share");
  await panel.says("why is people 0?");
});

scenario("an answer is stopped in the middle, and the next question is answered", {}, async (workbench, server, context) => {
  const { panel } = workbench;
  const endpoint = await startEndpoint(
    (stream) => stream.text(BEGINNING),
    (stream) => stream.text("The second answer.").end(),
    (stream) => stream.text("The second answer.").end(),
  );
  context.after(() => endpoint.close());
  server.configure(ENDPOINT(endpoint.url));
  server.file("share.py", SHARE);
  await workbench.debug("share");
  await workbench.showPanel();
  await panel.ask("tell me all");
  await panel.says("The first words of a long answer.");
  await picture(workbench, "streaming-dark");
  await (await panel.locator('button[aria-label="Stop"]')).click();
  await panel.answered(1);
  await panel.ask("and now?");
  assert.match(await panel.answered(2), /The second answer/);
});

scenario("when the proxy dies in the middle of an answer, the panel says so, and debugging works again", {}, async (workbench, server, context) => {
  const { panel } = workbench;
  const endpoint = await startEndpoint((stream) => stream.text(BEGINNING));
  context.after(() => endpoint.close());
  server.configure(ENDPOINT(endpoint.url));
  server.file("share.py", SHARE);
  await workbench.debug("share");
  await workbench.showPanel();
  await panel.ask("tell me all");
  await panel.says("The first words of a long answer.");
  process.kill(proxyOf(server), "SIGKILL");
  await panel.answered();
  await picture(workbench, "proxy-killed-dark");
  server.configure("");
  await workbench.page.locator(".debug-toolbar").waitFor({ state: "hidden" });
  await workbench.debug("share");
  await panel.ask("");
  assert.match(await panel.answered(), /share\.py:2/);
});

scenario("a model that VS Code lends answers, with calls of tools", { settings: { "dapAi.model": "editor" } }, async (workbench, server) => {
  const { panel } = workbench;
  server.file("share.py", SHARE);
  server.modelSays(
    { text: "I look.", calls: [{ name: "evaluate", arguments: { expression: "total" } }] },
    { text: "The model of VS Code says: total is 42." },
  );
  await workbench.debug("share");
  await workbench.showPanel();
  await panel.ask("what is total?");
  assert.match(await panel.answered(), /The model of VS Code says: total is 42/);
  await picture(workbench, "lent-model-dark");
  assert.ok(readFileSync(server.modelLog, "utf8").includes('"evaluate"'));
});

const hasLldb = existsSync(join(PROJECT, ".venvs", "native", "bin", "lldb-dap"));
const hasCompiler = spawnSync("cc", ["--version"]).status === 0;
const missing = [!hasLldb && "lldb-dap (dev.py setup installs it)", !hasCompiler && "a C compiler"].filter(Boolean);

scenario("a native program that crashes is asked about", { skip: missing.length > 0 && `there is no ${missing.join(", no ")}` }, async (workbench, server) => {
  const { panel } = workbench;
  const source = server.file("crash.c", CRASH);
  execFileSync("cc", ["-g", "-O0", "-o", join(server.workspace, "crash"), source]);
  await workbench.debug("native");
  await workbench.showPanel();
  await panel.ask("");
  assert.match(await panel.answered(), /crash\.c:6/);
  await picture(workbench, "native-dark");
});

/** The newest `dap-ai serve` below code-server. */
function proxyOf(server) {
  const lines = execFileSync("ps", ["-eo", "pid=,pgid=,args="], { encoding: "utf8" }).split("\n");
  const rows = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter((row) => row?.[3].includes(" serve --listen "));
  const own = rows.filter((row) => Number(row[2]) === server.child.pid);
  assert.ok(own.length > 0, `no proxy of ours in:\n${rows.map((row) => row[0]).join("\n")}`);
  return Number(own.at(-1)[1]);
}
