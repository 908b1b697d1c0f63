// What VS Code lends to dap-ai (its models), what dap-ai lends to VS Code (its tools), and what a window leaves behind.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { SHARE } from "./programs.mjs";
import { scenario } from "./world.mjs";

scenario("after the window was reloaded the conversation is still there, and a new session has its own", { fresh: true }, async (workbench, server) => {
  const { panel } = workbench;
  server.file("share.py", SHARE);
  await workbench.debug("share");
  await workbench.showPanel();
  await panel.ask("why is people 0?");
  await panel.answered();
  await workbench.reload();
  await workbench.showPanel();
  await panel.says("why is people 0?");
  await workbench.debug("share");
  await (await panel.locator(".ask-why")).waitFor();
});

scenario("settings that were changed meanwhile count after a restart, which has a conversation of its own", { settings: { "dapAi.model": "endpoint", "dapAi.endpoint.baseUrl": "http://127.0.0.1:9/v1", "dapAi.endpoint.model": "none" } }, async (workbench, server) => {
  const { panel } = workbench;
  server.file("share.py", SHARE);
  await workbench.debug("share");
  await workbench.showPanel();
  await panel.ask("why is people 0?");
  assert.match(await panel.answered(), /127\.0\.0\.1:9/);
  await workbench.settings({ "dapAi.model": "offline" });
  await panel.says("Offline analyst");
  await workbench.restart();
  await (await panel.locator(".ask-why")).click();
  const answer = await panel.answered(1);
  assert.match(answer, /share\.py:2/);
  assert.doesNotMatch(answer, /127\.0\.0\.1:9/);
});

scenario("the model of VS Code answers in the debug console, too", { settings: { "dapAi.model": "editor" } }, async (workbench, server) => {
  server.file("share.py", SHARE);
  server.modelSays({ text: "The model of VS Code says: people is 0." });
  await workbench.debug("share");
  await workbench.type("??why is it so");
  await workbench.console("The model of VS Code says: people is 0.");
});

scenario("VS Code's agents read the stopped program by tools, and cannot change it", { fresh: true }, async (workbench, server) => {
  server.file("share.py", SHARE);
  server.modelSays(
    { tool: "dapAi_stack", input: {} },
    { tool: "dapAi_evaluate", input: { expression: "total + 1" } },
    { tool: "dapAi_evaluate", input: { expression: "__import__('os').remove('share.py')" } },
    { tool: "dapAi_tryFix", input: { edits: "no list" } },
  );
  await workbench.debug("share");
  await workbench.command("Fake Models: Invoke Tools");
  await workbench.notification("Invoked 4 tools").waitFor();
  const results = readFileSync(server.modelLog, "utf8").trim().split("\n").slice(-4).map((line) => JSON.parse(line).result);
  assert.match(results[0], /share/);
  assert.match(results[1], /43/);
  assert.ok(readFileSync(`${server.workspace}/share.py`, "utf8") === SHARE, results[2]);
  assert.match(results[3], /edits/);
});
