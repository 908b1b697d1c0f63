import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test as anyTest } from "node:test";
import type { WorkspaceFolder } from "vscode";
import { choosePython, install, offerInstall } from "../../src/proxy/install";
import { forgetLaunchers, pythonIn } from "../../src/proxy/python";
import { editor } from "./fake/editor";
import { fake, Uri } from "./fake/vscode";

const test = (name: string, run: () => Promise<void>): unknown => anyTest(name, { skip: process.platform === "win32" }, run);
const PATH = process.env["PATH"];
let root: string;
let own: string;

beforeEach(() => {
  fake.reset();
  forgetLaunchers();
  root = mkdtempSync(join(tmpdir(), "dap-ai-install-"));
  own = join(root, "own");
  // What this machine has is not to be found.
  process.env["PATH"] = join(root, "path");
  fake.folders.push({ uri: Uri.file(root), name: "work", index: 0 });
});

afterEach(() => {
  process.env["PATH"] = PATH;
  rmSync(root, { recursive: true, force: true });
});

/** A program that says yes to everything, or to nothing. */
function program(name: string, says = "yes", code = 0): string {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "${says}"\nexit ${code}\n`);
  chmodSync(file, 0o755);
  return file;
}

const folder = (): WorkspaceFolder => fake.folders[0] as unknown as WorkspaceFolder;

test("an offer that is closed does nothing", async () => {
  await offerInstall(folder(), own);
  assert.deepEqual(fake.shown, ["No Python with dap-ai was found."]);
  assert.deepEqual(fake.buttons, ["Install...", "Choose Python...", "Learn more"]);
  assert.deepEqual([editor.offered, editor.ran, fake.executed], [[], [], []]);
});

test("Learn more opens the walkthrough", async () => {
  fake.choose = "Learn more";
  await offerInstall(folder(), own);
  assert.deepEqual(fake.executed, [["dapAi.learnMore"]]);
});

test("a setting that starts no dap-ai is named, and can be cleared", async () => {
  fake.settings.set("dapAi.python", "/none/python");
  fake.choose = "Clear the setting";
  await offerInstall(folder(), own);
  assert.match(fake.shown[0] ?? "", /The setting dapAi.python names \/none\/python, which does not start dap-ai/);
  assert.equal(fake.settings.get("dapAi.python"), undefined);
  assert.deepEqual(fake.executed, [["dapAi.doctor"]]);
});

test("an environment of its own is made with the first new Python, then dap-ai is installed there and checked", async () => {
  program("path/python3");
  fake.choose = "Install...";
  editor.pick = "An environment of its own";
  await offerInstall(folder(), own);
  assert.deepEqual(editor.ran, [
    [join(root, "path", "python3"), "-I", "-m", "venv", own],
    [pythonIn(own), "-I", "-m", "pip", "install", "--upgrade", "dap-ai"],
  ]);
  assert.deepEqual(fake.executed, [["dapAi.doctor"]]);
});

test("uv, and the selected interpreter by its pip, are offered where they are", async () => {
  program("path/uv");
  fake.settings.set("python.defaultInterpreterPath", program("env/bin/python"));
  await install(folder(), own);
  assert.deepEqual(editor.offered, ["An environment of its own", "A tool of uv", "The selected interpreter"]);
  assert.deepEqual([editor.ran, fake.shown], [[], []]);
});

test("an old Python is not offered an environment", async () => {
  program("path/python3", "", 1);
  program("path/uv");
  await install(folder(), own);
  assert.deepEqual(editor.offered, ["A tool of uv"]);
});

test("a machine without Python is told to get one, and is offered nothing", async () => {
  await install(folder(), own);
  assert.deepEqual(fake.shown, ["There is no Python 3.10 or newer on this machine: install one first."]);
  assert.deepEqual(editor.offered, []);
});

test("a step that fails, or is closed, or cannot begin, ends the installation with words", async () => {
  program("path/python3");
  editor.pick = "An environment of its own";
  const ways = [() => 1, () => "closed" as const, () => new Error("no tasks here")];
  for (const way of ways) {
    editor.taskEnds = way;
    await install(folder(), own);
  }
  const why = ["the terminal says why.", "the terminal says why.", "no tasks here"];
  assert.deepEqual(fake.shown, why.map((each) => `dap-ai was not installed: ${each}`));
  assert.deepEqual(editor.ran.map((argv) => argv[3]), ["venv", "venv", "venv"]);
  assert.deepEqual(fake.executed, []);
});

test("a Python that is chosen must have dap-ai", async () => {
  editor.chosen = { fsPath: program("other/python", "hello") };
  assert.equal(await choosePython(folder()), undefined);
  assert.match(fake.shown[0] ?? "", /other\/python does not start dap-ai\. Install dap-ai there, or choose another\./);
  assert.equal(fake.settings.get("dapAi.python"), undefined);
  editor.chosen = { fsPath: program("good/python", "0.1.0") };
  assert.equal((await choosePython(folder()))?.version, "0.1.0");
  assert.equal(fake.settings.get("dapAi.python"), editor.chosen.fsPath);
});

test("no Python is chosen when the dialog is closed", async () => {
  assert.equal(await choosePython(folder()), undefined);
  assert.deepEqual(fake.shown, []);
});
