// A failing payroll: the verdict at the line, the path of the value, a fix applied and run, the view of stops.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { patient } from "./patience.mjs";
import { picture, scenario } from "./world.mjs";

const BONUS = `RATES = {"ann": 0.1, "bob": 10}


def bonus_rate(name):
    return RATES.get(name)


def pay(base, name):
    rate = bonus_rate(name)
    return base * (1 - rate)


def main():
    for name, base in [("ann", 100), ("bob", 132)]:
        net = pay(base, name)
        print(name, net)
        assert net >= 0, "nobody pays to work"


main()
`;

/** Waits for a text that an editor draws behind a line: it is no text of the page. */
async function atTheLine(page, text) {
  await page.waitForFunction(
    (wanted) => [...globalThis.document.querySelectorAll(".view-line span")].some((each) => globalThis.getComputedStyle(each, "::after").content.replaceAll("\\\\", "").includes(wanted)),
    text,
    { timeout: patient(60_000) },
  );
}

scenario("at an exception the line says what is certain; Why answers with the path of the value, whose cards open their lines", {}, async (workbench, server) => {
  const { page, tab } = workbench;
  server.file("share.py", BONUS);
  await workbench.debug("share");
  await atTheLine(page, "net is -1188");
  await picture(workbench, "at-the-line");
  await workbench.showTab();
  await tab.ask("");
  await tab.answered();
  const cards = await tab.locator(".path-card");
  await cards.nth(1).waitFor();
  const texts = (await cards.allInnerTexts()).map((text) => text.split("\n").slice(0, 2).join(" "));
  assert.deepEqual(texts.slice(0, 2), ["-1188 net", "the same value base * (1 - rate)"]);
  assert.match(texts[2], /^10 rate/);
  await picture(workbench, "path");
  await cards.nth(2).click();
  await workbench.atLine(9);
});

scenario("Apply and Rerun ends in Fixed, with the outputs compared; the view Stops tells it", { fresh: true, files: ["payroll.py"] }, async (workbench, server) => {
  const { page, tab } = workbench;
  const file = join(server.workspace, "payroll.py");
  await workbench.debug("payroll");
  await atTheLine(page, "row['overtime'] is '2'");
  await page.locator(".codelens-decoration a", { hasText: "Fix" }).click();
  await workbench.showTab();
  await tab.answered();
  await (await tab.button("Apply and Rerun")).click();
  await (await tab.locator(".fix-note.fixed", { hasText: "exit code 0" })).waitFor();
  await (await tab.locator(".fix-output .diff-added", { hasText: "total" })).waitFor();
  await picture(workbench, "fixed-and-compared");
  assert.match(readFileSync(file, "utf8"), /(int|float)\(row\["overtime"\]\)/);
  await workbench.command("View: Show Run and Debug");
  await page.locator('.pane-header[aria-label="Stops Section"]').click();
  const stops = page.locator('.pane:has(.pane-header[aria-label="Stops Section"])');
  await stops.locator(".monaco-list-row", { hasText: "TypeError" }).first().waitFor();
  await stops.locator(".monaco-list-row", { hasText: "Fixed" }).first().waitFor();
  await picture(workbench, "stops");
  server.example("payroll.py"); // the mistake is back
  await workbench.debug("payroll");
  await atTheLine(page, "row['overtime'] is '2'");
  await page.locator(".codelens-decoration a", { hasText: "Why" }).click();
  await stops.locator(".monaco-list-row", { hasText: "You had this cause today" }).waitFor();
  await picture(workbench, "stops-again");
});
