import assert from "node:assert/strict";
import { beforeEach, test, type TestContext } from "node:test";
import type { Memento } from "vscode";
import { Stops } from "../../src/launch/stops";
import type { AskCaught } from "../../src/shared/protocol";
import type { Host } from "../../src/ask/host";
import { registerCaught } from "../../src/ways/caught";
import { editor } from "./fake/editor";
import { asks, opened, settled, stopped } from "./fake/host";
import { debug, endSession, fake, resetFake } from "./fake/vscode";
import { FakeSession } from "./fake/asking";

beforeEach(() => {
  resetFake();
});

const CAUGHT: AskCaught = { type: "KeyError", message: "'a'", file: "/w/shop.py", line: 4, function: "do_GET", filter: "userUnhandled", ended: false, traceback: { type: "KeyError" } };

function memento(): Memento {
  const kept = new Map<string, unknown>();
  const get = (name: string): unknown => kept.get(name);
  return { get, keys: () => [...kept.keys()], update: (name: string, value: unknown) => Promise.resolve(void kept.set(name, value)) } as Memento;
}

interface Registered {
  host: Host;
  stops: Stops;
  session: FakeSession;
  infos: () => unknown;
  tell: (more?: Partial<AskCaught>) => Promise<void>;
  /** What was asked after the end of the session. */
  later: unknown[];
}

function registered(t: TestContext): Registered {
  const later: unknown[] = [];
  const { host } = opened(t, undefined, undefined, () => ({
    id: "later",
    name: "",
    customRequest: (_command, args) => Promise.resolve(void later.push(args)).then(() => ({ askId: "dap-ai-ask-1", conversationId: "c1" })),
    close: () => undefined,
  }));
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
  return { host, stops, session, infos: () => host.state().sessions[0]?.caught, tell, later };
}

const TEXT = "Nothing stopped at this error, because something caught it: KeyError at shop.py:4.";

test("one notification says what can be done about an error at which nothing stopped, once for each error of a run", async (t) => {
  const { session, tell, infos } = registered(t);
  await tell();
  await tell();
  const child = stopped("s2");
  child.parentSession = session;
  child.event("continued");
  child.event("askCaught", CAUGHT); // a worker of a pool reports the same
  await settled();
  assert.deepEqual(fake.shown, [TEXT]);
  assert.deepEqual(fake.buttons, ["Stop at This Error Next Time", "Ask"]);
  assert.deepEqual(infos(), { type: "KeyError", file: "/w/shop.py", line: 4 });
  endSession(session);
  const next = stopped("s3");
  next.event("continued");
  next.event("askCaught", CAUGHT);
  await settled();
  assert.deepEqual(fake.shown, [TEXT, TEXT]);
});

const show = async (): Promise<void> => {
  await (editor.commands.get("dapAi.showCaught") as () => Promise<void>)();
  await settled();
};

test("the offer can be reached in the status bar until the next start; when the program has ended it can be run again", async (t) => {
  const { session, tell } = registered(t);
  await tell();
  assert.equal(fake.statusBar, "$(bug) KeyError at shop.py:4");
  endSession(session);
  await show();
  assert.deepEqual([fake.shown, fake.buttons], [[TEXT, TEXT], ["Run Again and Stop There", "Ask"]]);
  fake.started.fire(session); // VS Code may tell of its own start late
  assert.notEqual(fake.statusBar, "");
  fake.started.fire(new FakeSession("s2", "till", () => ({})));
  assert.equal(fake.statusBar, "");
  await show();
  assert.equal(fake.shown.length, 2);
});

test("Ask asks in that session, while the program runs", async (t) => {
  const { session, tell } = registered(t);
  fake.choose = "Ask";
  await tell();
  assert.equal(asks(session).length, 1);
});

test("when the program has ended, Ask asks from the traceback and the output, and shows the same answer the next time", async (t) => {
  const { host, session, tell, later } = registered(t);
  session.event("output", { category: "stdout", output: "1 failed" });
  fake.choose = "Ask";
  await tell({ ended: true });
  endSession(session);
  await settled();
  const args = { question: "Why did it happen?", progress: false, earlier: { turns: [], output: "1 failed", caught: CAUGHT.traceback } };
  assert.deepEqual([asks(session), later], [[], [args]]);
  host.newConversation();
  await show();
  assert.equal(later.length, 1);
  const turn = host.state().conversation?.turns[0];
  assert.deepEqual([turn?.spot, turn?.cause], ["shop.py:4", "KeyError: 'a'"]);
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
  assert.deepEqual(fake.buttons, ["Run Again and Stop There", "Ask"]);
  assert.equal(fake.statusBar, "");
  assert.deepEqual(debug.started, [{ type: "dap-ai", name: "shop s1", request: "launch", module: "pytest" }]);
  assert.deepEqual(stops.of("shop s1"), ["userUnhandled"]);
});

test("a stop at an exception ends what was said of a caught one", async (t) => {
  const { session, infos, tell } = registered(t);
  await tell();
  session.stop("/w/shop.py", 9);
  assert.equal(infos(), undefined);
  assert.equal(fake.statusBar, "");
});
