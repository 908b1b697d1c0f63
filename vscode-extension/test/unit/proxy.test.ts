import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { Proxy, type ProxyError, type ProxyOptions } from "../../src/proxy/proxy";

/** A stand-in for `dap-ai`: `script` runs in Node, with what a proxy is given. */
function options(script: string, more: Partial<ProxyOptions> = {}): ProxyOptions {
  return {
    argv: [process.execPath, "-e", script, "--"],
    backend: "debugpy",
    cwd: undefined,
    environment: {},
    secrets: {},
    logFile: undefined,
    timeoutMs: 20_000,
    onLine: () => undefined,
    onEnd: () => undefined,
    ...more,
  };
}

const LISTENS = `
  const server = require("node:net").createServer((socket) => socket.end(JSON.stringify([process.argv.slice(1), process.env])));
  server.listen(0, "127.0.0.1", () => console.error("dap-ai: listening on 127.0.0.1:" + server.address().port));
  process.stdin.on("end", () => process.exit(0)).resume();
`;

async function told(port: number): Promise<[string[], Record<string, string>]> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (data) => (text += data.toString()));
  await once(socket, "close");
  return JSON.parse(text) as [string[], Record<string, string>];
}

test("it says where it listens, is told what to serve, and ends with its stdin", async () => {
  let onEnd: ProxyOptions["onEnd"] = () => undefined;
  const ended = new Promise<ProxyError | undefined>((resolve) => (onEnd = resolve));
  const more = { backend: "gdb -i dap", logFile: "/tmp/log", environment: { DAP_AI_LEVEL: "observe" }, secrets: { KEY: "1" } };
  const proxy = await Proxy.start(options(LISTENS, { ...more, onEnd }));
  const [args, env] = await told(proxy.port);
  assert.deepEqual(args, [
    ...["serve", "--listen", "127.0.0.1:0", "--until-eof", "--backend", "gdb -i dap", "--log", "/tmp/log"],
  ]);
  assert.equal(env["DAP_AI_TOKEN"], proxy.token);
  assert.deepEqual([env["DAP_AI_LEVEL"], env["KEY"], env["DAP_AI_PRIVATE"]], ["observe", "1", "DAP_AI_TOKEN,DAP_AI_LEVEL,KEY"]);
  proxy.dispose();
  assert.equal(await ended, undefined);
});

const HEARS = `${LISTENS}
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { answerer } = JSON.parse(line);
    console.error("dap-ai: " + (answerer.DAP_AI_MODEL === "wrong" ? "who answers was not changed: no" : "from now on: " + answerer.DAP_AI_MODEL));
  });
`;

test("who answers is said by stdin, in turn, and it says who that is", async () => {
  const proxy = await Proxy.start(options(HEARS));
  const all = ["one", "wrong", "two"].map((model) => proxy.answerBy({ DAP_AI_MODEL: model, OPENAI_API_KEY: null }));
  assert.deepEqual(await Promise.all(all), ["one", undefined, "two"]);
  proxy.dispose();
  assert.equal(await proxy.answerBy({}), undefined);
});

test("variables for the debug adapter are not dap-ai's own", async () => {
  const proxy = await Proxy.start(options(LISTENS, { adapterEnvironment: { PYTHONHOME: "/lldb" } }));
  const [, env] = await told(proxy.port);
  assert.deepEqual([env["PYTHONHOME"], env["DAP_AI_ADAPTER_ENV"]], [undefined, '{"PYTHONHOME":"/lldb"}']);
  proxy.dispose();
});

test("one that takes the place of another has its port and token", async () => {
  const before = await Proxy.start(options(LISTENS));
  const { port, token } = before;
  before.dispose();
  await before.ended;
  const script = LISTENS.replace("listen(0", `listen(${port}`);
  const after = await Proxy.start(options(script, { port, token }));
  assert.deepEqual([after.port, after.token, (await told(port))[0][2]], [port, token, `127.0.0.1:${port}`]);
  after.dispose();
});

test("no two have the same token", async () => {
  const [one, other] = await Promise.all([Proxy.start(options(LISTENS)), Proxy.start(options(LISTENS))]);
  assert.notEqual(one.token, other.token);
  one.dispose();
  other.dispose();
});

test("one that ends while it starts says why", async () => {
  const lines: string[] = [];
  const script = `console.error("Usage: dap-ai\\n\\nError: no backend 'x'"); process.exit(2)`;
  await assert.rejects(Proxy.start(options(script, { onLine: (line) => lines.push(line) })), {
    name: "ProxyError",
    message: "dap-ai ended with exit code 2 while it was starting.\nno backend 'x'",
  });
  assert.deepEqual(lines, ["Usage: dap-ai", "", "Error: no backend 'x'"]);
});

test("one that ends with a traceback says what it ends in, and the log has all of it", async () => {
  const lines: string[] = [];
  const frames = Array.from({ length: 20 }, (_each, index) => `  File "/x/module.py", line ${index + 1}, in f\n    f()`);
  const traceback = ["Traceback (most recent call last):", ...frames, "ImportError: no module named x"].join("\n");
  const script = `console.error(${JSON.stringify(traceback)}); process.exit(1)`;
  await assert.rejects(Proxy.start(options(script, { onLine: (line) => lines.push(line) })), {
    message: "dap-ai ended with exit code 1 while it was starting.\nImportError: no module named x",
  });
  assert.equal(lines.join("\n"), traceback);
});

test("one that is not there says so", async () => {
  await assert.rejects(Proxy.start({ ...options(""), argv: ["/no/such/python"] }), /cannot be started: .*ENOENT/);
});

test("a folder that is not there is named, not the program", async () => {
  await assert.rejects(Proxy.start(options("", { cwd: "/no/such/folder" })), /cannot be started: there is no folder \/no\/such\/folder$/);
});

test("one that does not listen in time is ended", async () => {
  const script = `console.error("busy"); setInterval(() => undefined, 1000)`;
  await assert.rejects(Proxy.start(options(script, { timeoutMs: 500 })), /not started within 0.5 seconds/);
});

test("one that does not end with its stdin is killed after a while, which is no failure", async (context) => {
  const ends: unknown[] = [];
  const script = LISTENS.replace("process.exit(0)", "undefined");
  const proxy = await Proxy.start(options(script, { onEnd: (error) => ends.push(error) }));
  context.mock.timers.enable({ apis: ["setTimeout"] });
  proxy.dispose();
  proxy.dispose();
  context.mock.timers.tick(10_000);
  await proxy.ended;
  assert.deepEqual(ends, [undefined]);
});

test("one that dies later is told with its last lines", async () => {
  let onEnd: ProxyOptions["onEnd"] = () => undefined;
  const ended = new Promise<ProxyError | undefined>((resolve) => (onEnd = resolve));
  const script = `${LISTENS} server.on("connection", () => { console.error("Traceback: oh"); process.exit(1); });`;
  const proxy = await Proxy.start(options(script, { onEnd }));
  connect(proxy.port, "127.0.0.1").on("error", () => undefined);
  assert.equal((await ended)?.message, "dap-ai ended with exit code 1.\nTraceback: oh");
});
