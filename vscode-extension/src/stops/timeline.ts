/** The stops of each session: what was asked at each, and what was found. No `vscode` here. */

import type { HostMessage, Turn } from "../shared/messages";
import type { AskEnded } from "../shared/protocol";
import type { Stop, Tracked } from "../sessions/tracker";
import type { Cause } from "./causes";

/** A question at a stop. */
export interface Asked {
  turnId: string;
  question: string;
  /** The answer in a sentence; absent while it is made. */
  found?: string;
  /** What became of the program with a fix of it. */
  rerun?: string;
}

/** One stop. */
export interface StopRow {
  id: number;
  sessionId: string;
  sessionName: string;
  /** In ms since 1970. */
  at: number;
  reason: string;
  /** `TypeError: can't multiply`. */
  cause?: string;
  file?: string;
  line?: number;
  frame?: string;
  asked: Asked[];
  /** What the answer has named. */
  named?: Cause;
  /** When the user had the same before. */
  earlier?: Cause;
}

const MOST = 100;
const MOST_CHARS = 160;

/** Follows the sessions of a window; newest last. */
export class Timeline {
  readonly rows: StopRow[] = [];
  private readonly known = new Map<string, Stop>();
  private made = 0;

  /** Where the sessions stand now. True: something is new. */
  look(all: readonly Tracked[], now = Date.now()): boolean {
    let isNew = false;
    for (const { session, stop } of all) {
      if (!stop) this.known.delete(session.id);
      if (!stop?.top || this.known.get(session.id) === stop) continue;
      this.known.set(session.id, stop);
      this.add(session, stop, now);
      isNew = true;
    }
    return isNew;
  }

  /** What the conversation says. The row that it changes. */
  hear(message: HostMessage, sessionOf: (turnId: string) => string | undefined, now = Date.now()): StopRow | undefined {
    switch (message.type) {
      case "turn":
        return this.asked(message.turn, sessionOf(message.turn.id));
      case "ended":
        return this.ended(message.turnId, message.ended, now);
      case "rerun":
        return this.rerun(message.turnId, message.rerun?.text, message.rerun?.state === "fixed");
      default:
        return undefined;
    }
  }

  private add(session: { id: string; name: string }, { reason, cause, top }: Stop, at: number): void {
    const last = this.rows.at(-1);
    // A step that nothing was asked after is only the way to the next one.
    if (last?.sessionId === session.id && last.reason === "step" && last.asked.length === 0) this.rows.pop();
    const row: StopRow = { id: ++this.made, sessionId: session.id, sessionName: session.name, at, reason, asked: [] };
    if (cause !== undefined) row.cause = cause;
    if (top?.file !== undefined) row.file = top.file;
    if (top) [row.line, row.frame] = [top.line, top.frame];
    this.rows.push(row);
    this.rows.splice(0, this.rows.length - MOST);
  }

  private asked(turn: Turn, sessionId: string | undefined): StopRow | undefined {
    const row = turn.stop && this.rows.findLast((each) => each.sessionId === sessionId);
    if (!row || row.asked.some(({ turnId }) => turnId === turn.id)) return undefined;
    row.asked.push({ turnId: turn.id, question: turn.question.trim() });
    return row;
  }

  private ended(turnId: string, ended: AskEnded, now: number): StopRow | undefined {
    const row = this.rows.find(({ asked }) => asked.some((each) => each.turnId === turnId));
    const asked = row?.asked.find((each) => each.turnId === turnId);
    if (!row || !asked) return undefined;
    asked.found = foundIn(ended);
    const named = row.named ?? causeOf(row, ended, asked.found, now);
    if (named) row.named = named;
    return row;
  }

  private rerun(turnId: string, text: string | undefined, isFixed: boolean): StopRow | undefined {
    const row = this.rows.find(({ asked }) => asked.some((each) => each.turnId === turnId));
    const asked = row?.asked.find((each) => each.turnId === turnId);
    if (!row || !asked) return undefined;
    if (text === undefined) delete asked.rerun;
    else asked.rerun = text;
    if (isFixed && row.named) row.named.isFixed = true;
    return row;
  }
}

/** What an answer comes to: its first sentence, else why there is none. */
export function foundIn({ answer, gist, error, reason }: AskEnded): string {
  const first = answer.split("\n\n").find((part) => part.trim() !== "") ?? "";
  const text = plain(reason === "completed" || reason === "limit" ? first || (gist ?? "") : error || reason);
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS - 1)}…`;
}

/** The cause that an answer about a failure names; undefined: it names none, or of no exception. */
function causeOf(row: StopRow, { suspects, reason }: AskEnded, found: string, at: number): Cause | undefined {
  const [first] = suspects;
  const type = /^[A-Za-z_][\w.]*/.exec(row.cause ?? "")?.[0];
  if (!first || type === undefined || row.reason !== "exception" || reason !== "completed") return undefined;
  return { at, type, file: first.file, line: first.line, reason: first.reason, found };
}

function plain(text: string): string {
  return text.replace(/[`*]/g, "").replace(/\s+/g, " ").trim();
}
