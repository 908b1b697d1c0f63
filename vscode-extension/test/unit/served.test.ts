import assert from "node:assert/strict";
import { test } from "node:test";
import type { Proxy, ProxyError } from "../../src/proxy/proxy";
import { Served, type Place, type Start } from "../../src/proxy/served";

/** Proxies that only say where they are, and what becomes of them. */
function proxies(): { start: Start; places: (Place | undefined)[]; disposed: number[]; crash: (error?: ProxyError) => void } {
  const places: (Place | undefined)[] = [];
  const disposed: number[] = [];
  const made = {
    places,
    disposed,
    crash: ((): void => undefined) as (error?: ProxyError) => void,
    start: (place: Place | undefined, onEnd: (error?: ProxyError) => void) => {
      const number = places.push(place);
      made.crash = onEnd;
      let ended: () => void = () => undefined;
      const proxy = {
        ...{ port: place?.port ?? 4711, token: place?.token ?? "secret" },
        ended: new Promise<void>((resolve) => (ended = resolve)),
        dispose: () => {
          disposed.push(number);
          ended();
          onEnd();
        },
      };
      return Promise.resolve(proxy as unknown as Proxy);
    },
  };
  return made;
}

const unwanted = (error: ProxyError): void => {
  throw error;
};

test("a session's restart finds the proxy that still runs", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { start, places, disposed } = proxies();
  const served = new Served("", start, unwanted);
  await served.run();
  const release = await served.hold();
  release();
  context.mock.timers.tick(1000);
  const again = await served.hold();
  context.mock.timers.tick(60_000);
  assert.deepEqual([places.length, disposed], [1, []]);
  again();
});

test("settings that change before a session begins reach it where VS Code waits for it", async () => {
  const { start, places, disposed } = proxies();
  const served = new Served("", start, unwanted);
  await served.run();
  served.renew();
  await served.run();
  assert.deepEqual([places, disposed], [[undefined, { port: 4711, token: "secret" }], [1]]);
  served.end();
});

test("settings that change while a session runs reach it when it is restarted", async () => {
  const { start, places, disposed } = proxies();
  const served = new Served("", start, unwanted);
  await served.run();
  const release = await served.hold();
  served.renew();
  assert.deepEqual(disposed, []);
  release();
  await served.hold();
  assert.deepEqual([places, disposed], [[undefined, { port: 4711, token: "secret" }], [1]]);
});

test("settings that change after the last session end what waits for a restart", async () => {
  const { start, disposed } = proxies();
  const served = new Served("", start, unwanted);
  await served.run();
  (await served.hold())();
  served.renew();
  await new Promise(setImmediate);
  assert.deepEqual(disposed, [1]);
});

test("settings that change before the session has come leave it its proxy", async () => {
  const { start, disposed } = proxies();
  const served = new Served("", start, unwanted);
  await served.run();
  served.renew();
  await served.hold();
  assert.deepEqual(disposed, []);
});

test("after the last session it ends, and a late restart finds another at the same place", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { start, places, disposed } = proxies();
  const served = new Served("", start, unwanted);
  await served.run();
  const releases = [await served.hold(), await served.hold()];
  for (const release of [...releases, ...releases]) release();
  context.mock.timers.tick(60_000);
  await served.hold();
  assert.deepEqual([places, disposed], [[undefined, { port: 4711, token: "secret" }], [1]]);
});

test("a proxy that dies is told once, and a restart starts another", async () => {
  const told: string[] = [];
  const made = proxies();
  const served = new Served("", made.start, (error) => told.push(error.message));
  await served.run();
  made.crash(new Error("died") as ProxyError);
  await served.hold();
  assert.deepEqual([told, made.places.length], [["died"], 2]);
});

test("one that cannot start is tried again the next time", async () => {
  const made = proxies();
  let fails = true;
  const served = new Served("", (place, onEnd) => (fails ? Promise.reject(new Error("no")) : made.start(place, onEnd)), unwanted);
  await assert.rejects(served.run(), /no/);
  fails = false;
  assert.deepEqual(await served.run(), { port: 4711, token: "secret" });
});

test("one that ends by itself without an error is started again by a restart", async () => {
  const made = proxies();
  const served = new Served("", made.start, unwanted);
  const first = await served.run();
  made.crash();
  assert.deepEqual(await served.run(), first);
  assert.equal(made.places.length, 2);
});

test("the end of an earlier proxy leaves the one after it alone", async () => {
  const made = proxies();
  const served = new Served("", made.start, unwanted);
  await served.run();
  const { crash } = made;
  served.end();
  await served.run();
  crash();
  await served.run();
  assert.equal(made.places.length, 2);
});

test("a session whose proxy could not start keeps no later one running", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const made = proxies();
  let fails = true;
  const served = new Served("", (place, onEnd) => (fails ? Promise.reject(new Error("no")) : made.start(place, onEnd)), unwanted);
  await assert.rejects(served.hold(), /no/);
  assert.ok(served.isIdle);
  fails = false;
  (await served.hold())();
  context.mock.timers.tick(60_000);
  await Promise.resolve();
  assert.deepEqual(made.disposed, [1]);
});

test("ended twice, it still waits for its proxy's end before it starts another", async () => {
  let ends = (): void => undefined;
  let started = 0;
  const slow = { port: 1, token: "t", ended: new Promise<void>((resolve) => (ends = resolve)), dispose: () => undefined };
  const served = new Served("", () => Promise.resolve((started += 1, slow as unknown as Proxy)), unwanted);
  await served.run();
  served.end();
  served.end();
  const again = served.run();
  await new Promise(setImmediate);
  assert.equal(started, 1);
  ends();
  await again;
  assert.equal(started, 2);
});

test("a proxy that no session takes ends, and one that comes late finds another at the same place", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { start, places, disposed } = proxies();
  const served = new Served("", start, unwanted);
  await served.run();
  context.mock.timers.tick(3_600_000);
  await served.hold();
  context.mock.timers.tick(3_600_000);
  assert.deepEqual([places, disposed], [[undefined, { port: 4711, token: "secret" }], [1]]);
});
