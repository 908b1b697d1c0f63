import assert from "node:assert/strict";
import { beforeEach, test, type TestContext } from "node:test";
import type { Memento } from "vscode";
import { Stops } from "../../src/launch/stops";
import type { AskCaught } from "../../src/shared/protocol";
import { registerCaught } from "../../src/ways/caught";
import { editor } from "./fake/editor";
import { asks, opened, settled, stopped } from "./fake/host";
import { debug, fake, resetFake } from "./fake/vscode";
import type { FakeSession } from "./fake/asking";

beforeEach(() => {
  resetFake();
});

const CAUGHT: AskCaught = { type: "KeyError", message: "'a'", file: "/w/shop.py", line: 4, function: "do_GET", filter: "userUnhandled", ended: false };

function memento(): Memento {
  const kept = new Map<string, unknown>();
  const get = (name: string): unknown => kept.get(name);
  return { get, keys: () => [...kept.keys()], update: (name: string, value: unknown) => Promise.resolve(void kept.set(name, value)) } as Memento;
}

function registered(t: TestContext): { stops: Stops; session: FakeSession; infos: () => unknown; tell: (more?: Partial<AskCaught>) => Promise<void> } {
  const { host } = opened(t);
  const stops = new Stops(memento());
  const registration = registerCaught(host, { focus: () => Promise.resolve() }, stops);
  t.after(() => {
    registration.dispose();
  });
  const session = stopped();
  session.event("continued");
  const tell = async (more: Partial<AskCaught> = {}): Promise<void> => {
    session.event("askCaught", { ...CAUGHT, ...more });
    await settled();
  };
  return { stops, session, infos: () => host.state().sessions[0]?.caught, tell };
}

test("one notification says what can be done about an error at which nothing stopped, once for each error", async (t) => {
  const { tell, infos } = registered(t);
  await tell();
  await tell();
  assert.deepEqual(fake.shown, ["Nothing stopped at this error, because something caught it: KeyError at shop.py:4."]);
  assert.deepEqual(fake.buttons, ["Stop at This Error Next Time", "Ask"]);
  assert.deepEqual(infos(), { type: "KeyError", file: "/w/shop.py", line: 4 });
});

test("Ask asks in that session, while the program runs", async (t) => {
  const { session, tell } = registered(t);
  fake.choose = "Ask";
  await tell();
  assert.equal(asks(session).length, 1);
});

test("Stop at This Error Next Time tells the session at once, and is remembered by the configuration's name", async (t) => {
  const { session, stops, tell } = registered(t);
  fake.choose = "Stop at This Error Next Time";
  await tell();
  assert.deepEqual(session.requests, [{ command: "askStopAt", args: { filter: "userUnhandled" } }]);
  assert.deepEqual([stops.of("shop s1"), stops.of("another")], [["userUnhandled"], []]);
  await (editor.commands.get("dapAi.forgetStops") as () => Promise<void>)();
  assert.deepEqual(stops.of("shop s1"), []);
});

test("what has ended can be run again, and stops there: the configuration is what it was, without what was of its connection", async (t) => {
  const { session, stops, tell } = registered(t);
  Object.assign(session.configuration, { module: "pytest", debugServer: 4711, dapAiToken: "t", askEvents: true, __sessionId: "s" });
  fake.choose = "Run Again and Stop There";
  await tell({ ended: true });
  assert.deepEqual(fake.buttons, ["Run Again and Stop There"]);
  assert.deepEqual(debug.started, [{ type: "dap-ai", name: "shop s1", request: "launch", module: "pytest" }]);
  assert.deepEqual(stops.of("shop s1"), ["userUnhandled"]);
});

test("a stop at an exception ends what was said of a caught one", async (t) => {
  const { session, infos, tell } = registered(t);
  await tell();
  session.stop("/w/shop.py", 9);
  assert.equal(infos(), undefined);
});
