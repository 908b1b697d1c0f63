import assert from "node:assert/strict";
import test from "node:test";
import { pointedFrameOf, pointedOf, spotOf, whyFrame, whySelection, whyValue } from "../../src/ask/why";

test("a variable's menu names the expression, the value and the session", () => {
  const variable = { name: "prices", evaluateName: "shop['prices']", value: "[]", variablesReference: 0 };
  const pointed = pointedOf({ sessionId: "s1", container: { expensive: false }, variable });
  assert.deepEqual(pointed, { expression: "shop['prices']", value: "[]", sessionId: "s1" });
  assert.equal(whyValue(pointed), "Why is `shop['prices']` []?");
});

test("a watch is known by its name, and what is no variable is refused", () => {
  assert.deepEqual(pointedOf({ name: "len(prices)", value: "0" }), { expression: "len(prices)", value: "0" });
  for (const other of [undefined, null, 3, "x", {}, { variable: {} }]) assert.equal(pointedOf(other), undefined);
});

test("a long value is left out of the question", () => {
  assert.equal(whyValue({ expression: "a\n  .b", value: "x".repeat(100) }), "Why is `a .b` what it is?");
});

test("a row of the call stack is known by VS Code's own ids", () => {
  const threadId = "thread:11-22:1";
  const location = { range: { startLineNumber: 11 }, source: { path: "/w/shop.py" } };
  const context = { sessionId: "11-22", threadId, frameId: `stackframe:${threadId}:2:shop.py`, frameLocation: location };
  assert.deepEqual(pointedFrameOf(context), { sessionId: "11-22", threadId: 1, index: 2, spot: "shop.py:11" });
  assert.deepEqual(pointedFrameOf({ sessionId: "11-22", threadId }), { sessionId: "11-22", threadId: 1 });
  assert.deepEqual(pointedFrameOf(undefined), {});
  assert.equal(whyFrame("shop.py:11"), "What is wrong in this frame (shop.py:11), and how did the program get here?");
});

test("a short selection is asked about as a value, a long one as code with its place", () => {
  assert.equal(whySelection(" prices ", "shop.py:3"), "Why is `prices` what it is?");
  assert.match(whySelection("a = 1\nb = 2", "shop.py:3"), /\(shop\.py:3\)\?\n\n```\na = 1\nb = 2\n```$/);
});

test("where a program stands is said in short", () => {
  const top = { frameId: 1, frame: "f", file: "C:\\w\\shop.py", line: 5 };
  assert.equal(spotOf({ reason: "step", frames: new Map(), top }), "shop.py:5");
  assert.equal(spotOf({ reason: "step", frames: new Map() }), undefined);
});
