import assert from "node:assert/strict";
import { test } from "node:test";
import type { DebugAdapterServer, DebugSession } from "vscode";
import { AdapterFactory } from "../../src/launch/adapterFactory";
import type { Place } from "../../src/proxy/served";

/** The proxy of the token `t` listens at 4711. */
const proxies = {
  placeFor: (token: unknown): Promise<Place | undefined> => Promise.resolve(token === "t" ? { port: 4711, token: "t" } : undefined),
};

async function connectOf(configuration: object, parent?: object): Promise<object> {
  const session = { configuration, parentSession: parent && { configuration: parent } } as unknown as DebugSession;
  const { port, host } = (await new AdapterFactory(proxies).createDebugAdapterDescriptor(session)) as DebugAdapterServer;
  return { port, host };
}

test("a session connects to its own proxy, also one that attaches elsewhere", async () => {
  const expected = { port: 4711, host: "127.0.0.1" };
  assert.deepEqual(await connectOf({ dapAiToken: "t" }), expected);
  assert.deepEqual(await connectOf({ dapAiToken: "t", connect: { port: 5678 } }), expected);
  assert.deepEqual(await connectOf({ dapAiToken: "t", connect: { port: 5678 } }, { type: "node" }), expected);
});

test("the session of a child process connects where its parent's proxy says", async () => {
  const parent = { dapAiToken: "t" };
  for (const connect of [{ host: "127.0.0.1", port: "5" }, { port: 5 }]) {
    assert.deepEqual(await connectOf({ dapAiToken: "t", connect }, parent), { port: 5, host: "127.0.0.1" });
  }
});

test("the session of a child process that names no address goes to its parent's proxy", async () => {
  assert.deepEqual(await connectOf({ dapAiToken: "t" }, { dapAiToken: "t" }), { port: 4711, host: "127.0.0.1" });
});

test("a session that no proxy was started for says so", async () => {
  await assert.rejects(connectOf({ connect: { port: 5678 } }), /dap-ai was not started for this session\. Start it again/);
});
