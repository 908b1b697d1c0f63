import assert from "node:assert/strict";
import { test } from "node:test";
import { shown } from "../../src/statusBar";

const ANSWERER = { kind: "editor", name: "GPT-5 mini", leaves: "Source lines go to its maker." } as const;

test("it says that dap-ai is missing, and nothing else then", () => {
  const { text, isWarning } = shown({ isMissing: true, answerer: ANSWERER, asking: 1 });
  assert.deepEqual([text, isWarning], ["$(warning) dap-ai", true]);
});

test("it says who answers and what leaves the machine", () => {
  const { text, tooltip } = shown({ version: "0.1.0", answerer: ANSWERER });
  assert.equal(text, "$(comment-discussion) dap-ai: GPT-5 mini");
  assert.equal(tooltip, "dap-ai 0.1.0 is ready\nGPT-5 mini. Source lines go to its maker.");
});

test("it spins while an answer is made", () => {
  assert.equal(shown({ asking: 2 }).text, "$(loading~spin) dap-ai");
});
