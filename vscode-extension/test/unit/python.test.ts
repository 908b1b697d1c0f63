import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type * as vscode from "vscode";
import { check, findLauncher, forgetLaunchers, pythonIn } from "../../src/proxy/python";
import { fake, Uri } from "./fake/vscode";

const isWindows = process.platform === "win32";
const PATH = process.env["PATH"];
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "dap-ai-python-"));
  fake.reset();
  forgetLaunchers();
  // What this machine has is not to be found.
  process.env["PATH"] = join(root, "path");
  fake.folders.push({ uri: Uri.file(join(root, "work")), name: "work", index: 0 });
});

afterEach(() => {
  process.env["PATH"] = PATH;
  rmSync(root, { recursive: true, force: true });
});

/** A program that prints `says` and counts how often it runs. */
function program(path: string, says: string, code = 0): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho ran >> "${path}.runs"\necho "${says}"\nexit ${code}\n`);
  chmodSync(path, 0o755);
  return path;
}

const folder = (): vscode.WorkspaceFolder => fake.folders[0] as unknown as vscode.WorkspaceFolder;
const venv = (name: string): string => pythonIn(join(root, "work", name));

test("a Python that has dap-ai starts it without the working folder on its path", { skip: isWindows }, async () => {
  const python = program(join(root, "python"), "0.1.0");
  const found = await check({ program: python, source: "a test" });
  assert.deepEqual([found?.version, found?.source, found?.argv[0], found?.argv[1]], ["0.1.0", "a test", python, "-E"]);
});

test("in a folder that shadows Python's modules it starts dap-ai, and none of them", { skip: isWindows }, async () => {
  const [opened, library, marks] = [join(root, "work"), join(root, "library"), join(root, "marks")];
  for (const each of [opened, join(library, "dap_ai"), marks]) mkdirSync(each, { recursive: true });
  const mark = `open(${JSON.stringify(marks)} + "/" + __name__, "w").close()\n`;
  for (const name of ["json", "random", "signal", "dap_ai", "sitecustomize"]) writeFileSync(join(opened, `${name}.py`), mark);
  writeFileSync(join(library, "dap_ai", "__init__.py"), "__version__ = '0.4.0'\nimport random, signal\n");
  writeFileSync(join(library, "dap_ai", "cli.py"), "import json\ndef main(prog_name): print(prog_name)\n");
  process.env["PATH"] = [".", "", PATH].join(":");
  process.env["PYTHONPATH"] = [".", "", library].join(":");
  program(join(opened, "python3"), "0.1.0");
  try {
    const found = await check({ program: "python3", source: "PATH" });
    assert.equal(found?.version, "0.4.0");
    const [python, ...args] = found.argv;
    assert.equal(execFileSync(python, args, { cwd: opened, encoding: "utf8" }), "dap-ai\n");
    assert.deepEqual(readdirSync(marks), []);
    assert.ok(!existsSync(join(opened, "python3.runs")));
  } finally {
    delete process.env["PYTHONPATH"];
  }
});

test("the script dap-ai starts itself", { skip: isWindows }, async () => {
  const script = program(join(root, "dap-ai"), "dap-ai, version 0.2.0");
  assert.deepEqual((await check({ program: script, source: "PATH" }))?.argv, [script]);
});

test("what fails, is missing or says something else is no dap-ai", { skip: isWindows }, async () => {
  const fails = program(join(root, "python"), "0.1.0", 1);
  const other = program(join(root, "python3"), "hello");
  for (const each of [fails, other, join(root, "none")]) assert.equal(await check({ program: each, source: "" }), undefined);
});

test("what was found is not asked again, what was not is", { skip: isWindows }, async () => {
  const found = program(join(root, "a"), "0.1.0");
  const none = program(join(root, "b"), "no", 1);
  for (const each of [found, found, none, none]) await check({ program: each, source: "" });
  assert.equal(readFileSync(`${found}.runs`, "utf8"), "ran\n");
  assert.equal(readFileSync(`${none}.runs`, "utf8"), "ran\nran\n");
});

test("the setting wins, and with it no other is tried", { skip: isWindows }, async () => {
  program(venv(".venv"), "0.1.0");
  fake.settings.set("dapAi.python", "${workspaceFolder}/none");
  assert.equal(await findLauncher(folder(), undefined), undefined);
  assert.ok(!existsSync(`${venv(".venv")}.runs`));
  fake.settings.set("dapAi.python", program(join(root, "work", "own"), "0.3.0"));
  assert.equal((await findLauncher(folder(), undefined))?.version, "0.3.0");
});

test("then come the interpreter, the workspace's environments, our own, uv's tool, and PATH", { skip: isWindows }, async () => {
  const places: [string, () => unknown][] = [
    ["PATH", () => program(join(root, "path", "python3"), "0.1.0")],
    ["uv tool", () => {
      program(join(root, "path", "uv"), join(root, "tools"));
      return program(pythonIn(join(root, "tools", "dap-ai")), "0.1.0");
    }],
    ["dap-ai's own environment", () => program(pythonIn(join(root, "own")), "0.1.0")],
    ["the workspace's venv", () => program(venv("venv"), "0.1.0")],
    ["the workspace's .venv", () => program(venv(".venv"), "0.1.0")],
    ["the selected interpreter", () => fake.settings.set("python.defaultInterpreterPath", program(join(root, "python"), "0.1.0"))],
  ];
  for (const [source, make] of places) {
    make();
    assert.equal((await findLauncher(folder(), join(root, "own")))?.source, source);
  }
});

test("in a folder that is not trusted nothing is run that it brings along", { skip: isWindows }, async () => {
  const own = [program(venv(".venv"), "0.1.0"), program(join(root, "work", "python"), "0.2.0")];
  fake.settings.set("python.defaultInterpreterPath", own[1]);
  program(join(root, "path", "python3"), "0.3.0");
  fake.isTrusted = false;
  for (const where of [folder(), undefined]) assert.equal((await findLauncher(where, undefined))?.source, "PATH");
  for (const each of own) assert.ok(!existsSync(`${each}.runs`));
});
