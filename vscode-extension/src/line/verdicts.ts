/**
 * What is certain of the failure at which a session stands, asked of the offline analyst, never of a model.
 *
 * It is asked a moment after the stop, behind the editor's own requests, and given up as soon as the program goes on or the
 * user asks something; what a user's own answer says is taken, too.
 */

import * as vscode from "vscode";
import { log, textOf } from "../log";
import type { Sessions, Tracked } from "../sessions/sessions";
import type { Stop } from "../sessions/tracker";
import type { AskEnded, AskResponseBody } from "../shared/protocol";

/** After so long a stop is one at which the user stays. */
const SETTLED_MS = 700;

interface Work {
  stop: Stop;
  timer?: NodeJS.Timeout;
  /** It was sent, and has not ended. */
  askId?: string;
  isGivenUp?: boolean;
  ended?: AskEnded;
}

/** One for the window. */
export class LineVerdicts implements vscode.Disposable {
  private readonly work = new Map<string, Work>();
  /** Answers that came before the id of their question. */
  private readonly early = new Map<string, AskEnded>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly sessions: Sessions,
    private readonly isOn: () => boolean,
    private readonly settledMs = SETTLED_MS,
  ) {
    this.subscriptions = [
      this.changed,
      sessions.onDidChange(() => {
        this.follow();
      }),
      sessions.onDidReceive(({ session, event, body }) => {
        if (event === "askEnded") this.received(session.id, body as AskEnded);
      }),
    ];
  }

  dispose(): void {
    for (const id of [...this.work.keys()]) this.drop(id);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** What is certain at the stop of a session, as it stands. */
  of(sessionId: string): AskEnded | undefined {
    const work = this.work.get(sessionId);
    return work && work.stop === this.sessions.get(sessionId)?.stop ? work.ended : undefined;
  }

  /** Looks again at where all sessions stand. */
  follow(): void {
    for (const [id, work] of this.work) if (this.sessions.get(id)?.stop !== work.stop || !this.isOn()) this.drop(id);
    for (const tracked of this.sessions.all) this.begin(tracked);
  }

  /** The user asks: what is computed for the line would only make that answer wait. */
  giveUp(): void {
    for (const [id, work] of this.work) {
      if (work.ended) continue;
      clearTimeout(work.timer);
      work.isGivenUp = true;
      this.cancel(id, work);
    }
  }

  /** An answer of the user's own about where a session stands now. */
  answered(sessionId: string, ended: AskEnded): void {
    const work = this.work.get(sessionId);
    if (!work || ended.stale || ended.gist === undefined) return;
    work.ended = ended;
    this.changed.fire();
  }

  private begin({ session, stop }: Tracked): void {
    if (stop?.reason !== "exception" || stop.top?.file === undefined || !this.isOn() || this.work.has(session.id)) return;
    const work: Work = { stop };
    work.timer = setTimeout(() => void this.ask(session, work), this.settledMs);
    this.work.set(session.id, work);
  }

  private async ask(session: vscode.DebugSession, work: Work): Promise<void> {
    const { threadId } = work.stop;
    const args = { question: "", offline: true, progress: false, ...(threadId === undefined ? {} : { threadId }) };
    try {
      const { askId } = (await session.customRequest("ask", args)) as AskResponseBody;
      work.askId = askId;
      const ended = this.early.get(`${session.id} ${askId}`);
      if (ended) this.received(session.id, ended);
      else if (work.isGivenUp || this.work.get(session.id) !== work) this.cancel(session.id, work, session);
    } catch (error) {
      log().info(`the verdict at the line: ${textOf(error)}`);
    } finally {
      this.early.clear();
    }
  }

  private received(sessionId: string, ended: AskEnded): void {
    const work = this.work.get(sessionId);
    if (work?.askId === undefined) {
      if (work && !work.ended) this.early.set(`${sessionId} ${ended.askId}`, ended);
      return;
    }
    if (work.askId !== ended.askId || ended.reason !== "completed") return;
    work.ended = ended;
    delete work.askId;
    this.changed.fire();
  }

  private drop(id: string): void {
    const work = this.work.get(id);
    if (!work) return;
    clearTimeout(work.timer);
    this.cancel(id, work);
    this.work.delete(id);
    this.changed.fire();
  }

  private cancel(id: string, work: Work, session = this.sessions.get(id)?.session): void {
    const { askId } = work;
    delete work.askId;
    if (askId !== undefined) session?.customRequest("cancel", { progressId: askId }).then(undefined, () => undefined);
  }
}
