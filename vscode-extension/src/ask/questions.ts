/** Takes questions, one at a time for each conversation, and makes their turns. */

import * as vscode from "vscode";
import { answererOf } from "./answerer";
import { Asks, type Asking, type AskSink } from "./ask";
import type { Conversations, Talk } from "./conversations";
import type { Lender } from "./lender";
import { shownStop, type Sessions, type Tracked } from "../sessions/sessions";
import type { Stop } from "../sessions/tracker";
import type { Answerer, HostMessage, Turn } from "../shared/messages";
import type { AskApproval, AskArguments, AskCaught, Earlier } from "../shared/protocol";
import { answerOf } from "./transcript";
import { isOpen, TurnSink } from "./turns";
import { spotOf } from "./why";

/** What a question is about, where that is not what is selected in VS Code. */
export interface About {
  sessionId?: string;
  threadId?: number;
  frameId?: number;
  /** Lent instead of the chosen one, where VS Code's models answer. */
  model?: vscode.LanguageModelChat;
  /** Not a follow-up of anything. */
  isNew?: boolean;
}

/** Who hears of the turns. */
export interface QuestionsListener {
  answerer(answerer: Answerer): void;
  approval(talk: Talk, approval: AskApproval): void;
}

/** A turn whose answer is being made, or waits for the one before it. */
interface Work {
  talk: Talk;
  args: AskArguments;
  model?: vscode.LanguageModelChat | undefined;
  /** Once it was sent. */
  asking?: Asking;
}

/** Who hears of a connection on which nothing runs. */
export interface RevivedListener {
  received: (event: string, body: unknown) => void;
  /** Nothing more comes; why, for a person. */
  lost: (error: string) => void;
}

/** A connection on which a conversation goes on after its session; as much of a session as questions need. */
export interface Revived {
  readonly id: string;
  readonly name: string;
  customRequest(command: string, args?: unknown): Promise<unknown>;
  close(): void;
}

/** Opens one; what is asked waits until it is open. */
export type Revive = (talk: Talk, listener: RevivedListener) => Revived;

/** Questions need no more of a session. */
const as = (session: Revived): vscode.DebugSession => session as unknown as vscode.DebugSession;

const MOST_TURNS = 10;
const MOST_CHARS = 15_000;

/** What was said before this turn. */
function earlierOf(talk: Talk, turn: Turn): Earlier {
  const said = talk.turns.filter((each) => each !== turn && answerOf(each).trim() !== "").slice(-MOST_TURNS);
  const turns = said.map((each) => ({
    question: each.question,
    answer: answerOf(each).slice(0, MOST_CHARS),
    ...(each.stop?.file === undefined ? {} : { file: each.stop.file, line: each.stop.line ?? 1 }),
  }));
  return { turns, output: talk.output ?? "", ...(talk.caught ? { caught: talk.caught.traceback } : {}) };
}

/** As if it had stopped there. */
function stopOf({ type, message, file, line, function: frame }: AskCaught): Stop {
  return { reason: "exception", cause: `${type}: ${message}`, top: { frameId: -1, frame, file, line }, frames: new Map() };
}

/** All questions that came from a person. */
export class Questions implements vscode.Disposable {
  readonly asks: Asks;
  private readonly work = new Map<Turn, Work>();
  private readonly ending: vscode.Disposable;
  private readonly posted = new vscode.EventEmitter<HostMessage>();

  /** What becomes of every turn, in sight or not. */
  readonly onDidPost = this.posted.event;

  constructor(
    private readonly sessions: Sessions,
    private readonly conversations: Conversations,
    private readonly listener: QuestionsListener,
    lender?: Lender,
    private readonly revive?: Revive,
  ) {
    // Before the asks hear of it: what then ends makes nothing else begin.
    this.ending = sessions.onDidEnd(({ session, tracked }) => {
      conversations.end(session.id, tracked.output);
    });
    this.asks = new Asks(sessions, (session, askId, asking) => this.adopt(session, askId, asking), lender);
  }

  dispose(): void {
    this.ending.dispose();
    this.asks.dispose();
    this.posted.dispose();
  }

  /** Asks; the turn is posted before anything is sent. */
  ask(tracked: Tracked, question: string, about: About): Turn {
    const { session } = tracked;
    if (about.isNew) this.conversations.leave(session.id);
    const talk = this.conversations.of(session.id) ?? this.conversations.begin(session);
    const args: AskArguments = { question, ...(about.threadId === undefined ? this.sessions.chosen(session.id) : {}) };
    if (about.threadId !== undefined) args.threadId = about.threadId;
    if (about.frameId !== undefined) args.frameId = about.frameId;
    const turn = this.add(talk, question, tracked.stop);
    const isBusy = [...this.work.values()].some((work) => work.talk === talk);
    this.work.set(turn, { talk, args, model: about.model });
    if (isBusy) this.status(turn, "Waits for the answer before it.");
    else this.next(talk);
    return turn;
  }

  /** Goes on with a conversation whose session has ended: from what was said, the source and the output. */
  askEnded(talk: Talk, question: string): Turn {
    const turn = this.add(talk, question, talk.turns.length === 0 && talk.caught ? stopOf(talk.caught) : undefined);
    this.work.set(turn, { talk, args: { question } });
    this.next(talk);
    return turn;
  }

  /** Asks the same again: in its own session if that is still there, else in `tracked`. */
  retry(turnId: string, tracked: Tracked | undefined): void {
    const held = this.conversations.holding(turnId);
    if (!held || isOpen(held.turn)) return;
    const own = this.sessions.get(held.talk.sessionId);
    const there = own ?? tracked;
    this.conversations.open(held.talk.id);
    if (there) this.ask(there, held.turn.question, {});
  }

  /** Ends the answer; what has come of it stays. */
  stop(turnId: string): void {
    const turn = this.conversations.holding(turnId)?.turn;
    const work = turn && this.work.get(turn);
    if (work?.asking) work.asking.cancel();
    else if (turn && work) this.fail(turn, "You stopped this question before it was asked.");
  }

  /** Ends every answer of a conversation. */
  stopAll(talk: Talk): void {
    const turns = [...this.work].filter(([, work]) => work.talk === talk).map(([turn]) => turn);
    // The last first, so that none begins in between.
    for (const turn of turns.reverse()) this.stop(turn.id);
  }

  private add(talk: Talk, question: string, stop: Stop | undefined): Turn {
    const turn = this.conversations.add(talk, question, spotOf(stop), stop && shownStop(stop), stop && (stop.cause ?? stop.reason));
    this.posted.fire({ type: "turn", conversationId: talk.id, turn });
    return turn;
  }

  /** Sends the question that waits longest. */
  private next(talk: Talk): void {
    const ours = [...this.work].filter(([, work]) => work.talk === talk);
    const first = ours[0];
    if (!first || ours.some(([, work]) => work.asking)) return;
    const [turn, work] = first;
    const tracked = talk.isOver ? undefined : this.sessions.get(talk.sessionId);
    if (!tracked && this.revive && (talk.turns.length > 1 || talk.caught)) {
      work.asking = this.askRevived(talk, turn, this.revive);
      return;
    }
    if (!tracked) {
      this.fail(turn, "This debug session has ended. Start the program again to ask.");
      return;
    }
    const { remoteId } = talk;
    const args = remoteId === undefined ? work.args : { ...work.args, conversationId: remoteId };
    work.asking = this.asks.ask(tracked.session, args, this.sink(talk, turn), work.model);
  }

  private askRevived(talk: Talk, turn: Turn, revive: Revive): Asking {
    const session: Revived = revive(talk, {
      received: (event, body) => {
        this.sessions.receive({ session: as(session), event, body });
      },
      lost: (error) => {
        this.asks.endAll(as(session), error);
      },
    });
    const args: AskArguments = { question: turn.question, earlier: earlierOf(talk, turn) };
    return this.asks.ask(as(session), args, this.sink(talk, turn, () => {
      session.close();
    }));
  }

  /** A question of the debug console gets a turn, too: its steps, fixes and consent are then at hand. */
  private adopt(session: vscode.DebugSession, askId: string, asking: Asking): AskSink | undefined {
    const tracked = this.sessions.get(session.id);
    const question = tracked?.consoleQuestions.get(askId);
    if (question === undefined) return undefined;
    const talk = this.conversations.console(session);
    const turn = this.add(talk, question, tracked?.stop);
    this.work.set(turn, { talk, args: {}, asking });
    return this.sink(talk, turn);
  }

  private sink(talk: Talk, turn: Turn, close?: () => void): TurnSink {
    return new TurnSink(turn, {
      post: (message) => {
        this.posted.fire(message);
      },
      asked: (body) => {
        talk.remoteId = body.conversationId;
      },
      notice: (text) => {
        const answerer = answererOf(text);
        if (answerer) this.listener.answerer(answerer);
      },
      approval: (approval) => {
        this.listener.approval(talk, approval);
      },
      over: () => {
        close?.();
        if (turn.ended) talk.remoteId = turn.ended.conversationId;
        this.work.delete(turn);
        this.next(talk);
      },
    });
  }

  private status(turn: Turn, text: string): void {
    const part = { kind: "status" as const, text };
    turn.parts.push(part);
    this.posted.fire({ type: "part", turnId: turn.id, part });
  }

  private fail(turn: Turn, error: string): void {
    const talk = this.work.get(turn)?.talk;
    turn.error = error;
    this.work.delete(turn);
    this.posted.fire({ type: "failed", turnId: turn.id, error });
    if (talk) this.next(talk);
  }
}
