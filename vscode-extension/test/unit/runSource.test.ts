import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { DebugSession } from "vscode";
import type { Cli } from "../../src/runs/cli";
import { Scratch } from "../../src/runs/scratch";
import { SessionSource } from "../../src/runs/sessionSource";
import type { RunHostMessage } from "../../src/shared/runMessages";
import { settled } from "./fake/host";
import { EventEmitter, fake } from "./fake/vscode";

const EVENTS = 900;

beforeEach(() => {
  fake.reset();
});

/** A session over a run of 900 events, and what was asked of it. */
function made(known = ""): { source: SessionSource; asked: [string, Record<string, unknown>][]; posted: RunHostMessage[]; stop: (at: number) => void; end: () => void; answered: (body: object) => void; run: { total: number } } {
  const [changed, ended, received] = [new EventEmitter<undefined>(), new EventEmitter<unknown>(), new EventEmitter<unknown>()];
  const asked: [string, Record<string, unknown>][] = [];
  const posted: RunHostMessage[] = [];
  const run = { total: EVENTS };
  let standing = { index: 0, isHeld: false, threadId: 7 };
  let stop: object = {};
  const session = {
    id: "s", name: "run",
    customRequest: (command: string, given: { first: number; count: number }) => {
      asked.push([command, given]);
      const events = Array.from({ length: Math.max(0, Math.min(given.count, run.total - given.first)) }, (_, at) => ({ index: given.first + at, kind: "note" }));
      return Promise.resolve(command === "runView" ? { view: { path: "/r", known, total: run.total, first: given.first, events }, isAnalysed: true, standing } : {});
    },
  } as unknown as DebugSession;
  const sessions = { get: () => ({ stop }), onDidChange: changed.event, onDidEnd: ended.event, onDidReceive: received.event } as unknown as ConstructorParameters<typeof SessionSource>[1];
  const cli = { ask: (...args: string[]) => Promise.resolve(JSON.stringify({ path: args[1], events: [], known: "" })) } as unknown as Cli;
  const source = new SessionSource(session, sessions, cli, new Scratch());
  return {
    source, asked, posted, run,
    stop: (at) => {
      [stop, standing] = [{}, { index: at, isHeld: true, threadId: 7 }];
      changed.fire(undefined);
    },
    end: () => { ended.fire({ session }); },
    answered: (body) => { received.fire({ session, event: "askEnded", body }); },
  };
}

const firsts = (asked: [string, Record<string, unknown>][]): unknown[] => asked.splice(0).filter(([command]) => command === "runView").map(([, { first }]) => first);

test("a run is read in pages, the first one small, and after a stop only from where it is known", async () => {
  const { source, asked, posted, stop } = made();
  await source.begin((message) => posted.push(message));
  assert.deepEqual(firsts(asked), [0, 400]);
  stop(12);
  await settled();
  assert.deepEqual(firsts(asked), [EVENTS]);
  assert.deepEqual(posted.at(-1), { type: "standing", standing: { index: 12, isHeld: true, threadId: 7 }, can: { goTo: true, open: true } });
  source.dispose();
});

test("of a run that grows the last events are read again: they may still become others", async () => {
  const { source, asked, posted, stop, run } = made("the run so far");
  await source.begin((message) => posted.push(message));
  asked.length = 0;
  run.total += 5;
  stop(3);
  await settled();
  assert.deepEqual(firsts(asked), [EVENTS - 100]);
  source.dispose();
});

test("a mark moves the debugger in the thread of the held event, and an edit is a value as JSON", async () => {
  const { source, asked, posted } = made();
  await source.begin((message) => posted.push(message));
  asked.length = 0;
  await source.receive({ type: "goTo", index: 5 });
  await source.receive({ type: "edit", index: 5, name: "args.command", value: 'say "hi"' });
  assert.deepEqual(asked, [["goto", { threadId: 7, targetId: 5 }], ["setExpression", { expression: "args.command", value: '"say \\"hi\\""' }]]);
  assert.deepEqual(posted.at(-1), { type: "edited", index: 5, name: "args.command", value: 'say "hi"' });
  source.dispose();
});

test("steps that an answer rests on are marked, and other evidence is not", async () => {
  const { source, posted, answered } = made();
  await source.begin((message) => posted.push(message));
  answered({ answer: "It is step 4.\nMore.", evidence: [{ expression: "step 4" }, { expression: "step 4" }, { expression: "total" }] });
  assert.deepEqual(posted.at(-1), { type: "cited", steps: [4], words: "It is step 4." });
  source.dispose();
});

test("when the session of a live run is over its recording tells the end, and nothing is moved any more", async () => {
  const { source, posted, end } = made("the run so far");
  await source.begin((message) => posted.push(message));
  end();
  await settled();
  const last = posted.at(-1);
  assert.ok(last?.type === "run" && last.run.path === "/r" && last.can.goTo === undefined);
  await assert.rejects(source.receive({ type: "goTo", index: 1 }), /The session is over/);
  source.dispose();
});
