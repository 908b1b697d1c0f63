import assert from "node:assert/strict";
import { test } from "node:test";

import { outputDifference } from "../../src/shared/outputs";

test("what two runs have written is compared line by line, far from a change shortened", () => {
  const rows = Array.from({ length: 9 }, (_, at) => `row ${at}`);
  const before = [...rows, "total -3"].join("\n");
  const after = [...rows, "total 3", "done"].join("\r\n") + "\n";
  assert.deepEqual(outputDifference(before, after).split("\n"), [" row 7", " row 8", "-total -3", "+total 3", "+done"]);
});

test("the same output is no difference, and neither is none", () => {
  assert.equal(outputDifference("a\n", "a"), "");
  assert.equal(outputDifference("", ""), "");
});
