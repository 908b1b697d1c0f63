/** The proxy of one debug session, from before its start and through its restarts. */

import type { Proxy, ProxyError } from "./proxy";

/** Where VS Code was told to connect to: it comes there again when a session is restarted. */
export interface Place {
  port: number;
  token: string;
}

/** What came of telling proxies who answers. */
export interface Told {
  /** Their words for who that is. */
  who?: string;
  /** One of them goes on as it was started. */
  isBehind?: boolean;
}

/** Starts a proxy, at the place of an earlier one if there was one. `onEnd`: see ProxyOptions. */
export type Start = (place: Place | undefined, onEnd: (error?: ProxyError) => void) => Promise<Proxy>;

/** After the last session so long; a restart is quicker with the proxy that runs. */
const GRACE_MS = 5000;
/** Without any session so long: a preLaunchTask may have failed. One that comes later starts another. */
const UNTAKEN_MS = 600_000;

/** A proxy that runs while a session may want it. */
export class Served {
  private proxy: Promise<Proxy> | undefined;
  private ending: Promise<void> = Promise.resolve();
  private readonly users = new Set<symbol>();
  private timer: NodeJS.Timeout | undefined;
  private known: Place | undefined;
  /** The proxy that runs was started with other settings. */
  private isStale = false;
  /** A session has been started with it. */
  isTaken = false;

  constructor(
    /** Folder and name of the configuration. */
    readonly key: string,
    private readonly start: Start,
    private readonly onCrash: (error: ProxyError) => void,
  ) {}

  /** Set once it has started. */
  get place(): Place | undefined {
    return this.known;
  }

  /** Nothing runs, and nobody wants it to. */
  get isIdle(): boolean {
    return this.proxy === undefined && this.users.size === 0;
  }

  /** The proxy runs; if it has ended, another one at the same place. Rejects with a ProxyError. */
  async run(): Promise<Place> {
    // Settings may have changed between its start and the session's, while a preLaunchTask ran.
    if (this.isStale && this.users.size === 0) this.end();
    this.proxy ??= this.begin();
    const { port, token } = await this.proxy;
    if (this.users.size === 0) this.endIn(UNTAKEN_MS);
    return (this.known = { port, token });
  }

  /** Keeps it running until the function is called that is returned. */
  async hold(): Promise<() => void> {
    clearTimeout(this.timer);
    this.isTaken = true;
    const user = Symbol("session");
    this.users.add(user);
    try {
      await this.run();
    } catch (error) {
      this.users.delete(user);
      throw error;
    }
    return () => {
      if (!this.users.delete(user) || this.users.size > 0) return;
      if (this.isStale) this.end();
      else this.endIn(GRACE_MS);
    };
  }

  /** Settings have changed: the next session, a restarted one too, gets a proxy that knows them. */
  renew(): void {
    if (this.users.size === 0 && this.isTaken) this.end();
    else this.isStale = this.proxy !== undefined;
  }

  /** Tells the proxy who answers, if one runs; see Proxy. */
  async answerBy(variables: Record<string, string | null>): Promise<Told> {
    const { proxy } = this;
    if (!proxy) return {};
    const who = await proxy.then((running) => running.answerBy(variables), () => undefined);
    if (who === undefined) this.renew();
    return who === undefined ? { isBehind: this.proxy === proxy } : { who };
  }

  /** Ends the proxy with all that it has started. */
  end(): void {
    clearTimeout(this.timer);
    this.isStale = false;
    const { proxy } = this;
    if (!proxy) return;
    this.proxy = undefined;
    const ended = proxy.then((running) => {
      running.dispose();
      return running.ended;
    });
    this.ending = ended.catch(() => undefined);
  }

  private endIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.end();
    }, ms);
    this.timer.unref();
  }

  private begin(): Promise<Proxy> {
    const forget = (): void => {
      // Another may run by now.
      if (this.proxy === begun) this.proxy = undefined;
    };
    const begun = this.ending.then(() =>
      this.start(this.known, (error) => {
        forget();
        if (error) this.onCrash(error);
      }),
    );
    begun.catch(forget);
    return begun;
  }
}
