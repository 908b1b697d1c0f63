import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { Models } from "../../src/models/models";
import { configuredAnswerer } from "../../src/proxy/configured";
import { fake } from "./fake/vscode";

/** A program that says `text` to whatever it is asked. */
const saying = (text: string): [string, ...string[]] => [process.execPath, "-e", `process.stdout.write(${JSON.stringify(text)})`, "--"];

test("who answers is known before the first question, as dap-ai itself is configured", async () => {
  const told = JSON.stringify({ answers: "offline: no language model, nothing leaves this machine" });
  const answerer = await configuredAnswerer(saying(told), {});
  assert.deepEqual([answerer?.kind, answerer?.name], ["offline", "Offline analyst"]);
});

test("the settings of VS Code count for it", async () => {
  const argv: [string, ...string[]] = [process.execPath, "-e", "console.log(JSON.stringify({ answers: process.env.SAYS }))", "--"];
  const answerer = await configuredAnswerer(argv, { SAYS: "m at http://h answers: the question is sent there" });
  assert.deepEqual(answerer, { kind: "endpoint", name: "m at http://h", leaves: "The question is sent there." });
});

for (const [what, text] of [["an older dap-ai", "{}"], ["what is no JSON", "Usage: ..."], ["a missing key", '{"answers": "There is no key"}']] as const) {
  test(`${what} tells nothing`, async () => {
    assert.equal(await configuredAnswerer(saying(text), {}), undefined);
  });
}

test("where nobody was chosen, the view is told of it once, and a choice counts more", (t: TestContext) => {
  fake.reset();
  fake.settings.set("dapAi.model", "auto");
  const models = new Models();
  let told = 0;
  const subscription = models.onDidChange(() => (told += 1));
  t.after(() => {
    subscription.dispose();
    models.dispose();
  });
  const offline = { kind: "offline", name: "Offline analyst", leaves: "Nothing." } as const;
  const before = told;
  models.setConfigured(offline);
  models.setConfigured({ ...offline });
  assert.deepEqual([told - before, models.answerer()], [1, offline]);
  fake.settings.set("dapAi.model", "endpoint");
  assert.equal(models.answerer()?.kind, "endpoint");
});
