// Several sessions at once, and sessions of native programs.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { CRASH, PARENT, POOL, SHARE } from "./programs.mjs";
import { PROJECT } from "./server.mjs";
import { picture, scenario } from "./world.mjs";

const hasCompiler = spawnSync("cc", ["--version"]).status === 0;

/** Why a scenario with this debugger cannot run here. */
function without(debuggerName) {
  const isThere = existsSync(join(PROJECT, ".venvs", "native", "bin", debuggerName));
  const missing = [!isThere && `${debuggerName} (dev.py setup installs it)`, !hasCompiler && "a C compiler"].filter(Boolean);
  return missing.length > 0 && `there is no ${missing.join(", no ")}`;
}

function compile(server) {
  const source = server.file("crash.c", CRASH);
  execFileSync("cc", ["-g", "-O0", "-o", join(server.workspace, "crash"), source]);
}

scenario("two sessions are asked at the same time, and each has a conversation of its own", {}, async (workbench, server) => {
  const { panel } = workbench;
  server.file("share.py", SHARE);
  server.file("split.py", SHARE);
  await workbench.debug("share");
  await workbench.debug("split"); // VS Code stays at the session that has stopped first, and so does the panel
  await workbench.showPanel();
  await panel.choose("share");
  await (await panel.locator(".empty-spot, .stop-line, select", { hasText: "share" })).first().waitFor();
  await panel.ask("why is people 0?");
  await panel.choose("split");
  await (await panel.locator(".ask-why")).waitFor();
  await panel.ask("");
  assert.match(await panel.answered(), /split\.py:2/);
  await picture(workbench, "two-sessions");
  await panel.choose("share");
  await panel.says("why is people 0?");
  assert.match(await panel.answered(), /share\.py:2/);
});

scenario("the process that a program starts is a session of its own: the failure is asked about there, the parent says where it stands", { fresh: true }, async (workbench, server) => {
  const { panel } = workbench;
  server.file("share.py", SHARE);
  server.file("parent.py", PARENT);
  await workbench.debug("parent");
  await workbench.showPanel();
  await panel.choose("share.py:2");
  await (await panel.locator(".ask-why")).waitFor();
  await panel.ask("");
  assert.match(await panel.answered(), /people is 0 at share\.py:2/);
  await panel.choose("parent.py:6");
  await (await panel.locator(".ask-why")).waitFor();
  await panel.ask("");
  const answer = await panel.answered();
  assert.match(answer, /parent\.py:6/);
  assert.doesNotMatch(answer, /people is 0/);
  await picture(workbench, "child");
});

scenario("a worker of a fork server's pool, the program's grandchild, stops and is asked about, and the program ends", { fresh: true }, async (workbench, server) => {
  const { panel, page } = workbench;
  server.file("pool.py", POOL);
  await workbench.debug("pool");
  await workbench.showPanel();
  await panel.choose("pool.py:6");
  await (await panel.locator(".ask-why")).waitFor();
  await panel.ask("what is people?");
  assert.match(await panel.answered(), /people is 3 at pool\.py:6/);
  await picture(workbench, "grandchild");
  await workbench.stopped.click();
  await page.locator(".debug-toolbar").waitFor({ state: "hidden" });
});

scenario("a native program that crashes is asked about", { fresh: true, skip: without("lldb-dap") }, async (workbench, server) => {
  const { panel } = workbench;
  compile(server);
  await workbench.debug("native");
  await workbench.showPanel();
  await panel.ask("");
  assert.match(await panel.answered(), /crash\.c:6/);
  await picture(workbench, "native");
});

scenario("a configuration of LLDB's own extension runs through dap-ai where the switch is on", { fresh: true, skip: without("lldb-dap"), settings: { "dapAi.enableFor": { "lldb-dap": true } } }, async (workbench, server) => {
  const { panel } = workbench;
  compile(server);
  const before = readFileSync(server.standInLog, "utf8");
  await workbench.debug("of LLDB");
  await workbench.showPanel();
  await panel.ask("");
  assert.match(await panel.answered(), /crash\.c:6/);
  assert.equal(readFileSync(server.standInLog, "utf8").slice(before.length), "resolved\n"); // its resolver ran, its adapter did not
});

scenario("a configuration of Native Debug runs through dap-ai by GDB's own adapter where the switch is on", { fresh: true, skip: without("gdb"), settings: { "dapAi.enableFor": { gdb: true } } }, async (workbench, server) => {
  const { panel } = workbench;
  compile(server);
  const before = readFileSync(server.standInLog, "utf8");
  await workbench.debug("of GDB");
  await workbench.showPanel();
  await panel.ask("");
  const answer = await panel.answered();
  assert.match(answer, /crash\.c:6/);
  assert.match(answer, /start = \{value=3/); // argc: both arguments have reached the program
  assert.equal(readFileSync(server.standInLog, "utf8").slice(before.length), "resolved\n"); // its resolver ran, its adapter did not
});
