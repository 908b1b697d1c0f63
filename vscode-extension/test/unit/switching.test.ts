import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { DebugConfiguration, WorkspaceFolder } from "vscode";
import { notCovered, registerSwitch, SwitchedConfigurations } from "../../src/launch/switching";
import type { Proxies, Wanted } from "../../src/proxy/proxies";
import type { ForeignType } from "../../src/settings";
import { editor } from "./fake/editor";
import { fake, Uri } from "./fake/vscode";

const FOLDER = { uri: Uri.file("/w"), name: "w", index: 0 } as unknown as WorkspaceFolder;

/** Proxies that start nothing. */
const proxies = {
  starts: true,
  backends: [] as string[],
  wanted: [] as Wanted[],
  through: (_folder: unknown, configuration: DebugConfiguration, wanted: Wanted) => {
    proxies.wanted.push(wanted);
    const port = 4710 + proxies.backends.push(wanted.backend);
    return Promise.resolve(proxies.starts ? { ...configuration, debugServer: port, dapAiToken: `t${port}` } : undefined);
  },
};

beforeEach(() => {
  fake.reset();
  Object.assign(proxies, { starts: true, backends: [], wanted: [] });
  fake.settings.set("dapAi.enableFor", { debugpy: true, "lldb-dap": true, gdb: true });
});

function resolve(type: ForeignType, fields: object): Promise<DebugConfiguration | undefined> {
  const configuration = { type, name: "shop", request: "launch", ...fields };
  return new SwitchedConfigurations(type, proxies)
    .resolveDebugConfigurationWithSubstitutedVariables(FOLDER, configuration);
}

/** Whether VS Code will connect to a proxy. */
async function isTaken(type: ForeignType, fields: object): Promise<boolean> {
  return (await resolve(type, fields))?.["dapAiToken"] !== undefined;
}

test("it listens to the three types, beside their owners", () => {
  registerSwitch(proxies as unknown as Proxies).dispose();
  assert.deepEqual(editor.resolved, ["debugpy", "lldb-dap", "gdb"]);
});

test("a configuration gets the proxy's address, and all else stays for its owner to resolve", async () => {
  const own = { module: "pytest", envFile: "/w/.env", preLaunchTask: "build", console: "internalConsole", python: "/p" };
  assert.deepEqual(await resolve("debugpy", own), {
    ...{ type: "debugpy", name: "shop", request: "launch", ...own },
    ...{ debugServer: 4711, dapAiToken: "t4711" },
  });
  assert.deepEqual(proxies.backends, ["debugpy"]);
});

test("nothing is taken of a type that was not switched on", async () => {
  fake.settings.set("dapAi.enableFor", { debugpy: false, gdb: true });
  assert.ok(!(await isTaken("debugpy", { program: "shop.py" })));
  assert.ok(!(await isTaken("lldb-dap", { program: "a.out" })));
  assert.ok(await isTaken("gdb", { program: "a.out" }));
});

test("an attach is taken as a launch is", async () => {
  assert.ok(await isTaken("debugpy", { request: "attach", connect: { port: 5678 } }));
  assert.ok(await isTaken("lldb-dap", { request: "attach", pid: 17 }));
});

test("each part of a compound configuration has a proxy of its own", async () => {
  const parts = await Promise.all([resolve("debugpy", { name: "shop" }), resolve("debugpy", { name: "till" })]);
  assert.deepEqual(parts.map((part) => part?.["dapAiToken"] as string), ["t4711", "t4712"]);
});

test("a run without debugging is left alone", async () => {
  assert.ok(!(await isTaken("debugpy", { program: "shop.py", noDebug: true })));
});

test("an adapter that the configuration itself names is left alone, and the user is told", async () => {
  for (const own of [{ debugServer: 99 }, { debugAdapterPath: "/own/adapter" }, { debugAdapterPort: 7 }, { debugAdapterHostname: "h" }]) {
    assert.deepEqual(await resolve("debugpy", own), { type: "debugpy", name: "shop", request: "launch", ...own });
  }
  assert.equal(fake.shown[1], '"shop" runs without dap-ai: it has a debug adapter of its own ("debugAdapterPath").');
  assert.deepEqual(fake.logged, fake.shown);
  assert.deepEqual(proxies.backends, []);
});

test("the session of a child process goes where its parent says", async () => {
  const child = { request: "attach", subProcessId: 17, connect: { port: 9 } };
  assert.equal((await resolve("debugpy", child))?.debugServer, undefined);
});

test("a session that is restarted goes to the proxy that it had", async () => {
  const first = await resolve("debugpy", { program: "shop.py" });
  assert.deepEqual(await resolve("debugpy", first!), first);
  assert.equal(proxies.backends.length, 1);
});

test("where dap-ai is missing or does not start, the session is what it was before", async () => {
  const asItWas = { type: "debugpy", name: "shop", request: "launch", program: "shop.py" };
  proxies.starts = false;
  assert.deepEqual(await resolve("debugpy", { program: "shop.py" }), asItWas);
});

test("the adapter that the owner would have started is behind the proxy", async () => {
  await resolve("lldb-dap", {});
  await resolve("lldb-dap", { debugAdapterExecutable: "/my tools/lldb-dap", debugAdapterArgs: ["--x", "a b"] });
  fake.settings.set("lldb-dap.executable-path", "/s/lldb-dap");
  fake.settings.set("lldb-dap.arguments", ["-v"]);
  await resolve("lldb-dap", {});
  await resolve("gdb", {});
  await resolve("gdb", { gdb: "/my/gdb" });
  assert.deepEqual(proxies.backends, ["lldb", '"/my tools/lldb-dap" --x "a b"', "/s/lldb-dap -v", "gdb", "/my/gdb -i dap"]);
});

test("arguments of an adapter reach it as they are written", { skip: process.platform === "win32" }, async () => {
  const debugAdapterArgs = ['settings set a "b"', "c\\d", "it's", "", "$x"];
  await resolve("lldb-dap", { debugAdapterExecutable: "lldb-dap", debugAdapterArgs });
  assert.deepEqual(proxies.backends, [String.raw`lldb-dap "settings set a \"b\"" "c\\d" "it's" "" $x`]);
});

test("what an older extension for GDB calls its target is the program or the process", async () => {
  assert.equal((await resolve("gdb", { target: "a.out" }))?.["program"], "a.out");
  assert.equal((await resolve("gdb", { target: "x", program: "a.out" }))?.["program"], "a.out");
  const attached = await resolve("gdb", { request: "attach", target: "17" });
  assert.deepEqual([attached?.["pid"], attached?.["target"]], [17, undefined]);
  assert.equal((await resolve("gdb", { request: "attach", target: "localhost:1234" }))?.["target"], "localhost:1234");
});

test("what only the owner knows what to do with stays with the owner, and the user is told once", async () => {
  const cases: [ForeignType, object, string][] = [
    ["lldb-dap", { androidComponent: "app" }, 'dap-ai does not know "androidComponent"'],
    ["gdb", { target: "a.out", ssh: { host: "h" } }, 'dap-ai does not know "ssh"'],
    ["gdb", { target: "a.out", autorun: ["load"] }, 'dap-ai does not know "autorun"'],
    ["gdb", { target: "a.out", arguments: "< input" }, 'its "arguments" are for a shell'],
    ["gdb", { target: "extended-remote /dev/ttyUSB0" }, "it is for another machine"],
  ];
  for (const [type, fields, reason] of cases) {
    assert.ok(!(await isTaken(type, fields)));
    assert.equal(fake.shown.pop(), `"shop" runs without dap-ai: ${reason}.`);
  }
  const owner = new SwitchedConfigurations("gdb", proxies);
  const configuration = { type: "gdb", name: "shop", request: "launch", ssh: {} };
  for (let times = 0; times < 2; times++) await owner.resolveDebugConfigurationWithSubstitutedVariables(FOLDER, configuration);
  assert.equal(fake.shown.length, 1);
});

test("where LLDB's extension keeps one adapter for all sessions, that one is used", async () => {
  fake.settings.set("lldb-dap.serverMode", true);
  assert.ok(!(await isTaken("lldb-dap", { program: "a.out" })));
  assert.deepEqual(fake.shown, ['"shop" runs without dap-ai: the setting "lldb-dap.serverMode" is on.']);
});

test("arguments of lldb-dap count without a path to it, and an empty path is none", async () => {
  await resolve("lldb-dap", { debugAdapterArgs: ["--x"] });
  await resolve("lldb-dap", { debugAdapterExecutable: "", debugAdapterArgs: [] });
  fake.settings.set("lldb-dap.executable-path", "/s/lldb-dap");
  await resolve("lldb-dap", { debugAdapterExecutable: "" });
  assert.deepEqual(proxies.backends, ["lldb-dap --x", "lldb", "/s/lldb-dap"]);
});

test("variables for lldb-dap reach it, from the configuration or else from its extension's settings", async () => {
  fake.settings.set("lldb-dap.environment", { FROM: "settings" });
  await resolve("lldb-dap", {});
  await resolve("lldb-dap", { debugAdapterEnv: { A: "1" } });
  fake.settings.set("lldb-dap.log-path", "/l/dap.log");
  await resolve("lldb-dap", { debugAdapterEnv: ["A=b=c", "EMPTY", "ALSO="] });
  assert.deepEqual(
    proxies.wanted.map(({ adapterEnvironment }) => adapterEnvironment),
    [{ FROM: "settings" }, { A: "1" }, { A: "b=c", EMPTY: "", ALSO: "", LLDBDAP_LOG: "/l/dap.log" }],
  );
});

test("a native adapter starts where the configuration says, as its owner would start it", async () => {
  for (const type of ["lldb-dap", "gdb", "debugpy"] as const) await resolve(type, { cwd: process.cwd() });
  await resolve("gdb", { cwd: "/none/such" });
  assert.deepEqual(proxies.wanted.map(({ cwd }) => cwd), [process.cwd(), process.cwd(), undefined, undefined]);
});

test("what an older extension for GDB calls its arguments, executable and options reaches GDB", async () => {
  const given = { target: "a.out", arguments: String.raw`--name "two words" it\'s 'a "b"' -x=""`, debugger_args: ["-iex", "set x"] };
  assert.deepEqual((await resolve("gdb", given))?.["args"], ["--name", "two words", "it's", 'a "b"', "-x="]);
  assert.equal((await resolve("gdb", { request: "attach", target: ":2345", executable: "a.out" }))?.["program"], "a.out");
  assert.deepEqual(proxies.backends, ['gdb -iex "set x" -i dap', "gdb"]);
});

test("types that the switch does not cover are named with what to do instead", () => {
  fake.settings.set("launch.configurations", [{ type: "cppdbg" }, { type: "gdb" }, { type: "cppdbg" }, null]);
  assert.deepEqual(notCovered(FOLDER), [
    'Configurations of type "cppdbg" stay without dap-ai. Write one of type "dap-ai" with "backend": "gdb" or "lldb".',
  ]);
  fake.settings.set("launch.configurations", undefined);
  assert.deepEqual(notCovered(undefined), []);
});
