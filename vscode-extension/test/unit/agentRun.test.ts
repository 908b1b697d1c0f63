import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { DebugConfiguration, WorkspaceFolder } from "vscode";
import { debugRun, pickRun, RunConfigurations } from "../../src/launch/agentRun";
import type { Wanted } from "../../src/proxy/proxies";
import { editor } from "./fake/editor";
import { settled } from "./fake/host";
import { fake, Uri, window } from "./fake/vscode";

let root: string;
let run: string;

beforeEach(() => {
  fake.reset();
  root = mkdtempSync(join(tmpdir(), "dap-ai-run-"));
  run = join(root, "shop.json");
  writeFileSync(run, "{}");
  fake.folders.push({ uri: Uri.file(root), name: "work", index: 0 });
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Proxies that start nothing, and which debug adapters they were asked for. */
function configurations(): { own: RunConfigurations; backends: string[] } {
  const backends: string[] = [];
  const through = (_folder: unknown, configuration: DebugConfiguration, { backend }: Wanted): Promise<DebugConfiguration> => {
    backends.push(backend);
    return Promise.resolve({ ...configuration, debugServer: 4711 });
  };
  return { own: new RunConfigurations({ through }), backends };
}

const folder = (): WorkspaceFolder => fake.folders[0] as unknown as WorkspaceFolder;
const given = (fields: object): DebugConfiguration => ({ type: "dap-ai-agent", name: "shop", request: "launch", ...fields });
const unsubstituted = (fields: object): Promise<DebugConfiguration | undefined> =>
  configurations().own.resolveDebugConfiguration(folder(), given(fields));
const resolved = (fields: object, owner = configurations()): Promise<DebugConfiguration | undefined> =>
  owner.own.resolveDebugConfigurationWithSubstitutedVariables(folder(), given(fields));

test("a run goes to the adapter of runs, by its whole path", async () => {
  const owner = configurations();
  const made = await resolved({ run: "shop.json", stopAt: "end" }, owner);
  assert.deepEqual(made, { ...given({ run, stopAt: "end" }), debugServer: undefined });
  assert.deepEqual(owner.backends, ["agents"]);
});

test("one of several runs of a file is found by its file", async () => {
  assert.equal((await resolved({ run: `${run}#3` }))?.["run"], `${run}#3`);
});

test("a path from the home folder is understood", async () => {
  assert.equal((await resolved({ run: "~" }))?.["run"], homedir());
});

test("a path where nothing is, is named, and nothing is started", async () => {
  const owner = configurations();
  assert.equal(await resolved({ run: "none.json" }, owner), undefined);
  assert.deepEqual(owner.backends, []);
  assert.ok(fake.shown[0]?.includes(join(root, "none.json")), fake.shown[0]);
});

test("a configuration without a run is refused, and leads to launch.json", async () => {
  fake.choose = "Open launch.json";
  for (const named of [undefined, "", "  ", 3]) assert.equal(await unsubstituted({ run: named }), undefined);
  await settled();
  assert.match(fake.shown[0] ?? "", /wants "run"/);
  assert.deepEqual(fake.executed[0], ["workbench.action.debug.configure"]);
});

test("an agent that is to be run goes there, too, with the folder that it runs in", async () => {
  const owner = configurations();
  const made = await resolved({ command: ["mini", "-t", "x"], cwd: "." }, owner);
  assert.deepEqual(made, { ...given({ command: ["mini", "-t", "x"], cwd: root }), debugServer: undefined });
  assert.deepEqual(owner.backends, ["agents"]);
  assert.ok(await unsubstituted({ command: ["mini"] }));
});

test("the own Python of an agent is attached to as its parent says", async () => {
  const child = { request: "attach", connect: { port: 1 }, dapAiToken: "t" };
  assert.deepEqual(await unsubstituted(child), given(child));
});

test("nobody attaches to a recorded run", async () => {
  assert.equal(await unsubstituted({ request: "attach", run }), undefined);
  assert.match(fake.shown[0] ?? "", /"launch", not "attach"/);
});

test("what listens already is connected to as it is", async () => {
  const owner = configurations();
  const fields = { debugServer: 4711, dapAiToken: "t" };
  assert.deepEqual(await unsubstituted(fields), given(fields));
  assert.deepEqual(await resolved(fields, owner), given(fields));
  assert.deepEqual(owner.backends, []);
});

test("F5 without launch.json asks for the run, and begins nothing without", async () => {
  const f5 = (): Promise<DebugConfiguration | undefined> => configurations().own.resolveDebugConfiguration(folder(), {} as DebugConfiguration);
  assert.equal(await f5(), undefined);
  editor.pick = "A file...";
  editor.chosen = { fsPath: run };
  assert.deepEqual(await f5(), { ...given({ run }), name: "shop.json" });
});

test("the file in the editor is offered first if it may be a run", async () => {
  window.activeTextEditor = { document: { uri: Uri.file(run) } };
  editor.pick = basename(run);
  assert.equal(await pickRun(), run);
  assert.deepEqual(editor.offered, ["shop.json", "A file...", "A folder..."]);
  editor.offered.length = 0;
  window.activeTextEditor = { document: { uri: Uri.file(join(root, "shop.py")) } };
  await pickRun();
  assert.deepEqual(editor.offered, ["A file...", "A folder..."]);
});

test("the command debugs what was picked, and nothing if nothing was", async () => {
  await debugRun();
  assert.deepEqual(fake.executed, []);
  editor.pick = "A folder...";
  editor.chosen = { fsPath: root };
  await debugRun();
  assert.deepEqual(fake.executed, [["startDebugging", folder(), { ...given({ run: root }), name: basename(root) }]]);
});
