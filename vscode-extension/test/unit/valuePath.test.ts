import assert from "node:assert/strict";
import { test } from "node:test";

import type { PathNode } from "../../src/shared/protocol";
import { chainOf } from "../../src/shared/valuePath";

const node = (expression: string, value: string): PathNode => ({
  expression, value, known: value === "" ? "" : "frame", file: "/a.py", line: 1, function: "", step: "set", born: false, note: "", beside: [],
});

void test("a path in a line tells a value once, by its first name, and the name in which it begins", () => {
  const path = [node("total", "-984"), node("net", "-1188"), node("reduced", "-1188"), node("discount", "10"), node("DISCOUNTS[name]", "10")];
  assert.equal(chainOf(path), "total -984 <- net -1188 <- discount 10 <- DISCOUNTS[name]");
});

void test("what is not known is a question mark, and a path of two values no line", () => {
  assert.equal(chainOf([node("a", "1"), node("b", ""), node("c", "2")]), "a 1 <- b ? <- c 2");
  assert.equal(chainOf([node("a", "1"), node("b", "2")]), "");
});
