/** Which debug sessions are behind dap_ai, where each stands, and what they say about questions. */

import * as vscode from "vscode";
import type { SessionInfo } from "../shared/messages";
import { SessionTracker, type AskEvent, type Stop, type Tracked } from "./tracker";

export type { AskEvent, Tracked } from "./tracker";

/** Why a program stops that has failed, in DAP's words. */
const FAILURES = new Set(["exception", "signal"]);

/** What ended a session, if more than its own end is known of it. */
export interface SessionEnd {
  session: vscode.DebugSession;
  /** As it was last. */
  tracked: Tracked;
  /** Of the connection to dap_ai. */
  error?: string;
}

/** Knows every session behind dap_ai from its `initialize` response to its end. */
export class Sessions implements vscode.Disposable {
  private readonly tracked = new Map<string, Tracked>();
  /** Of other debug adapters, by id: those that stand at a failure, and that dap-ai could take over. */
  private readonly others = new Map<string, Tracked>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly received = new vscode.EventEmitter<AskEvent>();
  private readonly ended = new vscode.EventEmitter<SessionEnd>();

  /** A session came, went, stopped or went on, or another one is in the foreground. */
  readonly onDidChange = this.changed.event;
  /** The events `ask...` of all sessions, as they arrive. */
  readonly onDidReceive = this.received.event;
  /** Nothing more comes from this session. */
  readonly onDidEnd = this.ended.event;

  constructor() {
    this.subscriptions = [
      this.changed,
      this.received,
      this.ended,
      // A tracker sees events before VS Code's window does; a custom event would come one round trip later.
      vscode.debug.registerDebugAdapterTrackerFactory("*", {
        createDebugAdapterTracker: (session) => this.track(session),
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        this.others.delete(session.id);
        this.end(session);
      }),
      vscode.debug.onDidChangeActiveDebugSession(() => {
        this.changed.fire(undefined);
      }),
      vscode.debug.onDidChangeActiveStackItem(() => {
        this.changed.fire(undefined);
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.tracked.clear();
  }

  /** As the view shows them, in the order of their start. */
  list(): SessionInfo[] {
    return [...this.tracked.values()].map(({ session, stop, caught }) => {
      const info: SessionInfo = { id: session.id, name: session.name };
      if (stop) info.stop = shownStop(stop);
      if (caught && !caught.ended) info.caught = { type: caught.type, file: caught.file, line: caught.line };
      return info;
    });
  }

  /** Sessions of other debug adapters that stand at a failure: dap-ai could start their programs anew. */
  elsewhere(): readonly Tracked[] {
    return [...this.others.values()];
  }

  /** What comes for a question after the end of its session: see ../proxy/revived.ts. */
  receive(event: AskEvent): void {
    this.received.fire(event);
  }

  /** In the order of their start. */
  get all(): readonly Tracked[] {
    return [...this.tracked.values()];
  }

  get(id: string | undefined): Tracked | undefined {
    return id === undefined ? undefined : this.tracked.get(id);
  }

  /** The session that a question without more words is about: the one in the foreground, else one that is stopped. */
  current(): Tracked | undefined {
    const active = vscode.debug.activeDebugSession;
    const all = [...this.tracked.values()];
    const front = this.get(active?.id);
    if (front?.stop) return front;
    const related = all.filter((each) => each.session.parentSession?.id === active?.id && each.session.parentSession);
    return related.find((each) => each.stop) ?? front ?? all.findLast((each) => each.stop) ?? all.at(-1);
  }

  /**
   * The thread and frame that the user has chosen in this session. The frame that VS Code shows by itself after a stop
   * is left out: dap_ai then takes the innermost frame of the user's own code.
   */
  chosen(sessionId: string): { threadId?: number; frameId?: number } {
    const stop = this.get(sessionId)?.stop;
    const item = vscode.debug.activeStackItem;
    if (item?.session.id !== sessionId) return stop?.threadId === undefined ? {} : { threadId: stop.threadId };
    if (!("frameId" in item) || item.frameId === stop?.top?.frameId) return { threadId: item.threadId };
    return { threadId: item.threadId, frameId: item.frameId };
  }

  private track(session: vscode.DebugSession): vscode.DebugAdapterTracker {
    let own: Tracked | undefined;
    return new SessionTracker(session, {
      found: (tracked) => {
        own = tracked;
        // A restarted session has the same id: what was before it is over, whether its end was heard of or not.
        if (this.tracked.get(session.id) !== tracked) this.end(session);
        this.tracked.set(session.id, tracked);
        this.changed.fire(undefined);
      },
      changed: () => {
        this.changed.fire(undefined);
      },
      other: (other) => {
        const isFailure = FAILURES.has(other.stop?.reason ?? "");
        if (!isFailure && !this.others.has(session.id)) return;
        if (isFailure) this.others.set(session.id, other);
        else this.others.delete(session.id);
        this.changed.fire(undefined);
      },
      received: (event) => {
        this.received.fire(event);
      },
      ended: (error) => {
        // A restarted session has the same id: the end of what was before it is not its own.
        if (this.tracked.get(session.id) === own) this.end(session, error);
      },
    });
  }

  private end(session: vscode.DebugSession, error?: string): void {
    const tracked = this.tracked.get(session.id);
    if (!tracked) return;
    this.tracked.delete(session.id);
    this.ended.fire({ session, tracked, ...(error === undefined ? {} : { error }) });
    this.changed.fire(undefined);
  }
}

/** As the view shows it. */
export function shownStop({ reason, top }: Stop): NonNullable<SessionInfo["stop"]> {
  const stop: NonNullable<SessionInfo["stop"]> = { reason };
  if (top?.file !== undefined) stop.file = top.file;
  if (top) [stop.line, stop.frame] = [top.line, top.frame];
  return stop;
}
