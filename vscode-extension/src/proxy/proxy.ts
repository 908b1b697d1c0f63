/** A running `dap-ai serve`: one for each debug session and the sessions of its child processes. */

import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { reasonIn } from "./reason";

/** How a proxy is started. */
export interface ProxyOptions {
  /** The command line of dap-ai; see `Launcher`. */
  argv: readonly [string, ...string[]];
  /** `debugpy`, `lldb`, `gdb`, or a command line. */
  backend: string;
  /** Variables that the debug adapter gets, and dap-ai itself does not. */
  adapterEnvironment?: Record<string, string> | undefined;
  cwd: string | undefined;
  /** Added to that of VS Code, and kept from the debug adapter and the program, as `secrets` are. */
  environment: Record<string, string>;
  secrets: Record<string, string>;
  logFile: string | undefined;
  /** Those of an earlier one, whose place it takes. */
  port?: number | undefined;
  token?: string | undefined;
  timeoutMs: number;
  /** Each line that it writes to stderr. */
  onLine: (line: string) => void;
  /** It has ended after its start; with an error: by itself. */
  onEnd: (error?: ProxyError) => void;
}

/** A proxy that has not started, or has ended; `reason` is what it said of it. */
export class ProxyError extends Error {
  constructor(
    message: string,
    readonly reason: string,
  ) {
    super(reason === "" ? message : `${message}\n${reason}`);
    this.name = "ProxyError";
  }
}

const KEPT_LINES = 12;
/** An end takes so long at most: a restart waits for it. */
const END_MS = 10_000;
/** What it says in the ordinary course of things: no reason of an end. */
const ORDINARY = "dap-ai: started ";
/** It has been told who answers; see `answerBy`. */
const TAKEN = /^dap-ai: (from now on|who answers was not changed): (.*)$/;
/** An older dap-ai says nothing. */
const TAKEN_MS = 5000;
const LISTENING = /^dap-ai: listening on \S+:(\d+)$/;

/** It ends when it is told to, and with the extension host: to that its stdin is tied. */
export class Proxy {
  private readonly lines: string[] = [];
  private isEnding = false;
  private hasStarted = false;
  /** Who waits to hear that it was told who answers, oldest first. */
  private readonly telling: ((who: string | undefined) => void)[] = [];

  private constructor(
    private readonly child: ChildProcess,
    /** What a client must send as `dapAiToken`: other users of the machine can reach the port. */
    readonly token: string,
    private readonly options: ProxyOptions,
  ) {
    this.ended = new Promise((resolve) => {
      child.once("close", () => {
        resolve();
      });
    });
  }

  /** Where it listens on 127.0.0.1. */
  port = 0;
  /** Resolved when it and its output have ended. */
  readonly ended: Promise<void>;

  /** Starts it, and waits until it listens. Rejects with a ProxyError. */
  static start(options: ProxyOptions): Promise<Proxy> {
    const token = options.token ?? randomBytes(24).toString("hex");
    const [program, ...args] = options.argv;
    const all = [...args, "serve", "--listen", `127.0.0.1:${options.port ?? 0}`, "--until-eof", "--backend", options.backend];
    if (options.logFile) all.push("--log", options.logFile);
    const child = spawn(program, all, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: environmentOf(options, token),
      stdio: ["pipe", "ignore", "pipe"],
      windowsHide: true,
    });
    child.stdin.on("error", () => undefined); // it is gone: `exit` says so
    return new Proxy(child, token, options).started();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /**
   * Says who answers from the next question on: by its stdin, which nobody else can write to and no log has. Resolves with
   * its words for who that is; undefined: it goes on as it was started.
   */
  answerBy(variables: Record<string, string | null>): Promise<string | undefined> {
    return new Promise((resolve) => {
      const done = (who: string | undefined): void => {
        clearTimeout(timer);
        const at = this.telling.indexOf(done);
        if (at >= 0) this.telling.splice(at, 1);
        resolve(who);
      };
      const timer = setTimeout(done, TAKEN_MS, undefined);
      timer.unref();
      this.telling.push(done);
      this.child.stdin?.write(`${JSON.stringify({ answerer: variables })}\n`);
      void this.ended.then(() => {
        done(undefined);
      });
    });
  }

  /** Ends it with all that it has started; soon, whatever it is busy with. */
  dispose(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.child.stdin?.end();
    const timer = setTimeout(() => this.child.kill("SIGKILL"), END_MS);
    timer.unref();
    void this.ended.then(() => {
      clearTimeout(timer);
    });
  }

  private started(): Promise<Proxy> {
    return new Promise((resolve, reject) => {
      const seconds = this.options.timeoutMs / 1000;
      const timer = setTimeout(() => {
        this.fail(reject, `dap-ai has not started within ${seconds} seconds (the setting dapAi.startTimeout).`);
      }, this.options.timeoutMs);
      this.listenToLines((port) => {
        clearTimeout(timer);
        this.port = port;
        this.hasStarted = true;
        resolve(this);
      });
      this.child.once("error", (error) => {
        clearTimeout(timer);
        const { cwd } = this.options;
        // Node blames the program for it.
        const isFolderMissing = cwd !== undefined && !existsSync(cwd);
        this.fail(reject, `dap-ai cannot be started: ${isFolderMissing ? `there is no folder ${cwd}` : error.message}`);
      });
      // `close`, not `exit`: by then all that it said has been read.
      this.child.once("close", (code, signal) => {
        clearTimeout(timer);
        const how = signal ? `was ended by ${signal}` : `ended with exit code ${code ?? "?"}`;
        if (!this.hasStarted) this.fail(reject, `dap-ai ${how} while it was starting.`);
        else if (this.isEnding || code === 0) this.options.onEnd();
        else this.options.onEnd(new ProxyError(`dap-ai ${how}.`, reasonIn(this.lines)));
      });
    });
  }

  private listenToLines(onPort: (port: number) => void): void {
    const { stderr } = this.child;
    if (!stderr) return;
    createInterface({ input: stderr }).on("line", (line) => {
      this.options.onLine(line);
      const port = this.hasStarted ? undefined : LISTENING.exec(line)?.[1];
      if (port !== undefined) {
        onPort(Number(port));
        return;
      }
      const [, how, who] = TAKEN.exec(line) ?? [];
      if (how !== undefined) {
        this.telling[0]?.(how === "from now on" ? who : undefined);
        return;
      }
      if (line.startsWith(ORDINARY)) return;
      this.lines.push(line);
      if (this.lines.length > KEPT_LINES) this.lines.shift();
    });
  }

  private fail(reject: (error: ProxyError) => void, message: string): void {
    reject(new ProxyError(message, reasonIn(this.lines)));
    this.dispose();
    this.child.kill();
  }
}

function environmentOf({ environment, secrets, adapterEnvironment }: ProxyOptions, token: string): NodeJS.ProcessEnv {
  const ofAdapter = Object.keys(adapterEnvironment ?? {}).length > 0;
  return {
    ...process.env,
    ...environment,
    ...secrets,
    ...(ofAdapter ? { DAP_AI_ADAPTER_ENV: JSON.stringify(adapterEnvironment) } : {}),
    DAP_AI_TOKEN: token,
    DAP_AI_PRIVATE: ["DAP_AI_TOKEN", ...Object.keys(environment), ...Object.keys(secrets)].join(","),
  };
}
