// An agent that runs: held before its query and its call, edited in a document, sent on.
import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { calling, startModel } from "./agents.mjs";
import { PROJECT } from "./server.mjs";
import { picture, scenario } from "./world.mjs";

const REPLIES = [calling("I look.", "echo one"), { role: "assistant", content: "Done." }];
const EDITED = '{"tool": "bash", "arguments": {"command": "echo edited > made.txt"}}';

scenario("an agent that runs is held, its call is edited in a document, and it goes on with that", { fresh: true }, async (workbench, server) => {
  const { page } = workbench;
  const model = await startModel(REPLIES);
  try {
    copyFileSync(join(PROJECT, "tests", "agents", "tiny.py"), join(server.workspace, "tiny.py"));
    await workbench.settings({ "scripted.model": model.url });
    await workbench.debug("live agent");
    await workbench.command("View: Show Run and Debug");
    await held("query");
    for (const next of ["1 response: I look.", "1 bash: echo one"]) {
      await page.locator(".debug-toolbar .codicon-debug-step-into").click();
      await held(next);
    }
    assert.equal(model.asked(), 1);
    await workbench.openFrame("cycle 1", "-call-bash.json");
    await page.locator(".editor-instance .view-lines", { hasText: "echo one" }).click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(EDITED);
    for (const key of ["Shift+End", "Delete"]) await page.keyboard.press(key); // what VS Code has closed by itself
    await page.keyboard.press("Control+S");
    await page.locator(".tab.dirty").waitFor({ state: "detached" });
    await picture(workbench, "live-edited");
    await page.locator(".debug-toolbar .codicon-debug-continue").click();
    await held("2 response: Done."); // by Any pattern: nothing was checked
    await workbench.endDebugging();
    assert.equal(readFileSync(join(server.workspace, "made.txt"), "utf8"), "edited\n");
  } finally {
    model.close();
  }

  function held(text) {
    return page.locator(".debug-call-stack .stack-frame", { hasText: text }).first().waitFor();
  }
});
