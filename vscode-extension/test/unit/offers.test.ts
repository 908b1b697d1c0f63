import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import type { Disposable, LanguageModelChat } from "vscode";
import type { Lender } from "../../src/ask/lender";
import { FakeSession } from "./fake/asking";
import { opened, settled, stopped } from "./fake/host";
import { endSession, resetFake } from "./fake/vscode";

beforeEach(() => {
  resetFake();
});

/** A lender of what a test says, and which models it was asked for. */
class FakeLender implements Lender {
  providers: string[] = ["editor"];
  name: string | undefined = "Fake 1";
  readonly models: (LanguageModelChat | undefined)[] = [];
  private listeners: (() => void)[] = [];
  readonly onDidChange = (listener: (event: undefined) => unknown): Disposable => {
    this.listeners.push(() => listener(undefined));
    return { dispose: () => undefined };
  };

  offered(): string[] {
    return this.providers;
  }
  lentModel(): string | undefined {
    return this.name;
  }
  onAskModel(_session: unknown, _body: unknown, model?: LanguageModelChat): void {
    this.models.push(model);
  }
  change(providers: string[]): void {
    this.providers = providers;
    for (const listener of this.listeners) listener();
  }
}

const offers = (session: FakeSession): unknown[] =>
  session.requests.filter(({ command }) => command === "askOffer").map(({ args }) => args);

test("a session is told once what is lent to its console, at its first stop", (t) => {
  opened(t, new FakeLender());
  const session = new FakeSession("s1", "shop", () => ({}));
  assert.deepEqual(offers(session), []);
  session.stop("/w/shop.py", 5);
  session.stop("/w/shop.py", 6);
  assert.deepEqual(offers(session), [{ providers: ["editor"], lentModel: "Fake 1" }]);
});

test("where nothing is lent, nothing is said", (t) => {
  const lender = new FakeLender();
  lender.providers = [];
  opened(t, lender);
  assert.deepEqual(offers(stopped()), []);
});

test("another choice is told to every session, also that nothing is lent any more", (t) => {
  const lender = new FakeLender();
  opened(t, lender);
  const sessions = [stopped("s1"), stopped("s2")];
  lender.change([]);
  lender.change([]);
  for (const session of sessions) assert.deepEqual(offers(session).at(-1), {});
  for (const session of sessions) assert.equal(offers(session).length, 2);
});

test("a session that has ended is told nothing", (t) => {
  const lender = new FakeLender();
  opened(t, lender);
  const session = stopped();
  endSession(session);
  lender.change([]);
  assert.equal(offers(session).length, 1);
});

test("a dap-ai that does not know of offers is used all the same", async (t) => {
  const { host } = opened(t, new FakeLender());
  stopped("s1", (command) => {
    if (command === "askOffer") throw new Error("notSupported");
    return undefined;
  });
  const turn = host.ask("why?");
  await settled();
  assert.equal(turn?.error, undefined);
});

test("a question waits until the session knows of another choice, and lends what is lent then", async (t) => {
  let told: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (told = resolve));
  const lender = Object.assign(new FakeLender(), { ready: () => ready });
  const { host } = opened(t, lender);
  const session = stopped();
  host.ask("why?");
  await settled();
  const sent = (): unknown[] => session.requests.filter(({ command }) => command === "ask").map(({ args }) => args["providers"]);
  assert.deepEqual(sent(), []);
  lender.change([]);
  told();
  await settled();
  assert.deepEqual(sent(), [undefined]);
});

test("the model that a question brings along is named and asked, also when it is wanted before the id is known", async (t) => {
  const lender = new FakeLender();
  const { host } = opened(t, lender);
  const session = stopped();
  const model = { name: "Picked" } as LanguageModelChat;
  host.ask("why?", { model });
  session.event("askModel", { requestId: "r1", askId: "dap-ai-ask-1", messages: [] });
  await settled();
  assert.deepEqual(lender.models, [model]);
  const [asked] = session.requests.filter(({ command }) => command === "ask");
  assert.equal(asked?.args["lentModel"], "Picked");
});
