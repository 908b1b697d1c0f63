import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { isEnabledFor, settingsEnvironment } from "../../src/settings";
import { fake } from "./fake/vscode";

beforeEach(() => {
  fake.reset();
});

test("a setting that nobody has set says nothing to the proxy", () => {
  assert.deepEqual(settingsEnvironment(), {});
});

test("what is set goes into the proxy's environment", () => {
  const settings = { level: "observe", budgetTokens: 900, "endpoint.baseUrl": "http://localhost:1/v1", mask: ["a,b", "c"] };
  for (const [name, value] of Object.entries(settings)) fake.settings.set(`dapAi.${name}`, value);
  assert.deepEqual(settingsEnvironment(), {
    DAP_AI_LEVEL: "observe",
    DAP_AI_BUDGET_TOKENS: "900",
    DAP_AI_BASE_URL: "http://localhost:1/v1",
    DAP_AI_MASK: "a,b\nc",
  });
});

test("who answers is said in the proxy's words", () => {
  const provider = (model: string): string | undefined => {
    fake.settings.set("dapAi.model", model);
    return settingsEnvironment()["DAP_AI_PROVIDER"];
  };
  assert.deepEqual(["auto", "offline", "editor", "endpoint"].map(provider), [undefined, "offline", "editor", "openai"]);
});

test("a type is switched on only by true", () => {
  assert.equal(isEnabledFor("debugpy"), false);
  fake.settings.set("dapAi.enableFor", { debugpy: true, gdb: false });
  assert.deepEqual(["debugpy", "lldb-dap", "gdb"].map((type) => isEnabledFor(type)), [true, false, false]);
});
