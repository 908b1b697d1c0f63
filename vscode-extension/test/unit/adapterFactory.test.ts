import assert from "node:assert/strict";
import { test } from "node:test";
import type { DebugSession } from "vscode";
import { AdapterFactory } from "../../src/launch/adapterFactory";

const connectOf = (configuration: object): object =>
  new AdapterFactory().createDebugAdapterDescriptor({ configuration } as unknown as DebugSession);

test("the session of a child process connects where its parent's proxy says", () => {
  assert.deepEqual({ ...connectOf({ dapAiToken: "t", connect: { host: "127.0.0.1", port: "5" } }) }, { port: 5, host: "127.0.0.1" });
  assert.deepEqual({ ...connectOf({ dapAiToken: "t", connect: { port: 5 } }) }, { port: 5, host: "127.0.0.1" });
});

test("a session that no proxy was started for says so", () => {
  assert.throws(() => connectOf({ connect: { port: 5678 } }), /dap-ai was not started for this session\. Start it again/);
});
