import assert from "node:assert/strict";
import { homedir } from "node:os";
import { beforeEach, test, type TestContext } from "node:test";
import { isPythonExtensionAsleep, onDidSelectInterpreter, selectedInterpreter } from "../../src/proxy/pythonExtension";
import { extensions, fake, Uri } from "./fake/vscode";

beforeEach(() => {
  fake.reset();
  fake.folders.push({ uri: Uri.file("/w/shop"), name: "shop", index: 0 });
});

/** The Python extension, with an interpreter selected, until the test ends. */
function installed(t: TestContext, path: string): { isActive: boolean; select: () => void } {
  const state = { isActive: false, select: (): void => undefined };
  const environments = {
    getActiveEnvironmentPath: () => ({ path }),
    onDidChangeActiveEnvironmentPath: (listener: (event: unknown) => void) => (state.select = () => { listener({}); }),
  };
  const activate = (): Promise<unknown> => {
    state.isActive = true;
    return Promise.resolve({ environments });
  };
  const before = extensions.getExtension;
  extensions.getExtension = () => ({ get isActive() { return state.isActive; }, activate });
  t.after(() => (extensions.getExtension = before));
  return state;
}

test("without the Python extension its setting counts, with variables replaced", { skip: process.platform === "win32" }, async () => {
  process.env["SHOP_ENV"] = "/env";
  const cases = [
    ["${workspaceFolder}/.venv/bin/python", "/w/shop/.venv/bin/python"],
    ["${workspaceFolder:shop}/bin/python", "/w/shop/bin/python"],
    ["${env:SHOP_ENV}/bin/python", "/env/bin/python"],
    ["~/env/bin/python", `${homedir()}/env/bin/python`],
    ["${userHome}/bin/python", `${homedir()}/bin/python`],
    [".venv/bin/python", "/w/shop/.venv/bin/python"],
    ["python3.12", "python3.12"],
    ["python", undefined],
    ["", undefined],
  ];
  for (const [set, expected] of cases) {
    fake.settings.set("python.defaultInterpreterPath", set);
    assert.equal(await selectedInterpreter(fake.folders[0]?.uri as never), expected);
  }
});

test("the Python extension sleeps until somebody needs an interpreter", async (t) => {
  assert.ok(!isPythonExtensionAsleep());
  installed(t, "/env/bin/python");
  assert.ok(isPythonExtensionAsleep());
  assert.equal(await selectedInterpreter(), "/env/bin/python");
  assert.ok(!isPythonExtensionAsleep());
});

test("another choice of interpreter is heard of, however late the Python extension came, and once", async (t) => {
  let times = 0;
  const subscription = onDidSelectInterpreter(() => (times += 1));
  t.after(() => { subscription.dispose(); });
  const python = installed(t, "/env/bin/python");
  await selectedInterpreter();
  python.select();
  assert.equal(times, 1);
});
