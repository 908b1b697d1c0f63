/** Whether a program that is started again with a fix in it still stops where it did: the conversation says so. */

import type * as vscode from "vscode";
import type { Sessions, Tracked } from "../sessions/sessions";
import type { Stop } from "../sessions/tracker";
import type { HostMessage, Rerun, Turn } from "../shared/messages";
import type { Conversations } from "./conversations";

/** A fix that is in its file, and the run that shows what it does. */
interface Watched {
  turn: Turn;
  index: number;
  /** Of the session: VS Code gives a new id to one that is not restarted, but started. */
  name: string;
  /** What ran before: nothing of it tells of the fix. */
  before: ReadonlySet<Tracked>;
  run?: Tracked;
  /** What the program had written when the fix was applied. */
  output: string;
}

/** Follows each applied fix to the end of the next run. */
export class Reruns implements vscode.Disposable {
  private readonly watched: Watched[] = [];
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly sessions: Sessions,
    private readonly conversations: Conversations,
    private readonly post: (message: HostMessage) => void,
  ) {
    this.subscriptions = [
      sessions.onDidChange(() => {
        for (const each of this.watched) this.look(each);
      }),
      sessions.onDidEnd(({ tracked }) => {
        for (const each of this.watched.filter(({ run }) => run === tracked)) this.ended(each, tracked);
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** A fix is in its file now: the next run is looked at. */
  applied(turn: Turn, index: number): void {
    const talk = this.conversations.holding(turn.id)?.talk;
    this.forget(turn, index);
    if (!talk) return;
    const output = (talk.isOver ? talk.output : this.sessions.get(talk.sessionId)?.output) ?? "";
    this.watched.push({ turn, index, name: talk.sessionName, before: new Set(this.sessions.all), output });
  }

  /** It is in its file no more. */
  forget(turn: Turn, index: number): void {
    const at = this.watched.findIndex((each) => each.turn === turn && each.index === index);
    if (at >= 0) this.watched.splice(at, 1);
    this.tell(turn, index, undefined);
  }

  private look(watched: Watched): void {
    const { turn, index, name, before } = watched;
    const run = this.sessions.all.find((each) => each.session.name === name && !before.has(each));
    if (!run) return;
    if (watched.run !== run) {
      watched.run = run;
      this.tell(turn, index, { state: "running", text: "The program runs with it." });
    }
    const stop = run.stop;
    if (stop?.reason !== "exception" || stop.top === undefined) return;
    this.tell(turn, index, comesAgain(turn, stop) ? AGAIN : elsewhere(stop));
  }

  private ended(watched: Watched, { exitCode, output: after }: Tracked): void {
    const { turn, index, output: before } = watched;
    const known = turn.reruns?.[index]?.state;
    delete watched.run;
    watched.before = new Set(this.sessions.all);
    if (known === "again" || known === "elsewhere") return;
    this.tell(turn, index, exitCode === undefined ? undefined : { ...endOf(turn, exitCode), output: { before, after } });
  }

  private tell(turn: Turn, index: number, rerun: Rerun | undefined): void {
    const known = turn.reruns?.[index];
    if (known?.text === rerun?.text) return;
    (turn.reruns ??= [])[index] = rerun;
    this.post({ type: "rerun", turnId: turn.id, index, ...(rerun ? { rerun } : {}) });
  }
}

const AGAIN: Rerun = { state: "again", text: "It stops there again: this fix does not help." };

function elsewhere(stop: Stop): Rerun {
  const { file, line } = stop.top ?? {};
  const place = file === undefined || line === undefined ? "elsewhere" : `at ${file.split(/[\\/]/).at(-1) ?? file}:${line}`;
  return { state: "elsewhere", text: `It gets past that stop, and now stops ${place}.` };
}

function endOf(turn: Turn, exitCode: number): Rerun {
  if (exitCode !== 0) return { state: "elsewhere", text: `It did not stop there, but ended with exit code ${exitCode}.` };
  // Only of an exception is its absence a proof.
  if (turn.stop?.reason !== "exception") return { state: "through", text: "The program ran to its end with it (exit code 0)." };
  return { state: "fixed", text: "Fixed: the program ran to its end with it (exit code 0), and did not stop there again." };
}

/** Lines move with an edit, functions stay. */
function comesAgain({ stop: before }: Turn, { reason, top }: Stop): boolean {
  return before?.reason === reason && before.file === top?.file && before.frame === top?.frame;
}
