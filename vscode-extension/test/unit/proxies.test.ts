import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test as anyTest, type TestContext } from "node:test";
import type { CancellationToken, DebugAdapterTracker, DebugConfiguration, WorkspaceFolder } from "vscode";
import { Proxies } from "../../src/proxy/proxies";
import { forgetLaunchers } from "../../src/proxy/python";
import { asking } from "./fake/asking";
import { settled } from "./fake/host";
import { CancellationTokenSource, fake, Uri } from "./fake/vscode";

const LISTENS = `
  const port = Number(process.argv[process.argv.indexOf("--listen") + 1].split(":")[1]);
  const server = require("node:net").createServer();
  server.listen(port, "127.0.0.1", () => console.error("dap-ai: listening on 127.0.0.1:" + server.address().port));
  process.stdin.on("end", () => process.exit(0)).resume();
`;
const TRACEBACK = `console.error('Traceback (most recent call last):\\n  File "/x.py", line 1, in f\\n    f()\\nImportError: no x'); process.exit(1)`;

const OPTIONS = { skip: process.platform === "win32", timeout: 60_000 };
const test = (name: string, run: (context: TestContext) => Promise<void>): unknown => anyTest(name, OPTIONS, run);
const FOLDER = { uri: Uri.file(tmpdir()), name: "w", index: 0 } as unknown as WorkspaceFolder;
let root: string;
let proxies: Proxies;

beforeEach(() => {
  fake.reset();
  forgetLaunchers();
  root = mkdtempSync(join(tmpdir(), "dap-ai-proxies-"));
  proxies = new Proxies(join(root, "own"), () => Promise.resolve({}));
  fake.settings.set("dapAi.python", join(root, "python"));
});

afterEach(() => {
  proxies.dispose();
  rmSync(root, { recursive: true, force: true });
});

/** A Python with a dap-ai that does what `script` says, in Node; it writes its process id into a file for each start. */
function dapAi(script: string): void {
  const all = `require("node:fs").appendFileSync(${JSON.stringify(join(root, "started"))}, process.pid + "\\n");${script}`;
  writeFileSync(join(root, "dap-ai.js"), all);
  const shell = `#!/bin/sh\n[ $# -eq 3 ] && echo 0.1.0 && exit\nshift 3\nexec "${process.execPath}" "${join(root, "dap-ai.js")}" "$@"\n`;
  writeFileSync(join(root, "python"), shell);
  chmodSync(join(root, "python"), 0o755);
}

const starts = (): number[] => readFileSync(join(root, "started"), "utf8").trim().split("\n").map(Number);

function through(name = "shop", cancelled?: CancellationToken): Promise<DebugConfiguration | undefined> {
  return proxies.through(FOLDER, { type: "dap-ai", request: "launch", name }, { backend: "debugpy" }, cancelled);
}

const portOf = async (token: unknown): Promise<number | undefined> => (await proxies.placeFor(token))?.port;

/** VS Code begins the session, or begins it again. */
async function begin(configuration: DebugConfiguration): Promise<DebugAdapterTracker | undefined> {
  const factory = asking.trackers as unknown as { createDebugAdapterTracker(session: unknown): Promise<DebugAdapterTracker> };
  return factory.createDebugAdapterTracker({ name: configuration.name, configuration });
}

/** The first notification, once it is there. */
function shown(): Promise<string> {
  const [first] = fake.shown;
  if (first !== undefined) return Promise.resolve(first);
  return new Promise((resolve) => {
    const subscription = fake.showing.event((text) => {
      subscription.dispose();
      resolve(text);
    });
  });
}

test("a configuration is sent to a proxy of its own, whose token finds it", async () => {
  dapAi(LISTENS);
  const configuration = (await through())!;
  assert.deepEqual(Object.keys(configuration), ["type", "request", "name", "debugServer", "dapAiToken", "askEvents"]);
  assert.equal(await portOf(configuration["dapAiToken"]), configuration.debugServer);
  assert.equal(await portOf("another"), undefined);
  assert.equal(await portOf(undefined), undefined);
});

test("sessions of one name that start together do not end each other", async () => {
  dapAi(LISTENS);
  const [one, other] = (await Promise.all([through(), through()])) as [DebugConfiguration, DebugConfiguration];
  assert.notEqual(one.debugServer, other.debugServer);
  const trackers = [await begin(one), await begin(other)];
  assert.deepEqual(trackers.map((tracker) => tracker !== undefined), [true, true]);
});

test("a proxy that dies while it starts is told in two lines, and the next try starts", async () => {
  dapAi(TRACEBACK);
  assert.equal(await through(), undefined);
  assert.deepEqual(fake.shown, ['"shop" was not started. dap-ai ended with exit code 1 while it was starting.\nImportError: no x']);
  assert.deepEqual(fake.buttons, ["Show log", "Check the installation"]);
  assert.ok(fake.logged.includes('shop:   File "/x.py", line 1, in f'));
  dapAi(LISTENS);
  assert.ok(await through());
});

test("a proxy that is slow is told with the setting that gives it more time", async () => {
  dapAi("setInterval(() => undefined, 1000)");
  fake.settings.set("dapAi.startTimeout", 0.3);
  assert.equal(await through(), undefined);
  assert.deepEqual(fake.shown, ['"shop" was not started. dap-ai has not started within 0.3 seconds (the setting dapAi.startTimeout).']);
});

test("a proxy that dies later is told once, and a restart has another at its place", async () => {
  dapAi(LISTENS);
  const configuration = (await through())!;
  await begin(configuration);
  process.kill(starts()[0]!, "SIGKILL");
  assert.equal(await shown(), "shop: the connection is lost. dap-ai was ended by SIGKILL.");
  const again = await begin(configuration);
  assert.ok(again);
  assert.deepEqual([starts().length, await portOf(configuration["dapAiToken"])], [2, configuration.debugServer]);
  assert.equal(fake.shown.length, 1);
});

test("a restart that finds no dap-ai says so, by the session's name", async () => {
  dapAi(LISTENS);
  const configuration = (await through())!;
  await begin(configuration);
  process.kill(starts()[0]!, "SIGKILL");
  await shown();
  rmSync(join(root, "python"));
  forgetLaunchers();
  assert.equal(await begin(configuration), undefined);
  assert.equal(fake.shown[1], '"shop" cannot go on. dap-ai is no longer where it was.');
});

test("the proxy of a start that came to nothing ends with the next one, and starts again if it is wanted after all", async () => {
  dapAi(LISTENS);
  const first = (await through())!;
  await through();
  assert.ok(await begin(first));
  assert.deepEqual([starts().length, await portOf(first["dapAiToken"])], [3, first.debugServer]);
});

test("where dap-ai is missing nothing starts, and installing it is offered", async () => {
  assert.equal(await through(), undefined);
  assert.match(await shown(), /names .*python, which does not start dap-ai/);
  assert.ok(!existsSync(join(root, "started")));
});

test("a session without a token is none of its business", async () => {
  assert.equal(await begin({ type: "node", request: "launch", name: "other" }), undefined);
});

test("a dap-ai that has gone is looked for again after one failure", async () => {
  dapAi(LISTENS);
  await through();
  rmSync(join(root, "python"));
  assert.equal(await through(), undefined);
  assert.match(fake.shown[0] ?? "", /^"shop" was not started\. dap-ai cannot be started: .*ENOENT/);
  await through();
  assert.match(fake.shown[1] ?? "", /which does not start dap-ai/);
});

test("the log is shown, or the installation checked, as the user chooses", async () => {
  dapAi(TRACEBACK);
  fake.choose = "Check the installation";
  await through();
  await settled();
  assert.deepEqual(fake.executed, [["dapAi.doctor"]]);
});

test("a proxy that starts while the window closes ends with it", async () => {
  dapAi(LISTENS);
  const starting = through();
  proxies.dispose();
  const configuration = await starting;
  assert.equal(await portOf(configuration?.["dapAiToken"]), undefined);
  while (runs(starts()[0]!)) await settled();
});

test("a start that the user cancels ends its proxy, and nothing is said", async () => {
  dapAi("setTimeout(() => undefined, 60_000)"); // it starts, and listens too late
  const source = new CancellationTokenSource();
  const starting = through("shop", source.token);
  while (!existsSync(join(root, "started"))) await settled();
  source.cancel();
  const configuration = await starting;
  assert.equal(await portOf(configuration?.["dapAiToken"]), undefined);
  while (runs(starts()[0]!)) await settled();
  await through("shop", source.token);
  assert.equal(starts().length, 1);
});

test("a start that fails when the user has cancelled it is no news", async () => {
  dapAi(TRACEBACK);
  const source = new CancellationTokenSource();
  const starting = through("shop", source.token);
  while (!existsSync(join(root, "started"))) await settled();
  source.cancel();
  assert.equal(await starting, undefined);
  assert.deepEqual(fake.shown, []);
});

test("where VS Code would wait too long for a tracker, it gets one before the new proxy listens", async (context) => {
  dapAi(LISTENS);
  const configuration = (await through())!;
  (await begin(configuration))?.onExit?.(0, undefined);
  process.kill(starts()[0]!, "SIGKILL");
  await shown();
  dapAi("setTimeout(() => undefined, 60_000)");
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const beginning = begin(configuration);
  context.mock.timers.tick(800);
  assert.ok(await beginning);
});

test("the first start looks for dap-ai once", async () => {
  dapAi(LISTENS);
  const python = readFileSync(join(root, "python"), "utf8");
  writeFileSync(join(root, "python"), python.replace("#!/bin/sh\n", `#!/bin/sh\n[ $# -eq 3 ] && echo looked >> "${join(root, "looked")}"\n`));
  await through();
  assert.equal(readFileSync(join(root, "looked"), "utf8"), "looked\n");
});

test("the log says which dap-ai was started by what, in front of which adapter, and holds no token", async () => {
  dapAi(LISTENS);
  const token = String((await through())?.["dapAiToken"]);
  const log = fake.logged.join("\n");
  assert.ok(log.includes(`shop: starting dap-ai 0.1.0 by ${join(root, "python")} (the setting dapAi.python), in front of debugpy`));
  assert.ok(!log.includes(token));
});

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
