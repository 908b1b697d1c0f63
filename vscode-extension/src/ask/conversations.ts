/** The conversations of all sessions, those of ended ones included. No `vscode` here. */

import type { Conversation, Turn } from "../shared/messages";
import type { AskCaught } from "../shared/protocol";

/** A conversation and what dap_ai calls it. */
export interface Talk extends Conversation {
  sessionName: string;
  /** dap_ai's own id, from its first response on. */
  remoteId?: string;
  /** Its questions come from the debug console, whose follow-ups are dap_ai's own doing. */
  isConsole?: true;
  /** By its end: what the program wrote last. */
  output?: string;
  /** It began after that, with an error at which nothing had stopped. */
  caught?: AskCaught;
}

const KEPT = 50;

/** Holds the conversations; each session has one that goes on, or none yet. */
export class Conversations {
  private readonly talks: Talk[] = [];
  /** By session, the conversation that goes on. */
  private readonly current = new Map<string, Talk>();
  private made = 0;

  /** `kept`: those of an earlier window, oldest first. */
  constructor(kept: readonly Talk[] = []) {
    this.talks.push(...kept);
    this.made = Math.max(0, ...kept.map(({ id }) => Number(id.split("-").at(-1)) || 0));
  }

  /** Oldest first. */
  get all(): readonly Talk[] {
    return this.talks;
  }

  /** Forgets those that nothing can continue. */
  forgetEnded(): void {
    this.talks.splice(0, this.talks.length, ...this.talks.filter((talk) => !talk.isOver));
  }

  get isEmpty(): boolean {
    return this.talks.length === 0;
  }

  /** The one that a question in this session continues. */
  of(sessionId: string | undefined): Talk | undefined {
    return sessionId === undefined ? undefined : this.current.get(sessionId);
  }

  /** Begins a conversation; it is then the one that goes on. */
  begin(session: { id: string; name: string }): Talk {
    const talk = this.make(session);
    this.current.set(session.id, talk);
    return talk;
  }

  /** The one of the session's debug console; a question elsewhere continues it only if nothing was asked there before. */
  console(session: { id: string; name: string }): Talk {
    const known = this.talks.find((talk) => talk.sessionId === session.id && talk.isConsole && !talk.isOver);
    if (known) return known;
    const talk = this.make(session);
    talk.isConsole = true;
    if (!this.current.has(session.id)) this.current.set(session.id, talk);
    return talk;
  }

  /** Begins one about an error at which nothing has stopped; its session goes on without it, or has ended. */
  beginEnded(session: { id: string; name: string }, caught: AskCaught, output: string): Talk {
    return Object.assign(this.make(session), { isOver: true as const, caught, output });
  }

  /** A following question in this session begins a new one. */
  leave(sessionId: string): void {
    this.current.delete(sessionId);
  }

  /** The session has ended: nothing continues its conversations, which can still be read. */
  end(sessionId: string, output = ""): void {
    this.current.delete(sessionId);
    for (const talk of this.talks) {
      if (talk.sessionId !== sessionId || talk.isOver) continue;
      talk.isOver = true;
      talk.output = output;
    }
  }

  /** Goes on with an earlier one, if its session is still there. */
  open(id: string): Talk | undefined {
    const talk = this.talks.find((each) => each.id === id);
    if (talk && !talk.isOver) this.current.set(talk.sessionId, talk);
    return talk;
  }

  /** A turn's conversation. */
  holding(turnId: string): { talk: Talk; turn: Turn } | undefined {
    for (const talk of this.talks) {
      const turn = talk.turns.find((each) => each.id === turnId);
      if (turn) return { talk, turn };
    }
    return undefined;
  }

  /** A new turn at its end. */
  add(talk: Talk, question: string, spot?: string, stop?: Turn["stop"], cause?: string): Turn {
    const turn: Turn = { id: `${talk.id}.${talk.turns.length + 1}`, question, at: Date.now(), parts: [] };
    if (spot !== undefined) turn.spot = spot;
    if (stop !== undefined) turn.stop = stop;
    if (cause !== undefined) turn.cause = cause;
    talk.turns.push(turn);
    return turn;
  }

  /** All but the one that is shown, newest first; those of other sessions say which. */
  history(shown: Talk | undefined, sessionId: string | undefined): { id: string; title: string }[] {
    return this.earlier(shown).map((talk) => ({ id: talk.id, title: titleOf(talk, sessionId) }));
  }

  /** The same, whole. */
  earlier(shown: Talk | undefined): Talk[] {
    return this.talks.filter((talk) => talk !== shown && talk.turns.length > 0).reverse();
  }

  private make(session: { id: string; name: string }): Talk {
    const talk: Talk = { id: `conversation-${++this.made}`, sessionId: session.id, sessionName: session.name, turns: [] };
    this.talks.push(talk);
    this.forgetOldest();
    return talk;
  }

  private forgetOldest(): void {
    for (const talk of this.talks.slice(0, Math.max(0, this.talks.length - KEPT))) {
      if (this.current.get(talk.sessionId) === talk) this.current.delete(talk.sessionId);
      this.talks.splice(this.talks.indexOf(talk), 1);
    }
  }
}

function titleOf(talk: Talk, sessionId: string | undefined): string {
  const first = talk.turns[0];
  const question = first?.question.trim().split("\n")[0] ?? "";
  const title = [question === "" ? "Why did it stop here?" : question, first?.spot].filter((each) => each !== undefined);
  return [...title, ...(talk.sessionId === sessionId ? [] : [talk.sessionName])].join(" · ");
}
