// One code-server with the extensions installed, in folders of its own, and the files by which a test speaks to them.
import { execFile, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { ROOT, installVsCode, packExtensions } from "./install.mjs";

export const PROJECT = resolve(ROOT, "..");
const START_MS = 60_000;
const SETTINGS = {
  "workbench.reduceMotion": "on",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "git.enabled": false,
  "window.confirmBeforeClose": "never",
  "debug.internalConsoleOptions": "neverOpen",
  "debug.onTaskErrors": "abort",
  "editor.minimap.enabled": false,
  "editor.cursorBlinking": "solid",
  "chat.commandCenter.enabled": false,
};
/** One key for what a scenario leaves behind: the palette would take a second for each. */
const TIDY_UP = {
  key: "ctrl+alt+shift+f12",
  command: "runCommands",
  args: {
    commands: [
      "dapAi.forgetConversations",
      "workbench.debug.viewlet.action.removeAllBreakpoints",
      "workbench.debug.panel.action.clearReplAction",
      "workbench.action.closePanel",
      "workbench.action.closeAuxiliaryBar",
      "notifications.clearAll",
      "workbench.action.closeAllEditors",
    ],
  },
};
/** A Python that has dap_ai. */
export const PYTHON = process.env["DAP_AI_TEST_PYTHON"] ?? join(PROJECT, ".venv", "bin", "python");
/** Those of the scope "machine" count in a remote window, as this is, only from here. */
const MACHINE_SETTINGS = { "dapAi.python": PYTHON };

const program = (name) => ({ request: "launch", program: `\${workspaceFolder}/${name}`, console: "internalConsole" });
const LLDB_DAP = join(PROJECT, ".venvs", "native", "bin", "lldb-dap");
const GDB = join(PROJECT, ".venvs", "native", "bin", "gdb");
const CONFIGURATIONS = [
  { name: "payroll", type: "dap-ai", ...program("payroll.py") },
  { name: "share", type: "dap-ai", ...program("share.py") },
  { name: "split", type: "dap-ai", ...program("split.py") },
  { name: "counter", type: "dap-ai", ...program("counter.py") },
  { name: "of another extension", type: "debugpy", ...program("share.py") },
  { name: "feed", type: "dap-ai", ...program("feed.py") },
  { name: "tests", type: "dap-ai", request: "launch", module: "pytest", args: ["-q", "-p", "no:cacheprovider"], cwd: "${workspaceFolder}", console: "internalConsole" },
  { name: "agent run", type: "dap-ai-agent", request: "launch", run: "${workspaceFolder}/discount.traj.json" },
  { name: "live agent", type: "dap-ai-agent", request: "launch", command: [PYTHON, "tiny.py", "Go."], cwd: "${workspaceFolder}", env: { OPENAI_BASE_URL: "${config:scripted.model}" }, stopOnEntry: true },
  { name: "no run", type: "dap-ai-agent", request: "launch", run: "payroll.py" },
  { name: "parent", type: "dap-ai", ...program("parent.py") },
  { name: "pool", type: "dap-ai", ...program("pool.py") },
  { name: "native", type: "dap-ai", backend: LLDB_DAP, ...program("crash") },
  { name: "of LLDB", type: "lldb-dap", debugAdapterExecutable: LLDB_DAP, request: "launch", program: "${workspaceFolder}/crash" },
  { name: "of GDB", type: "gdb", gdbpath: GDB, request: "launch", target: "./crash", arguments: "one 'two words'", cwd: "${workspaceFolder}" },
];

/** Starts it. Dispose of it with `stop()`. */
export async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), "dap-ai-vscode-"));
  const server = new Server(folder);
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

class Server {
  constructor(folder) {
    this.folder = folder;
    this.workspace = join(folder, "workspace");
    this.script = join(folder, "fakelm.jsonl");
    this.modelLog = join(folder, "fakelm.log");
    this.standInLog = join(folder, "stand-in.log");
    this.config = join(folder, "dap-ai.toml");
    this.log = join(folder, "server.log");
    this.dataHome = join(folder, "share");
    this.written = 0;
  }

  async start() {
    const data = join(this.folder, "data");
    for (const each of [join(data, "User"), join(data, "Machine"), join(this.workspace, ".vscode")]) mkdirSync(each, { recursive: true });
    this.settings({});
    writeFileSync(join(data, "User", "keybindings.json"), JSON.stringify([TIDY_UP]));
    this.file(".vscode/launch.json", JSON.stringify({ version: "0.2.0", configurations: CONFIGURATIONS }));
    this.configure("");
    for (const file of [this.modelLog, this.standInLog]) writeFileSync(file, "");
    const [node, entry] = await installVsCode();
    this.vsix = await packExtensions(this.folder);
    const common = ["--user-data-dir", data, "--extensions-dir", join(this.folder, "extensions"), "--config", join(this.folder, "config.yaml")];
    const environment = this.environment();
    const installs = this.vsix.flatMap((vsix) => ["--install-extension", vsix]);
    await promisify(execFile)(node, [entry, ...common, ...installs], { env: environment });
    this.port = await freePort();
    const options = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
    const log = openSync(this.log, "a");
    this.child = spawn(node, [entry, ...options, ...common, "--bind-addr", `127.0.0.1:${this.port}`], {
      env: environment,
      stdio: ["ignore", log, log],
      detached: true, // a group of its own: the extension hosts end with it
    });
    this.forget = endWithUs(this.child.pid, this.folder);
    await this.answers();
  }

  /** dap-ai and the debug adapters as `dev.py test` prepares them; nothing of the user's own. */
  environment() {
    const kept = Object.entries(process.env).filter(([name]) => !/^(DAP_AI_|OPENAI_|VSCODE_|NODE_OPTIONS|VIRTUAL_ENV)/.test(name));
    return {
      ...Object.fromEntries(kept),
      EXTENSIONS_GALLERY: '{"serviceUrl":""}', // or it looks up a public gallery
      DAP_AI_CONFIG: this.config,
      DAP_AI_SOCKETS: join(this.folder, "sockets"), // these sessions are nobody else's
      FAKELM_SCRIPT: this.script,
      FAKELM_LOG: this.modelLog,
      STANDIN_LOG: this.standInLog,
      STANDIN_PYTHON: PYTHON,
      XDG_DATA_HOME: this.dataHome, // recordings of these tests, and of nobody else
    };
  }

  async answers() {
    const end = Date.now() + START_MS;
    while (!(await fetch(`http://127.0.0.1:${this.port}/healthz`).then((response) => response.ok, () => false))) {
      if (this.child.exitCode !== null || Date.now() > end) throw new Error(`code-server has not started:\n${readFileSync(this.log, "utf8")}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  get url() {
    return `http://127.0.0.1:${this.port}/?folder=${this.workspace}`;
  }

  /**
   * The user's settings of VS Code, beside those of all tests. An open window reads only the second file again. Returns
   * its title when it has done so.
   */
  settings(more) {
    const write = (place, settings) => writeFileSync(join(this.folder, "data", place, "settings.json"), JSON.stringify(settings));
    const title = `settings ${++this.written}`;
    write("User", { ...SETTINGS, ...more });
    write("Machine", { ...MACHINE_SETTINGS, ...more, "window.title": title });
    return title;
  }

  /** The user's own configuration of dap_ai, read when a session starts. */
  configure(toml) {
    writeFileSync(this.config, toml);
  }

  /** The replies of the fake model of VS Code. */
  modelSays(...replies) {
    writeFileSync(this.script, replies.map((reply) => JSON.stringify(reply)).join("\n"));
  }

  /** As it was at first: what VS Code itself is to be told, and nothing else. */
  emptyWorkspace() {
    for (const name of readdirSync(this.workspace)) if (name !== ".vscode") rmSync(join(this.workspace, name), { recursive: true });
  }

  /** A file of the workspace. Returns its path. */
  file(name, text) {
    const path = join(this.workspace, name);
    writeFileSync(path, text);
    return path;
  }

  /** One of the project's examples, copied into the workspace. */
  example(name) {
    const path = join(this.workspace, name.split("/").at(-1));
    copyFileSync(join(PROJECT, "examples", name), path);
    return path;
  }

  /** What code-server and the extension have logged. */
  logs() {
    const folder = join(this.folder, "data", "logs");
    const names = existsSync(folder) ? readdirSync(folder, { recursive: true }).filter((name) => /dap-ai[^/]*\.log$/.test(name)) : [];
    const files = [this.log, ...names.map((name) => join(folder, name))];
    return files.map((file) => `== ${file}\n${readFileSync(file, "utf8")}`).join("\n");
  }

  async stop() {
    if (this.child && this.child.exitCode === null) {
      const ended = new Promise((resolve) => this.child.once("close", resolve));
      process.kill(-this.child.pid, "SIGTERM");
      const timer = setTimeout(() => process.kill(-this.child.pid, "SIGKILL"), 10_000);
      await ended;
      clearTimeout(timer);
      this.forget?.();
    }
    if (existsSync(this.folder)) rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Whatever ends this process ends the group too. Returns what forgets it. */
function endWithUs(group, folder) {
  const end = () => {
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // it has ended
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const leave = () => process.exit(1); // runs `end`
  process.on("exit", end);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, leave);
  return () => {
    process.off("exit", end);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.off(signal, leave);
  };
}

async function freePort() {
  const socket = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => socket.once("listening", resolve));
  const { port } = socket.address();
  await new Promise((resolve) => socket.close(resolve));
  return port;
}
