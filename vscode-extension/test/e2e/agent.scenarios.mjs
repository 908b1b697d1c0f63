// Language models, consent, several sessions, and what goes wrong.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

import { startEndpoint } from "./endpoint.mjs";
import { COUNTER, SHARE } from "./programs.mjs";
import { picture, scenario } from "./world.mjs";

const ENDPOINT = (url) => `provider = "openai"\nbase_url = "${url}"\nmodel = "scripted"\n`;

/** Long: what comes last is held back until it is certain that no secret begins in it. */
const BEGINNING = `The first words of a long answer.\n\n${"It goes on and on.\n\n".repeat(50)}`;

/** The model wants to change a value of COUNTER, and says `last` when that is done or denied. */
function wantsToChange(server, last) {
  server.file("counter.py", COUNTER);
  const change = { name: "set_variable", arguments: { expression: "counter.value", value: "0", reason: "to see whether it matters" } };
  const replies = [{ text: "I set it.", calls: [change] }, { text: last }];
  const replay = server.file("replies.jsonl", replies.map((each) => JSON.stringify(each)).join("\n"));
  server.configure(`level = "mutate"\nreplay = "${replay}"\n`);
}

scenario("a change of the program waits for consent, and happens when it is allowed", {}, async (workbench, server) => {
  const { page, panel } = workbench;
  wantsToChange(server, "Done: it is 0 now.");
  await workbench.debug("counter");
  await workbench.showPanel();
  await panel.ask("does the value matter?");
  await (await panel.locator(".approval .action", { hasText: "counter.value" })).waitFor();
  await picture(workbench, "consent");
  await (await panel.button("Allow once")).click();
  assert.match(await panel.answered(), /it is 0 now/);
  await page.locator(".debug-toolbar .codicon-debug-continue").click();
  await workbench.console("value 0");
});

scenario("where no answer is in sight a notification asks for confirmation, and what is denied there is not done", { fresh: true }, async (workbench, server) => {
  const { page, panel } = workbench;
  wantsToChange(server, "I left it as it was.");
  await workbench.debug("counter");
  await workbench.type("??does the value matter?");
  const notification = workbench.notification("wants to do this in the program: counter.value");
  await notification.waitFor();
  assert.equal(await page.locator(".notification-list-item").count(), 1); // no progress stands beside it
  await picture(workbench, "consent-notification");
  await notification.locator(".monaco-button", { hasText: "Deny" }).click();
  await workbench.console("I left it as it was.");
  await workbench.showPanel();
  await (await panel.locator(".approval.denied", { hasText: "Denied" })).waitFor();
  await picture(workbench, "denied");
  await page.locator(".debug-toolbar .codicon-debug-continue").click();
  await workbench.console("value 3");
});

scenario("an answer is stopped in the middle, by the button and by Escape, and the next question is answered", { fresh: true }, async (workbench, server, context) => {
  const { panel } = workbench;
  const endpoint = await startEndpoint(
    (stream) => stream.text(BEGINNING),
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
  await picture(workbench, "streaming");
  await (await panel.locator('button[aria-label="Stop"]')).click();
  assert.match(await panel.answered(1), /Stopped\./);
  await panel.ask("tell me more");
  await (await panel.turn(2)).getByText("The first words of a long answer.").waitFor();
  await (await panel.locator(".composer textarea")).press("Escape");
  assert.match(await panel.answered(2), /Stopped\./);
  await panel.ask("and now?");
  assert.match(await panel.answered(3), /The second answer/);
});

scenario("when the proxy dies in the middle of an answer, the panel says so, and debugging works again", { fresh: true }, async (workbench, server, context) => {
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
  await picture(workbench, "proxy-killed");
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
  await picture(workbench, "lent-model");
  assert.ok(readFileSync(server.modelLog, "utf8").includes('"evaluate"'));
});

/** The newest `dap-ai serve` below code-server. */
function proxyOf(server) {
  const lines = execFileSync("ps", ["-eo", "pid=,pgid=,args="], { encoding: "utf8" }).split("\n");
  const rows = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter((row) => row?.[3].includes(" serve --listen "));
  const own = rows.filter((row) => Number(row[2]) === server.child.pid);
  assert.ok(own.length > 0, `no proxy of ours in:\n${rows.map((row) => row[0]).join("\n")}`);
  return Number(own.at(-1)[1]);
}
