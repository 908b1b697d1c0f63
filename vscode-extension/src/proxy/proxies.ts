/** Starts a proxy for each session that is about to begin, and says it when one cannot start or dies. */

import * as vscode from "vscode";
import { offerInstall } from "./install";
import type { Stops } from "../launch/stops";
import { log, textOf } from "../log";
import { Proxy, type ProxyOptions } from "./proxy";
import { findLauncher, forgetLaunchers, type Launcher } from "./python";
import { Served, type Place, type Start, type Told } from "./served";
import { answererEnvironment, expanded, setting, settingsEnvironment } from "../settings";

/** The environment that holds the keys of the endpoint; see ../models/models.ts. */
export type Secrets = () => Promise<Record<string, string>>;

/** How a proxy was started. */
export interface Started {
  argv: readonly [string, ...string[]];
  version: string;
  /** What the settings add to it; see settings.ts. */
  environment: Record<string, string>;
}

/** What a session wants of its proxy. */
export interface Wanted {
  /** `debugpy`, `lldb`, `gdb`, or a command line. */
  backend: string;
  /** Variables that the debug adapter gets beside those of VS Code. */
  adapterEnvironment?: Record<string, string>;
  /** Where the debug adapter starts; else in the folder. */
  cwd?: string | undefined;
  /** What becomes of the session without a proxy, for a person: `was not started`. */
  otherwise?: string;
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
    private readonly stops?: Pick<Stops, "of">,
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

  /** Tells those that run who answers from the next question on. */
  async answerBy(): Promise<Told> {
    const variables = answererEnvironment(await this.secrets());
    const all = await Promise.all([...this.all].map((served) => served.answerBy(variables)));
    return { ...all.find(({ who }) => who !== undefined), isBehind: all.some(({ isBehind }) => isBehind) };
  }

  /** Where the proxy listens that wants this token: one that has ended has been started again. Rejects if it cannot. */
  async placeFor(token: unknown): Promise<Place | undefined> {
    return this.of(token)?.run();
  }

  /**
   * `configuration`, changed so that VS Code connects to a proxy that has just been started for it. Undefined: there is
   * none, and the user has been told why and what becomes of the session, or has `cancelled` it.
   */
  async through(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
    wanted: Wanted,
    cancelled?: vscode.CancellationToken,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const found = await findLauncher(folder, this.ownEnvironment);
    if (!found) {
      offerInstall(folder, this.ownEnvironment).catch((error: unknown) => tell(textOf(error)));
      return undefined;
    }
    if (cancelled?.isCancellationRequested) return undefined;
    const { name } = configuration;
    const key = `${folder?.uri.toString() ?? ""}\n${name}`;
    this.endUntaken(key);
    const start: Start = (place, onEnd) => this.start(folder, name, wanted, place ? undefined : found, place, onEnd);
    const served = new Served(key, start, (error) => void tell(`${name}: the connection is lost. ${error.message}`));
    const cancelling = cancelled?.onCancellationRequested(() => {
      served.end();
    });
    try {
      const { port, token } = await served.run();
      if (this.isDisposed || cancelled?.isCancellationRequested) served.end();
      else this.keep(served);
      // `askEvents`: the view also shows what is asked in the debug console.
      const stopAt = this.stops?.of(name) ?? [];
      const behind = { ...configuration, debugServer: port, dapAiToken: token, askEvents: true };
      return stopAt.length > 0 ? { ...behind, dapAiStopAt: stopAt } : behind;
    } catch (error) {
      // It may be gone from where it was found: the next try looks again.
      forgetLaunchers();
      if (!cancelled?.isCancellationRequested) void tell(`"${name}" ${wanted.otherwise ?? "was not started"}. ${textOf(error)}`);
      return undefined;
    } finally {
      cancelling?.dispose();
    }
  }

  /** A running proxy for what is asked after the end of a session: its own, if it is known. Until `release`. */
  async holdEnded(session: vscode.DebugSession | undefined): Promise<Place & { release: () => void }> {
    const served = this.of(session?.configuration["dapAiToken"]) ?? this.forNothing(session);
    const release = await served.hold();
    const place = served.place;
    if (!place) throw new Error("dap-ai has ended.");
    return { ...place, release };
  }

  private forNothing(session: vscode.DebugSession | undefined): Served {
    const folder = session?.workspaceFolder ?? vscode.workspace.workspaceFolders?.[0];
    const start: Start = (place, onEnd) => this.start(folder, "an ended session", { backend: "debugpy" }, undefined, place, onEnd);
    const served = new Served("ended", start, (error) => { log().warn(textOf(error)); });
    this.keep(served);
    return served;
  }

  private async start(
    folder: vscode.WorkspaceFolder | undefined,
    name: string,
    { backend, adapterEnvironment, cwd }: Wanted,
    found: Launcher | undefined,
    place: Place | undefined,
    onEnd: ProxyOptions["onEnd"],
  ): Promise<Proxy> {
    const launcher = found ?? (await findLauncher(folder, this.ownEnvironment));
    if (!launcher) throw new Error("dap-ai is no longer where it was.");
    const environment = settingsEnvironment(folder?.uri);
    log().info(`${name}: starting dap-ai ${launcher.version} by ${launcher.argv[0]} (${launcher.source}), in front of ${backend}`);
    const proxy = await Proxy.start({
      ...place,
      argv: launcher.argv,
      backend,
      adapterEnvironment,
      cwd: cwd ?? (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath,
      environment,
      secrets: await this.secrets(),
      logFile: expanded(setting<string>("logFile"), folder),
      timeoutMs: 1000 * (setting<number>("startTimeout", folder?.uri) ?? 30),
      onLine: (line) => {
        log().info(`${name}: ${line}`);
      },
      onEnd,
    });
    log().info(`${name}: dap-ai is process ${proxy.pid ?? "?"} at port ${proxy.port}`);
    this.started.fire({ argv: launcher.argv, version: launcher.version, environment });
    return proxy;
  }

  /** Keeps a session's proxy running while VS Code is connected to it. */
  private follow(session: vscode.DebugSession): vscode.ProviderResult<vscode.DebugAdapterTracker> {
    const served = this.of(session.configuration["dapAiToken"]);
    if (!served) return undefined;
    const held = served.hold();
    const release = (): void => void held.then((give) => { give(); }, () => undefined);
    const tracker = { onWillStopSession: release, onError: release, onExit: release };
    const waited = held.then(
      () => tracker,
      (error: unknown) => {
        void tell(`"${session.name}" cannot go on. ${textOf(error)}`);
        return undefined;
      },
    );
    return Promise.race([waited, new Promise<typeof tracker>((resolve) => setTimeout(resolve, TRACKER_MS, tracker).unref())]);
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

/** VS Code waits a second for the trackers of a session, and then does without any of them. */
const TRACKER_MS = 800;
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
