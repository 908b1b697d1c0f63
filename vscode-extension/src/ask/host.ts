/** What the view is a picture of: the sessions, the conversation that is shown, and all that a user does there. */

import * as vscode from "vscode";
import type { AnswerHost } from "../answers/answerView";
import type { Lender } from "./ask";
import { askByNotification } from "./consent";
import { Conversations, type Talk } from "./conversations";
import { copy, keep } from "./export";
import { FixActions } from "../answers/fixActions";
import { openLocation, selectFrame, showVariables } from "../answers/links";
import { log, textOf } from "../log";
import { keepTalks, keptTalks } from "./keeping";
import { Offers } from "./offers";
import { Questions, type About } from "./questions";
import { Sessions, type Tracked } from "../sessions/sessions";
import type { Answerer, HostMessage, Turn, ViewMessage, ViewState } from "../shared/messages";
import type { AskApproval } from "../shared/protocol";
import { conversationMarkdown, turnMarkdown } from "./transcript";

/** The places that show answers (../answers/answerView.ts). */
export interface Shown {
  /** Whether one of them is in sight. */
  readonly isVisible: boolean;
  focus(question?: string): Promise<void>;
}

/** The one host of all views. */
export class Host implements AnswerHost, vscode.Disposable {
  readonly sessions = new Sessions();
  readonly questions: Questions;
  private readonly conversations: Conversations;
  private readonly fixes: FixActions;
  private readonly posted = new vscode.EventEmitter<HostMessage>();
  private readonly subscriptions: vscode.Disposable[];
  private answerer: Answerer | undefined;
  private view: Shown | undefined;
  /** Chosen in the view; holds until another session comes to the foreground. */
  private selected: string | undefined;
  private active = vscode.debug.activeDebugSession?.id;
  /** An earlier conversation that the user looks at. */
  private opened: Talk | undefined;
  /** What the view was last sent. */
  private shownTalk: Talk | undefined;
  private shownSession: string | undefined;

  /** What the views are told. */
  readonly onDidPost = this.posted.event;

  /** `storage`: where conversations outlive the window. */
  constructor(
    private readonly lender?: Lender,
    private readonly storage?: vscode.Memento,
  ) {
    const post = this.post.bind(this);
    this.conversations = new Conversations(storage && keptTalks(storage));
    this.shownTalk = this.conversations.all.at(-1);
    this.fixes = new FixActions(post);
    const listener = { answerer: this.setAnswerer.bind(this), approval: this.approval.bind(this) };
    this.questions = new Questions(this.sessions, this.conversations, listener, lender);
    this.subscriptions = [
      this.fixes,
      this.questions,
      this.sessions,
      this.posted,
      this.questions.onDidPost(post),
      this.questions.onDidPost(({ type }) => {
        if (type !== "part") this.keep();
      }),
      ...(lender ? [new Offers(this.sessions, lender)] : []),
      ...(lender?.onDidChange ? [lender.onDidChange(this.answererChosen.bind(this))] : []),
      this.sessions.onDidChange(() => {
        this.sessionsChanged();
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** Where answers are shown. */
  setView(view: Shown): void {
    this.view = view;
  }

  get hasConversations(): boolean {
    return !this.conversations.isEmpty;
  }

  /** The session that a question goes to. */
  session(): Tracked | undefined {
    return this.sessions.get(this.selected) ?? this.sessions.current();
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
    if (talk) state.conversation = { id: talk.id, sessionId: talk.sessionId, turns: talk.turns };
    const answerer = this.answerer ?? this.lender?.answerer?.();
    if (answerer) state.answerer = answerer;
    return state;
  }

  /** Asks; without a session, says how to start one. */
  ask(question: string, about: About = {}): Turn | undefined {
    const tracked = this.sessions.get(about.sessionId) ?? this.session();
    if (!tracked) {
      void sayHowToStart();
      return undefined;
    }
    if (about.sessionId !== undefined) this.selected = tracked.session.id;
    this.opened = undefined;
    return this.questions.ask(tracked, question, about);
  }

  /** Shows the view with the cursor in its input. */
  async focus(question?: string): Promise<void> {
    await this.view?.focus(question);
  }

  /** Ends every answer that is being made in the conversation that is shown. */
  stopAll(): void {
    const talk = this.talk();
    if (talk) this.questions.stopAll(talk);
  }

  newConversation(): void {
    const sessionId = this.session()?.session.id;
    if (sessionId !== undefined) this.conversations.leave(sessionId);
    this.opened = this.shownTalk = undefined;
    this.refresh();
  }

  /** Forgets all conversations but those of the sessions that go on. */
  forgetConversations(): void {
    this.conversations.forgetEnded();
    this.opened = this.shownTalk = undefined;
    this.keep();
    this.refresh();
  }

  async copyConversation(): Promise<void> {
    const talk = this.talk();
    if (talk) await copy(conversationMarkdown(talk));
  }

  async exportConversation(): Promise<void> {
    const talk = this.talk();
    if (talk) await keep(conversationMarkdown(talk));
  }

  onMessage(message: ViewMessage): void {
    this.handle(message).catch((error: unknown) => {
      log().error(`${message.type}: ${textOf(error)}`);
      void vscode.window.showErrorMessage(textOf(error));
    });
  }

  private async handle(message: ViewMessage): Promise<void> {
    switch (message.type) {
      case "ready":
        return;
      case "ask":
        this.ask(message.question);
        return;
      case "stop":
        this.questions.stop(message.turnId);
        return;
      case "retry":
        this.retry(message.turnId);
        return;
      case "newConversation":
        this.newConversation();
        return;
      case "openConversation":
        this.openConversation(message.id);
        return;
      case "selectSession":
        this.opened = undefined;
        this.selected = message.sessionId;
        this.refresh();
        return;
      case "approve":
        return this.questions.asks.approve(message.approvalId, message.allow, message.remember);
      case "openLocation":
        await openLocation(message.file, message.line, this.sessionOfTalk());
        return;
      case "openFrame":
        return this.openFrame(message.sessionId, message.frameId);
      case "previewFix":
      case "applyFix":
      case "undoFix":
        return this.fixes.run(message.type, this.turn(message.turnId), message.index, this.sessionOfTalk());
      case "copyTurn":
        return copy(turnMarkdown(this.turn(message.turnId)) + "\n");
      case "copyConversation":
        return this.copyConversation();
      case "exportConversation":
        return this.exportConversation();
      case "chooseAnswerer":
        await vscode.commands.executeCommand("dapAi.chooseAnswerer");
    }
  }

  /** The conversation that is shown. A new session that has not stopped yet leaves the last one in sight. */
  private talk(): Talk | undefined {
    if (this.opened) return this.opened;
    const tracked = this.session();
    if (!tracked) return this.shownTalk;
    const talk = this.conversations.of(tracked.session.id);
    return talk ?? (tracked.stop || !this.shownTalk?.isOver ? undefined : this.shownTalk);
  }

  private openConversation(id: string): void {
    const talk = this.conversations.open(id);
    if (!talk) return;
    if (!talk.isOver) this.selected = talk.sessionId;
    this.opened = talk.isOver ? talk : undefined;
    this.refresh();
  }

  private retry(turnId: string): void {
    const tracked = this.session();
    this.opened = undefined;
    if (tracked) this.questions.retry(turnId, tracked);
    else void sayHowToStart();
  }

  private turn(turnId: string): Turn {
    const held = this.conversations.holding(turnId);
    if (!held) throw new Error("This answer is no longer kept.");
    return held.turn;
  }

  private sessionOfTalk(): vscode.DebugSession | undefined {
    return (this.sessions.get(this.talk()?.sessionId) ?? this.session())?.session;
  }

  private async openFrame(sessionId: string, frameId: number): Promise<void> {
    if (await selectFrame(this.sessions, sessionId, frameId)) await showVariables();
    else vscode.window.setStatusBarMessage("This frame is not in the call stack of the selected thread.", 4000);
  }

  private approval(talk: Talk, approval: AskApproval): void {
    if (this.view?.isVisible && talk === this.talk()) return;
    const answer = this.questions.asks.approve.bind(this.questions.asks);
    void askByNotification(approval, answer, () => {
      this.openConversation(talk.id);
      void this.focus();
    });
  }

  private answererChosen(): void {
    this.answerer = undefined;
    this.refresh();
  }

  private setAnswerer(answerer: Answerer): void {
    this.answerer = answerer;
    this.posted.fire({ type: "answerer", answerer });
  }

  /** Posts what concerns a turn, if its conversation is the one in sight. */
  private post(message: HostMessage): void {
    const talk = this.talk();
    if (message.type === "turn") {
      // The first turn of a conversation: the view has not heard of it yet.
      if (talk?.id !== message.conversationId || talk !== this.shownTalk) this.refresh();
      else this.posted.fire(message);
    } else if (!("turnId" in message) || talk?.turns.some((turn) => turn.id === message.turnId)) {
      this.posted.fire(message);
    }
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

  private keep(): void {
    if (!this.storage) return;
    keepTalks(this.storage, this.conversations.all).catch((error: unknown) => {
      log().warn(`The conversations cannot be kept: ${textOf(error)}`);
    });
  }

  private refresh(): void {
    this.shownTalk = this.talk();
    this.shownSession = this.session()?.session.id;
    this.posted.fire({ type: "state", state: this.state() });
  }
}

async function sayHowToStart(): Promise<void> {
  const start = "Start Debugging";
  const text = "Nothing is being debugged with dap-ai. Start a program with it, and ask when it has stopped.";
  if ((await vscode.window.showInformationMessage(text, start)) === start) {
    await vscode.commands.executeCommand("workbench.action.debug.start");
  }
}
