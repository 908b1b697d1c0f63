import assert from "node:assert/strict";
import { beforeEach, test, type TestContext } from "node:test";
import type { DebugConfiguration } from "vscode";
import { takenOver } from "../../src/launch/takeOver";
import { registerCodeLens } from "../../src/ways/codeLens";
import { registerCommands } from "../../src/ways/commands";
import { asking, FakeDocument, FakeSession } from "./fake/asking";
import { editor } from "./fake/editor";
import { opened, settled } from "./fake/host";
import { debug, endSession, resetFake, Uri } from "./fake/vscode";

interface Lens {
  range: { start: { line: number } };
  command: { title: string; command: string; arguments: unknown[] };
}

beforeEach(() => {
  resetFake();
  asking.documents.clear();
});

function registered(t: TestContext): { lenses: () => Lens[]; elsewhere: () => number } {
  const { host } = opened(t);
  const registrations = [registerCodeLens(host.sessions), registerCommands(host, { focus: () => Promise.resolve() })];
  t.after(() => {
    for (const each of registrations) each.dispose();
  });
  const provide = editor.lenses!.provideCodeLenses as (document: unknown) => Lens[];
  const lenses = (): Lens[] => provide(new FakeDocument(Uri.file("/w/shop.py"), "x\n".repeat(20)));
  return { lenses, elsewhere: () => host.sessions.elsewhere().length };
}

function other(type: string, configuration: Record<string, unknown> = {}): FakeSession {
  return new FakeSession("o1", "theirs", () => ({}), false, type, { program: "/w/shop.py", ...configuration });
}

test("at an exception under another debug adapter a lens offers to start the program again with dap-ai", async (t) => {
  const { lenses } = registered(t);
  const session = other("debugpy");
  session.stop("/w/shop.py", 5);
  const [lens, ...more] = lenses();
  assert.deepEqual([lens?.range.start.line, lens?.command.title, more], [4, "$(debug-restart) Restart with dap-ai to ask why", []]);
  await (editor.commands.get(lens!.command.command) as (...args: unknown[]) => Promise<void>)(...lens!.command.arguments);
  await settled();
  assert.deepEqual(debug.started, [{ type: "debugpy", name: "theirs", request: "launch", program: "/w/shop.py", dapAiThisTime: true }]);
  assert.deepEqual(lenses(), []); // the session has ended
});

test("there is none at a breakpoint, after it has gone on, for what was attached to, nor for adapters that dap-ai does not know", (t) => {
  const { elsewhere } = registered(t);
  const session = other("debugpy");
  session.event("stopped", { reason: "breakpoint", threadId: 1 });
  assert.equal(elsewhere(), 0);
  session.stop("/w/shop.py", 5);
  assert.equal(elsewhere(), 1);
  session.event("continued");
  assert.equal(elsewhere(), 0);
  endSession(session);
  for (const stranger of [other("debugpy", { request: "attach" }), other("pwa-node")]) {
    stranger.stop("/w/shop.py", 5);
    assert.equal(elsewhere(), 0);
  }
});

test("a configuration of an adapter that dap-ai cannot stand before becomes one of its own", () => {
  const theirs = { name: "shop", request: "launch", program: "/w/a.out", args: ["1"], cwd: "/w", preLaunchTask: "build" };
  const cppdbg = { type: "cppdbg", ...theirs, MIMode: "gdb", miDebuggerPath: "/usr/bin/gdb", environment: [{ name: "A", value: "1" }] };
  assert.deepEqual(takenOver(cppdbg as DebugConfiguration), { type: "dap-ai", ...theirs, backend: "gdb", env: { A: "1" } });
  assert.deepEqual(takenOver({ type: "lldb", ...theirs }), { type: "dap-ai", ...theirs, backend: "lldb" });
});
