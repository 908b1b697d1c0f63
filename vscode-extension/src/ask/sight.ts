/** What the views show: the session that is asked, the conversation in sight, and what they are told of both. */

import * as vscode from "vscode";
import type { Sessions, Tracked } from "../sessions/sessions";
import type { Answerer, HostMessage, ViewState } from "../shared/messages";
import type { Conversations, Talk } from "./conversations";

/** Chooses among all sessions and conversations. */
export class Sight implements vscode.Disposable {
  private readonly posted = new vscode.EventEmitter<HostMessage>();
  private readonly following: vscode.Disposable;
  /** Chosen by the user; holds until another session comes to the foreground. */
  private selected: string | undefined;
  private active = vscode.debug.activeDebugSession?.id;
  /** An earlier conversation that the user looks at. */
  private opened: Talk | undefined;
  /** What the views were last sent. */
  private shownTalk: Talk | undefined;
  private shownSession: string | undefined;

  /** What the views are told. */
  readonly onDidPost = this.posted.event;

  constructor(
    private readonly sessions: Sessions,
    private readonly conversations: Conversations,
    private readonly answerer: () => Answerer | undefined,
  ) {
    this.shownTalk = conversations.all.at(-1);
    this.following = sessions.onDidChange(() => {
      this.sessionsChanged();
    });
  }

  dispose(): void {
    this.following.dispose();
    this.posted.dispose();
  }

  /** The session that a question goes to. */
  session(): Tracked | undefined {
    return this.sessions.get(this.selected) ?? this.sessions.current();
  }

  /** The conversation that is shown. A program that was started again leaves its last one in sight until it has stopped. */
  talk(): Talk | undefined {
    if (this.opened) return this.opened;
    const tracked = this.session();
    if (!tracked) return this.shownTalk;
    const talk = this.conversations.of(tracked.session.id);
    if (talk || tracked.stop || !this.shownTalk?.isOver) return talk;
    // What was said of another program would look like a verdict on the one that runs now.
    return this.shownTalk.sessionName === tracked.session.name ? this.shownTalk : undefined;
  }

  state(): ViewState {
    const sessionId = this.session()?.session.id;
    const talk = this.talk();
    const state: ViewState = {
      sessions: this.sessions.list(),
      history: this.conversations.history(talk, sessionId),
      workspace: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    };
    if (sessionId !== undefined) state.sessionId = sessionId;
    if (talk) state.conversation = { id: talk.id, sessionId: talk.sessionId, turns: talk.turns, ...(talk.isOver ? { isOver: true } : {}) };
    const answerer = this.answerer();
    if (answerer) state.answerer = answerer;
    return state;
  }

  /** Back from an earlier conversation to the one that goes on; with a session, to that session's. */
  showCurrent(sessionId?: string): void {
    if (sessionId !== undefined) this.selected = sessionId;
    this.opened = undefined;
  }

  /** Shows an earlier conversation, which goes on if its session does. */
  open(id: string): void {
    const talk = this.conversations.open(id);
    if (!talk) return;
    if (!talk.isOver) this.selected = talk.sessionId;
    this.opened = talk.isOver ? talk : undefined;
    this.refresh();
  }

  /** The last conversation is not shown any more, unless it is the one that goes on. */
  clear(): void {
    this.opened = this.shownTalk = undefined;
    this.refresh();
  }

  /** Posts what concerns a turn, if its conversation is the one in sight. */
  post(message: HostMessage): void {
    const talk = this.talk();
    if (message.type === "turn") {
      // The first turn of a conversation: the view has not heard of it yet.
      if (talk?.id !== message.conversationId || talk !== this.shownTalk) this.refresh();
      else this.posted.fire(message);
    } else if (!("turnId" in message) || talk?.turns.some((turn) => turn.id === message.turnId)) {
      this.posted.fire(message);
    }
  }

  /** Posts the whole state. */
  refresh(): void {
    this.shownTalk = this.talk();
    this.shownSession = this.session()?.session.id;
    this.posted.fire({ type: "state", state: this.state() });
  }

  private sessionsChanged(): void {
    const active = vscode.debug.activeDebugSession?.id;
    if (active !== this.active) this.selected = undefined;
    this.active = active;
    const sessionId = this.session()?.session.id;
    if (sessionId !== this.shownSession || this.talk() !== this.shownTalk) {
      this.refresh();
      return;
    }
    const message: HostMessage = { type: "sessions", sessions: this.sessions.list() };
    this.posted.fire(sessionId === undefined ? message : { ...message, sessionId });
  }
}
