// An agent is recorded by its command alone; its run is looked at, compared with the files of now, exported, brought in, deleted.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { calling, shown, startModel } from "./agents.mjs";
import { PROJECT, PYTHON } from "./server.mjs";
import { picture, scenario } from "./world.mjs";

const REPLIES = [calling("I write.", "echo one > made.txt"), calling("I correct.", "echo two > made.txt"), { role: "assistant", content: "Done." }];

scenario("an agent is recorded by its command; its run is compared with the files of now, exported, brought in, deleted", { fresh: true, files: ["runs/discount.traj.json"] }, async (workbench, server) => {
  const { page, page: { keyboard } } = workbench;
  const store = join(server.dataHome, "dap-ai", "recordings");
  const made = join(server.workspace, "made.txt");
  const before = existsSync(store) ? readdirSync(store) : [];
  const model = await startModel(REPLIES);
  try {
    copyFileSync(join(PROJECT, "tests", "agents", "tiny.py"), join(server.workspace, "tiny.py"));
    await workbench.command("dap-ai: Record an Agent");
    await answer(`OPENAI_BASE_URL=${model.url} ${PYTHON} tiny.py Go.`);
    await workbench.pick("There, and once it has ended");
    await workbench.stopped.waitFor(); // by Any pattern, that nothing was checked
  } finally {
    model.close();
  }
  assert.equal(readFileSync(made, "utf8"), "two\n");
  await workbench.endDebugging();

  await workbench.command("dap-ai: Agent Runs");
  const [name] = readdirSync(store).filter((each) => !before.includes(each));
  const gallery = await shown(workbench, ".gallery table");
  await gallery.getByRole("row", { name }).getByRole("button", { name, exact: true }).click();
  const run = await shown(workbench, ".run .strip");
  await run.getByRole("tab", { name: /Changes/ }).click();
  const first = run.locator("details.finding", { hasText: "one" }).first();
  await first.getByRole("button", { name: "Open the diff" }).click();
  await page.locator('.tab[aria-label*="Change "]').waitFor();
  await picture(workbench, "gallery-change");

  writeFileSync(made, "three\n");
  await page.locator(".tab", { hasText: name }).first().click();
  await first.getByRole("button", { name: "Restore to compare" }).click();
  const notice = workbench.notification("The workspace as it was");
  await notice.getByRole("button", { name: "Compare with This Workspace" }).click();
  await page.locator('.tab[aria-label*="Then and now"]').waitFor();
  await picture(workbench, "gallery-then-and-now");
  assert.equal(readFileSync(made, "utf8"), "three\n");

  await toGallery();
  const page_html = join(server.workspace, "run.html");
  await inGallery("Export", name);
  await workbench.pick("html");
  await answer(page_html);
  await workbench.notification("Exported to").waitFor();
  assert.match(readFileSync(page_html, "utf8"), /Content-Security-Policy/);

  await gallery.getByRole("button", { name: "Import..." }).click();
  await answer(join(server.workspace, "discount.traj.json"));
  await gallery.getByRole("row", { name: /discount\.traj\.json/ }).waitFor();
  assert.ok(existsSync(join(store, "discount.traj.json")));
  await picture(workbench, "gallery");

  await inGallery("Delete", "discount.traj.json");
  await page.locator(".monaco-dialog-box").getByRole("button", { name: "Move to Trash" }).click();
  await page.locator(".monaco-dialog-box").getByRole("button", { name: "Delete for Good" }).click({ timeout: 5000 }).catch(() => undefined); // where there is no trash
  await gallery.getByRole("row", { name: /discount\.traj\.json/ }).waitFor({ state: "detached" });
  assert.ok(!existsSync(join(store, "discount.traj.json")) && existsSync(join(store, name)));

  /** A dialog of files puts in its own path after it has opened, over what was typed. */
  async function answer(text) {
    const input = page.locator(".quick-input-widget input[type=text]");
    do {
      await input.fill(text);
      await page.waitForTimeout(500);
    } while ((await input.inputValue()) !== text);
    await keyboard.press("Enter");
  }
  async function toGallery() {
    await page.locator(".tab", { hasText: "Agent runs" }).click();
  }
  async function inGallery(action, run) {
    await gallery.getByRole("button", { name: `${action}: ${run}` }).click();
  }
});
