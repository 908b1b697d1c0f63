import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../../src/proxy/run";

const node = (script: string): Promise<string> => run(process.execPath, ["-e", script], 60_000);

test("a program may print more than a megabyte", async () => {
  assert.equal((await node("process.stdout.write('x'.repeat(3 << 20))")).length, 3 << 20);
});

test("a program that fails is told with what it wrote to stderr", async () => {
  await assert.rejects(node("console.error('no such module'); process.exit(1)"), { message: "no such module" });
});

test("a program that takes too long is told with how long it had", async () => {
  const endless = run(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], 300);
  await assert.rejects(endless, { message: "no answer within 0.3 s" });
});
