import assert from "node:assert/strict";
import { test } from "node:test";
import { backendOf, completeNative, completePython, isOfChild } from "../../src/launch/completing";

test("a Python file, a module, code, and a program that connects are debugpy's", () => {
  for (const fields of [
    { program: "/work/shop.py" },
    { program: "/work/tool.pyz" },
    { program: "${file}" },
    { module: "pytest" },
    { code: "print(1)" },
    { connect: { port: 5678 } },
    { listen: { port: 5678 } },
    { processId: "17" },
  ]) {
    assert.equal(backendOf(fields), "debugpy", JSON.stringify(fields));
  }
});

test("any other program, a core file and a pid are lldb's", () => {
  for (const fields of [{ program: "/work/build/main" }, { coreFile: "/work/core" }, { pid: 17 }]) {
    assert.equal(backendOf(fields), "lldb", JSON.stringify(fields));
  }
});

test("a backend that is named is taken as it is", () => {
  assert.equal(backendOf({ backend: " gdb ", program: "/work/shop.py" }), "gdb");
  assert.equal(backendOf({ backend: "dlv dap", module: "x" }), "dlv dap");
});

test("a Python launch gets a terminal, the workspace's folder and the selected interpreter, unless it says otherwise", () => {
  const program = "/work/a/shop.py";
  assert.deepEqual(completePython({ request: "launch", program }, "/work", "/env/bin/python"), {
    ...{ request: "launch", program, console: "integratedTerminal", cwd: "/work", python: ["/env/bin/python"] },
  });
  const own = { request: "launch", program, console: "internalConsole", cwd: "/tmp", python: "/own/python" };
  assert.deepEqual(completePython(own, "/work", "/env/bin/python"), own);
});

test("without a folder, a Python file runs where it is", () => {
  assert.equal(completePython({ request: "launch", program: "/work/a/shop.py" }, undefined, undefined)["cwd"], "/work/a");
});

test("a Python attach stays as it is", () => {
  const fields = { request: "attach", connect: { port: 5678 } };
  assert.equal(completePython(fields, "/work", "/env/bin/python"), fields);
});

test("a process that was picked from a list becomes a native adapter's pid", () => {
  assert.deepEqual(completeNative({ request: "attach", processId: "17" }, "/work"), { request: "attach", pid: 17 });
  assert.deepEqual(completeNative({ request: "attach", pid: 18, processId: "17" }, "/work"), { request: "attach", pid: 18 });
});

test("a native launch runs in the workspace's folder", () => {
  assert.deepEqual(completeNative({ request: "launch", program: "a.out" }, "/work"), {
    ...{ request: "launch", program: "a.out", cwd: "/work" },
  });
});

test("the session of a child process is known by its token or its process", () => {
  assert.ok(isOfChild({ dapAiToken: "1" }));
  assert.ok(isOfChild({ subProcessId: 17 }));
  assert.ok(!isOfChild({ connect: { port: 5678 } }));
});
