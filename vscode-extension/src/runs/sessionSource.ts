/** The run of a debug session: read by its own requests, followed from stop to stop, moved and edited by it. */

import * as vscode from "vscode";
import { log, textOf } from "../log";
import type { Sessions } from "../sessions/sessions";
import type { AskEnded } from "../shared/protocol";
import type { RunView, ShownEvent } from "../shared/runView";
import type { RunHostMessage, RunViewMessage, Standing } from "../shared/runMessages";
import { openChange, restore } from "./changes";
import type { Cli } from "./cli";
import type { Source } from "./panel";
import type { Scratch } from "./scratch";

const FIRST_PAGE = 400;
const PAGE = 2000;
/** Events at the end of a run that grows which may still become others: an answer is edited, a result comes. */
const TAIL = 100;
const AGAIN_MS = 400;
const LIVE_MS = 1500;

interface Answer {
  view: RunView;
  isAnalysed: boolean;
  standing: (Standing & { threadId: number }) | null;
}

export class SessionSource implements Source {
  private post: ((message: RunHostMessage) => void) | undefined;
  private known = 0;
  private view: RunView | undefined;
  private isAnalysed = false;
  private readonly events = new Map<number, ShownEvent>();
  private standing: Answer["standing"] = null;
  private reading: Promise<void> | undefined;
  /** 1: again from where it is known, 2: anew. */
  private wanted = 0;
  private timer: NodeJS.Timeout | undefined;
  private stop: unknown;
  private isOver = false;
  private isVisible = true;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly session: vscode.DebugSession, private readonly sessions: Pick<Sessions, "get" | "onDidChange" | "onDidEnd" | "onDidReceive">, private readonly cli: Cli, private readonly scratch: Scratch) {
    this.subscriptions = [
      sessions.onDidChange(() => { this.changed(); }),
      sessions.onDidReceive(({ session: of, event, body }) => { if (of.id === session.id && event === "askEnded") this.cite(body as AskEnded); }),
      sessions.onDidEnd((end) => { if (end.session.id === session.id) this.end(); }),
    ];
  }

  dispose(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    for (const each of this.subscriptions) each.dispose();
  }

  async begin(post: (message: RunHostMessage) => void): Promise<void> {
    this.post = post;
    await this.read(2);
  }

  seen(isVisible: boolean): void {
    this.isVisible = isVisible;
    if (isVisible && !this.isOver) void this.read(1);
  }

  async receive(message: RunViewMessage): Promise<void> {
    if (message.type === "gallery" || message.type === "ready" || message.type === "debug") return;
    if (message.type === "openChange" || message.type === "restore") {
      const event = this.events.get(message.index);
      if (event && this.view) await (message.type === "restore" ? restore : openChange)(this.cli, this.scratch, this.view.path, event);
      return;
    }
    if (this.isOver) throw new Error("The session is over.");
    const { index } = message;
    if (message.type === "goTo") {
      await this.session.customRequest("goto", { threadId: this.standing?.threadId ?? 1, targetId: index });
    } else if (message.type === "edit") {
      await this.session.customRequest("setExpression", { expression: message.name, value: JSON.stringify(message.value) });
      this.post?.({ type: "edited", index, name: message.name, value: message.value });
    } else {
      const { event, path } = (await this.session.customRequest("runEvent", { index })) as { event: ShownEvent; path: string };
      if (message.type === "whole") this.post?.({ type: "event", event });
      else await vscode.window.showTextDocument(vscode.Uri.file(path), { viewColumn: vscode.ViewColumn.One });
    }
  }

  /** Steps that an answer rests on are marked. */
  private cite({ answer, evidence }: AskEnded): void {
    const steps = evidence.map(({ expression }) => Number(/^step (\d+)$/.exec(expression)?.[1] ?? 0)).filter((step) => step > 0);
    if (steps.length > 0) this.post?.({ type: "cited", steps: [...new Set(steps)], words: answer.trim().split("\n", 1)[0] ?? "" });
  }

  /** A session has stopped or gone on, ours perhaps. */
  private changed(): void {
    const { stop } = this.sessions.get(this.session.id) ?? {};
    if (this.isOver || stop === this.stop) return;
    this.stop = stop;
    void this.read(1);
  }

  private end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    if (this.view) this.post?.({ type: "standing", standing: null, can: { open: false } });
  }

  /** One reading after the other. */
  private async read(wanted: 1 | 2): Promise<void> {
    this.wanted = Math.max(this.wanted, wanted);
    this.reading ??= this.readAll().finally(() => { this.reading = undefined; });
    await this.reading;
  }

  private async readAll(): Promise<void> {
    clearTimeout(this.timer);
    while (this.wanted > 0 && !this.isOver) {
      const isAnew = this.wanted === 2 || this.view === undefined;
      this.wanted = 0;
      try {
        await this.readOnce(isAnew);
      } catch (error) {
        log().debug(`the run of ${this.session.name} is not read: ${textOf(error)}`); // it ends, or has not begun
        if (this.view === undefined) throw error;
        return;
      }
    }
    this.again();
  }

  private async readOnce(isAnew: boolean): Promise<void> {
    const grows = this.view !== undefined && this.view.known !== "";
    let first = isAnew ? 0 : grows ? Math.max(0, this.known - TAIL) : this.known;
    for (let count = isAnew ? FIRST_PAGE : PAGE; ; count = PAGE) {
      const answer = (await this.session.customRequest("runView", { first, count })) as Answer;
      const isNew = answer.isAnalysed && !this.isAnalysed && !isAnew;
      this.take(answer, isAnew || answer.view.events.length > 0 || isNew);
      if (isNew) this.wanted = 2; // what was read before has no steps yet
      first += answer.view.events.length;
      if (answer.view.events.length === 0 || first >= answer.view.total) return;
    }
  }

  private take({ view, isAnalysed, standing }: Answer, isShown: boolean): void {
    this.view = view;
    this.isAnalysed = isAnalysed;
    this.standing = standing;
    this.known = view.first + view.events.length;
    for (const event of view.events) if (event.kind === "change") this.events.set(event.index, event);
    const can = { goTo: true, open: true };
    if (isShown) this.post?.({ type: "run", run: view, can });
    this.post?.({ type: "standing", standing, can });
  }

  /** It is analysed soon, or goes on while nothing stops. */
  private again(): void {
    clearTimeout(this.timer);
    const isRunning = this.view?.known !== "" && this.stop === undefined;
    if (this.isOver || !this.isVisible || (this.isAnalysed && !isRunning)) return;
    this.timer = setTimeout(() => void this.read(1), this.isAnalysed ? LIVE_MS : AGAIN_MS);
  }
}
