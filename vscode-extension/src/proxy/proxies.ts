/** Starts a proxy for each session that is about to begin, and says it when one cannot start or dies. */

import * as vscode from "vscode";
import { offerInstall } from "./install";
import { log, textOf } from "../log";
import { Proxy, type ProxyOptions } from "./proxy";
import { findLauncher, forgetLaunchers } from "./python";
import { Served, type Place, type Start } from "./served";
import { setting, settingsEnvironment } from "../settings";

/** The environment that holds the keys of the endpoint; see ../models/models.ts. */
export type Secrets = () => Promise<Record<string, string>>;

/** How a proxy was started. */
export interface Started {
  argv: readonly [string, ...string[]];
  /** What the settings add to it; see settings.ts. */
  environment: Record<string, string>;
}

/** The proxies of this window. They end with the extension host. */
export class Proxies implements vscode.Disposable {
  private readonly all = new Set<Served>();
  private isDisposed = false;
  private readonly subscription: vscode.Disposable;
  private readonly started = new vscode.EventEmitter<Started>();
  /** A proxy listens. */
  readonly onDidStart = this.started.event;

  constructor(
    /** Of an environment of our own; see install.ts. */
    private readonly ownEnvironment: string,
    private readonly secrets: Secrets,
  ) {
    // VS Code waits for a tracker before it connects: also when it restarts a session, with the port that it knows.
    this.subscription = vscode.debug.registerDebugAdapterTrackerFactory("*", {
      createDebugAdapterTracker: (session) => this.follow(session),
    });
  }

  dispose(): void {
    this.isDisposed = true;
    this.subscription.dispose();
    this.started.dispose();
    for (const served of this.all) served.end();
    this.all.clear();
  }

  /** What the proxies are told at their start has changed. */
  renew(): void {
    for (const served of this.all) served.renew();
  }

  /** The port of the proxy that wants this token: that of a child's parent. */
  portOf(token: unknown): number | undefined {
    return this.of(token)?.place?.port;
  }

  /** Whether dap-ai can be started here; if not, the user has been told what to do. */
  async canStart(folder: vscode.WorkspaceFolder | undefined): Promise<boolean> {
    if (await findLauncher(folder, this.ownEnvironment)) return true;
    offerInstall(folder, this.ownEnvironment).catch((error: unknown) => tell(textOf(error)));
    return false;
  }

  /**
   * `configuration`, changed so that VS Code connects to a proxy that has just been started for it. Undefined: there is
   * none, and the user has been told why, and what becomes of the session.
   */
  async through(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
    backend: string,
    otherwise = "was not started",
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (!(await this.canStart(folder))) return undefined;
    const { name } = configuration;
    const key = `${folder?.uri.toString() ?? ""}\n${name}`;
    this.endUntaken(key);
    const start: Start = (place, onEnd) => this.start(folder, name, backend, place, onEnd);
    const served = new Served(key, start, (error) => void tell(`${name}: the connection is lost. ${error.message}`));
    try {
      const { port, token } = await served.run();
      if (this.isDisposed) served.end();
      else this.keep(served);
      // `askEvents`: the view also shows what is asked in the debug console.
      return { ...configuration, debugServer: port, dapAiToken: token, askEvents: true };
    } catch (error) {
      // It may be gone from where it was found: the next try looks again.
      forgetLaunchers();
      void tell(`"${name}" ${otherwise}. ${textOf(error)}`);
      return undefined;
    }
  }

  private async start(
    folder: vscode.WorkspaceFolder | undefined,
    name: string,
    backend: string,
    place: Place | undefined,
    onEnd: ProxyOptions["onEnd"],
  ): Promise<Proxy> {
    const launcher = await findLauncher(folder, this.ownEnvironment);
    if (!launcher) throw new Error("dap-ai is no longer where it was.");
    const environment = settingsEnvironment(folder?.uri);
    const proxy = await Proxy.start({
      ...place,
      argv: launcher.argv,
      backend,
      cwd: (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath,
      environment,
      secrets: await this.secrets(),
      logFile: setting<string>("logFile")?.trim(),
      timeoutMs: 1000 * (setting<number>("startTimeout", folder?.uri) ?? 30),
      onLine: (line) => {
        log().info(`${name}: ${line}`);
      },
      onEnd,
    });
    log().info(`${name}: dap-ai is process ${proxy.pid ?? "?"} at port ${proxy.port}, in front of ${backend}`);
    this.started.fire({ argv: launcher.argv, environment });
    return proxy;
  }

  /** Keeps a session's proxy running while VS Code is connected to it. */
  private async follow(session: vscode.DebugSession): Promise<vscode.DebugAdapterTracker | undefined> {
    const served = this.of(session.configuration["dapAiToken"]);
    if (!served) return undefined;
    try {
      const release = await served.hold();
      return { onWillStopSession: release, onError: release, onExit: release };
    } catch (error) {
      void tell(`"${session.name}" cannot go on. ${textOf(error)}`);
      return undefined;
    }
  }

  private keep(served: Served): void {
    this.all.add(served);
    if (this.all.size <= MAX_KEPT) return;
    const oldest = [...this.all].find((each) => each.isIdle);
    if (oldest) this.all.delete(oldest);
  }

  /** The proxy of an earlier start that came to nothing: its preLaunchTask failed, say. If it did not, it starts again. */
  private endUntaken(key: string): void {
    for (const served of this.all) if (!served.isTaken && served.key === key) served.end();
  }

  private of(token: unknown): Served | undefined {
    return token === undefined ? undefined : [...this.all].find(({ place }) => place?.token === token);
  }
}

/** So many are remembered that have ended: their sessions may be restarted. */
const MAX_KEPT = 100;
const SHOW_LOG = "Show log";
const CHECK = "Check the installation";

async function tell(text: string): Promise<void> {
  log().error(text);
  const chosen = await vscode.window.showErrorMessage(text, SHOW_LOG, CHECK);
  if (chosen === SHOW_LOG) log().show(true);
  else if (chosen === CHECK) await vscode.commands.executeCommand("dapAi.doctor");
}
