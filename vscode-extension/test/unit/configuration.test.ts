import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { DebugConfiguration, WorkspaceFolder } from "vscode";
import { OwnConfigurations } from "../../src/launch/configuration";
import type { Proxies, Wanted } from "../../src/proxy/proxies";
import { editor } from "./fake/editor";
import { settled } from "./fake/host";
import { fake, Uri, window } from "./fake/vscode";

const isWindows = process.platform === "win32";
let root: string;

beforeEach(() => {
  fake.reset();
  root = mkdtempSync(join(tmpdir(), "dap-ai-configuration-"));
  fake.folders.push({ uri: Uri.file(root), name: "work", index: 0 });
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Proxies that start nothing, and what they were asked to serve. */
function configurations(): { own: OwnConfigurations; backends: string[] } {
  const backends: string[] = [];
  const proxies = {
    through: (_folder: unknown, configuration: DebugConfiguration, { backend }: Wanted) => {
      backends.push(backend);
      return Promise.resolve({ ...configuration, debugServer: 4711 });
    },
  };
  return { own: new OwnConfigurations(proxies as unknown as Proxies), backends };
}

const folder = (): WorkspaceFolder => fake.folders[0] as unknown as WorkspaceFolder;
const f5 = (more = {}): Promise<DebugConfiguration | null | undefined> =>
  configurations().own.resolveDebugConfiguration(folder(), { ...more } as DebugConfiguration);
const unsubstituted = (fields: object): Promise<DebugConfiguration | null | undefined> =>
  f5({ type: "dap-ai", name: "shop", ...fields });

async function resolved(fields: object, owner = configurations()): Promise<DebugConfiguration | null | undefined> {
  const configuration = { type: "dap-ai", name: "shop", request: "launch", ...fields };
  return owner.own.resolveDebugConfigurationWithSubstitutedVariables(folder(), configuration);
}

function open(languageId: string, path = join(root, "shop")): void {
  window.activeTextEditor = { document: { languageId, uri: Uri.file(path) } };
}

function program(...path: string[]): string {
  const file = join(root, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "");
  chmodSync(file, 0o755);
  return file;
}

test("F5 without launch.json runs the Python file in the editor, in a terminal", async () => {
  open("python");
  const { type, request, program, console } = (await f5())!;
  assert.deepEqual([type, request, program, console], ["dap-ai", "launch", "${file}", "integratedTerminal"]);
});

test("Run Without Debugging, without launch.json, does not debug", async () => {
  open("python");
  assert.equal((await f5({ noDebug: true }))?.noDebug, true);
});

test("F5 without launch.json opens launch.json where no program can be guessed", async () => {
  assert.equal(await f5(), null);
  open("markdown");
  assert.equal(await f5(), null);
});

test("F5 on a C file debugs the one program that was made of it", { skip: isWindows }, async () => {
  open("c", join(root, "shop.c"));
  const made = program("build", "shop");
  const configuration = await f5();
  assert.deepEqual([configuration?.backend, configuration?.program], ["lldb", made]);
});

test("F5 on a Rust file lets the user choose among programs, and starts none without", { skip: isWindows }, async () => {
  open("rust", join(root, "src", "main.rs"));
  for (const name of ["shop", "till"]) program("target", "debug", name);
  assert.equal(await f5(), undefined);
  assert.deepEqual(editor.offered, [join("target", "debug", "shop"), join("target", "debug", "till"), "Another program..."]);
  editor.pick = join("target", "debug", "till");
  assert.equal((await f5())?.program, join(root, "target", "debug", "till"));
});

test("F5 on a C file without any program asks for one", async () => {
  open("c", join(root, "shop.c"));
  assert.equal(await f5(), undefined);
  editor.chosen = { fsPath: "/elsewhere/shop" };
  assert.equal((await f5())?.program, "/elsewhere/shop");
});

test("what launch.json is offered resolves as it is", async () => {
  for (const offered of configurations().own.provideDebugConfigurations()) {
    assert.deepEqual(await f5(offered), offered);
  }
  assert.deepEqual(fake.shown, []);
});

test("a launch that names nothing to run is refused, and leads to launch.json", async () => {
  fake.choose = "Open launch.json";
  for (const backend of [undefined, "", "lldb"]) assert.equal(await unsubstituted({ program: "", backend }), undefined);
  await settled();
  assert.match(fake.shown[0] ?? "", /wants "program" or "module"/);
  assert.deepEqual(fake.executed[0], ["workbench.action.debug.configure"]);
});

test("a launch by commands, or by an adapter with attributes of its own, needs no program", async () => {
  assert.ok(await unsubstituted({ launchCommands: ["process launch"] }));
  assert.ok(await unsubstituted({ backend: "node adapter.js", url: "x" }));
  assert.ok(await unsubstituted({ request: "attach", pid: 17 }));
  assert.deepEqual(fake.shown, []);
});

test("a Python module runs in the folder, by the selected interpreter, behind a proxy for debugpy", async () => {
  fake.settings.set("python.defaultInterpreterPath", "/env/bin/python");
  const owner = configurations();
  const configuration = await resolved({ module: "pytest", args: ["-q"] }, owner);
  assert.deepEqual(configuration, {
    ...{ type: "dap-ai", name: "shop", request: "launch", module: "pytest", args: ["-q"] },
    ...{ console: "integratedTerminal", cwd: root, python: ["/env/bin/python"], debugServer: undefined },
  });
  assert.deepEqual(owner.backends, ["debugpy"]);
});

test("a native program asks no Python extension, and goes to lldb", async () => {
  fake.settings.set("python.defaultInterpreterPath", "/env/bin/python");
  const owner = configurations();
  const configuration = await resolved({ program: "/w/a.out" }, owner);
  assert.deepEqual([configuration?.["python"], configuration?.["console"], owner.backends], [undefined, undefined, ["lldb"]]);
});

test("the variables of envFile come into env, which wins", async () => {
  writeFileSync(join(root, ".env"), "A=file\nB=file\n");
  for (const envFile of [join(root, ".env"), ".env"]) {
    const configuration = await resolved({ program: "shop.py", envFile, env: { B: "own" } });
    assert.deepEqual([configuration?.["env"], configuration?.["envFile"]], [{ A: "file", B: "own" }, undefined]);
  }
});

test("an envFile that is missing is named, and nothing is started", async () => {
  const owner = configurations();
  assert.equal(await resolved({ program: "shop.py", envFile: "none.env" }, owner), undefined);
  assert.deepEqual(fake.shown, [`"envFile": there is no file ${join(root, "none.env")}.`]);
  assert.deepEqual(owner.backends, []);
});

test("a configuration with its own debugServer is left alone", async () => {
  const owner = configurations();
  assert.equal((await resolved({ program: "shop.py", debugServer: 99 }, owner))?.debugServer, 99);
  assert.deepEqual(owner.backends, []);
});

test("the session of a child process gets no proxy of its own", async () => {
  const owner = configurations();
  const told = { request: "attach", dapAiToken: "secret", connect: { host: "127.0.0.1", port: 5 } };
  assert.deepEqual(await resolved(told, owner), { type: "dap-ai", name: "shop", ...told });
  assert.deepEqual(owner.backends, []);
});
