// A run as a picture beside the debug views, and the gallery of runs.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { shown } from "./agents.mjs";
import { picture, scenario } from "./world.mjs";

const RUN = "runs/discount.traj.json";

scenario("a run is a picture that follows the debugger and moves it, and the gallery opens, compares and exports runs", { fresh: true, files: [RUN] }, async (workbench, server) => {
  await workbench.debug("agent run");
  await workbench.command("View: Show Run and Debug");
  await workbench.atLine(3);
  await workbench.command("dap-ai: Show the Agent Run");
  const view = await shown(workbench, ".run .strip");
  const standing = view.locator("article.row.standing");
  await standing.filter({ hasText: "note" }).waitFor();
  await workbench.page.locator(".debug-toolbar .codicon-debug-step-into").click();
  await workbench.page.locator(".debug-toolbar .codicon-debug-step-into").click();
  await workbench.atLine(5);
  await standing.filter({ hasText: "task" }).waitFor();
  await picture(workbench, "runview-stopped");

  const total = await view.locator("canvas").evaluate((canvas) => Number(canvas.getAttribute("aria-valuemax")));
  const { width, height } = await view.locator("canvas").boundingBox();
  await view.locator("canvas").click({ position: { x: ((16 + 0.5) / total) * width, y: height - 12 } });
  await workbench.atLine(16 + 3);
  await view.locator("article.row.standing", { hasText: "pytest" }).waitFor();
  await view.getByRole("button", { name: "Open as a document" }).click();
  await workbench.page.locator('.tab[data-resource-name="016-call-bash.json"]').waitFor();
  await view.locator("article.row.standing").getByRole("button", { name: "Unfold" }).click();
  await picture(workbench, "runview");
  await workbench.type("??why did it fail");
  await view.locator(".flag.cited").first().waitFor();
  await view.getByRole("tab", { name: "Findings" }).click();
  await view.getByText("Where it went wrong").waitFor();
  await picture(workbench, "runview-findings");
  await workbench.endDebugging();
  await view.getByRole("button", { name: "Go here" }).waitFor({ state: "detached" });

  const store = join(server.dataHome, "dap-ai", "recordings");
  mkdirSync(store, { recursive: true });
  for (const name of ["first.traj.json", "second.traj.json"]) copyFileSync(join(server.workspace, "discount.traj.json"), join(store, name));
  await workbench.command("dap-ai: Agent Runs");
  const gallery = await shown(workbench, ".gallery table");
  await picture(workbench, "runview-gallery");
  for (const name of [/first\.traj\.json/, /second\.traj\.json/]) await gallery.getByRole("row", { name }).getByRole("checkbox").check(); // live agents left others there
  await gallery.getByRole("button", { name: "Compare the two" }).click();
  const both = await shown(workbench, ".pair-of-runs");
  await both.getByText("All changes are alike.").waitFor();
  await picture(workbench, "runview-compared");
  await workbench.page.locator(".tab", { hasText: "Agent runs" }).click();
  const again = await shown(workbench, ".gallery table");
  await again.getByRole("button", { name: "Rename: first.traj.json" }).click();
  const input = workbench.page.locator(".quick-input-widget input");
  await input.fill("renamed.traj.json");
  await input.press("Enter");
  await again.getByRole("row", { name: /renamed\.traj\.json/ }).waitFor();
  assert.equal(await again.getByRole("row", { name: /first\.traj\.json/ }).count(), 0);
});
