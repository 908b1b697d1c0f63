// Recorded runs of agents: stepped through, stopped at, looked at, asked about.
import { picture, scenario } from "./world.mjs";

const RUN = "runs/discount.traj.json";
const LIST = ".debug-breakpoints .monaco-list";

scenario("a recorded run is stepped through both ways, stops at a tool and at a pattern, shows an event and is asked about", { fresh: true, files: [RUN] }, async (workbench) => {
  const { page } = workbench;
  await workbench.debug("agent run");
  await workbench.command("View: Show Run and Debug");
  await workbench.atLine(3);
  for (const [move, line] of [["step-into", 4], ["step-into", 5], ["step-over", 6], ["step-back", 5]]) {
    await page.locator(`.debug-toolbar .codicon-debug-${move}`).click();
    await workbench.atLine(line);
  }
  await picture(workbench, "run-stepped");

  await workbench.fold("Variables", "Watch", "Call Stack"); // room for all breakpoints: a row that is scrolled away is not there
  await workbench.command("Add Function Breakpoint");
  const input = page.locator(`${LIST} .inputBoxContainer input`);
  await input.fill("tool:*");
  await input.press("Enter");
  const row = page.locator(`${LIST} .monaco-list-row`, { hasText: "tool:*" });
  await row.hover();
  await row.locator(".codicon-edit").click();
  await workbench.entry("Edit Condition");
  await input.fill('"pytest" in args.command and step > 3');
  await input.press("Enter");
  await row.getByText('"pytest" in args').waitFor();
  for (const [name, isOn] of [["Any pattern", false], ["Failed check ignored", true]]) {
    const row = page.locator(`${LIST} .monaco-list-row`, { hasText: name });
    await row.getByRole("checkbox").click();
    await row.getByRole("checkbox", { checked: isOn }).waitFor();
  }
  await picture(workbench, "run-breakpoints");
  await workbench.unfold("Call Stack");
  await onwards(workbench, "5 bash: python -m pytest -q", 19);
  await workbench.openFrame("cycle 5", "016-call-bash.json");
  await picture(workbench, "run-document");

  await onwards(workbench, "7 bash: git add -A", 25);
  await page.locator('.pane-header[aria-label^="Call Stack Section"]', { hasText: "Failed check ignored" }).waitFor();
  await picture(workbench, "run-pattern");

  await workbench.type("??why did it fail");
  await workbench.console("No language model was used"); // the end of the answer: what is scrolled away is not there
  await workbench.console("4 change: The rate has to be divided by 100.");
  await picture(workbench, "run-asked");
});

scenario("what is no run is refused in words", { fresh: true, files: ["payroll.py"] }, async (workbench) => {
  await workbench.choose("debug no run", "no run");
  const dialog = workbench.page.locator(".monaco-dialog-box", { hasText: "no recorded run" });
  await dialog.waitFor();
  await picture(workbench, "run-refused");
  await workbench.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
});

/** Continues to the event of this title, at this line of `run.md`. */
async function onwards(workbench, title, line) {
  await workbench.page.locator(".debug-toolbar .codicon-debug-continue").click();
  await workbench.topFrame.filter({ hasText: title }).waitFor();
  await workbench.atLine(line);
}
