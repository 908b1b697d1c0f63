import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonIn } from "../../src/proxy/reason";

const FRAMES = ['  File "/x/cli.py", line 3, in <module>', "    from dap_ai import serve", "    ^^^^^^^^^^^^^^^^^^^^^^^^"];

test("of a Python traceback only the exception is shown, also when its beginning is missing", () => {
  const failed = ["ImportError: libssl.so.3: cannot open shared object file", "  Expected in: /usr/lib"];
  const shown = "ImportError: libssl.so.3: cannot open shared object file";
  assert.equal(reasonIn(["a warning", "Traceback (most recent call last):", ...FRAMES, ...failed]), shown);
  assert.equal(reasonIn([...FRAMES.slice(1), ...FRAMES, ...failed]), shown);
});

test("of exceptions that were caused by another, the last is shown", () => {
  const next = ["", "The above exception was the direct cause of the following exception:", ""];
  assert.equal(reasonIn([...FRAMES, "OSError: one", ...next, "Traceback (most recent call last):", ...FRAMES, "RuntimeError: two"]), "RuntimeError: two");
});

test("of an exception group the exception in it is shown", () => {
  const lines = ["  + Exception Group Traceback (most recent call last):", '  |   File "/x.py", line 1, in <module>', "  | ExceptionGroup: all (1 sub-exception)"];
  const inner = ["  +-+---------------- 1 ----------------", "    | Traceback (most recent call last):", '    |   File "/x.py", line 2, in f', "    |     g()", "    | ValueError: x"];
  assert.equal(reasonIn([...lines, ...inner, "    +------------------------------------"]), "ValueError: x");
});

test("colours are left out", () => {
  assert.equal(reasonIn([...FRAMES, "\u001b[1;35mKeyError\u001b[0m: \u001b[35m'x'\u001b[0m"]), "KeyError: 'x'");
});

test("a traceback that breaks off shows what came last", () => {
  assert.equal(reasonIn(FRAMES.slice(0, 2)), "from dap_ai import serve");
  assert.equal(reasonIn(FRAMES.slice(0, 1)), "");
});

test("of a refused command line, only why; of anything else, all", () => {
  assert.equal(reasonIn(["Usage: dap-ai serve", "", "Error: no backend 'x'"]), "no backend 'x'");
  assert.equal(reasonIn(["one", "two"]), "one\ntwo");
  assert.equal(reasonIn([]), "");
});
