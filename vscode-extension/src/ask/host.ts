/** What the views are a picture of (sight.ts), and all that a user does there. */

import * as vscode from "vscode";
import type { AnswerHost } from "../answers/answerView";
import type { Lender } from "./lender";
import { askByNotification } from "./consent";
import { Conversations, type Talk } from "./conversations";
import { copy, inWorkspace, keep } from "./export";
import { chooseConversation } from "./history";
import { FixActions } from "../answers/fixActions";
import { HANGS, paused } from "./pausing";
import { openLocation, selectFrame, showVariables } from "../answers/links";
import { showStop } from "../answers/standing";
import { log, textOf } from "../log";
import { keepTalks, keptTalks } from "./keeping";
import { Offers } from "./offers";
import { Questions, type About, type Revived, type RevivedListener } from "./questions";
import { Reruns } from "./reruns";
import { restart } from "./restarting";
import { Sight } from "./sight";
import { Sessions, type Tracked } from "../sessions/sessions";
import { WHY_CAUGHT, type Answerer, type HostMessage, type Turn, type ViewMessage, type ViewState } from "../shared/messages";
import type { AskApproval, AskCaught } from "../shared/protocol";
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
  private readonly sight: Sight;
  private readonly subscriptions: vscode.Disposable[];
  /** By id; VS Code forgets them. */
  private readonly endedSessions = new Map<string, vscode.DebugSession>();
  private answerer: Answerer | undefined;
  private view: Shown | undefined;

  /** What the views are told. */
  readonly onDidPost: vscode.Event<HostMessage>;

  /** `storage`: where conversations outlive the window. */
  constructor(
    lender?: Lender,
    private readonly storage?: vscode.Memento,
    revive?: (session: vscode.DebugSession | undefined, listener: RevivedListener) => Revived,
  ) {
    this.conversations = new Conversations(storage && keptTalks(storage));
    this.sight = new Sight(this.sessions, this.conversations, () => this.answerer ?? lender?.answerer?.());
    this.onDidPost = this.sight.onDidPost;
    const post = this.sight.post.bind(this.sight);
    const postAndKeep = (message: HostMessage): void => {
      post(message);
      this.keep();
    };
    const reruns = new Reruns(this.sessions, this.conversations, postAndKeep);
    this.fixes = new FixActions(postAndKeep, reruns);
    const listener = { answerer: this.setAnswerer.bind(this), approval: this.approval.bind(this) };
    this.questions = new Questions(
      this.sessions,
      this.conversations,
      listener,
      lender,
      revive && ((talk, listening) => revive(this.endedSessions.get(talk.sessionId), listening)),
    );
    this.subscriptions = [
      this.fixes,
      reruns,
      this.questions,
      this.sessions,
      this.sight,
      this.sessions.onDidEnd(({ session }) => this.endedSessions.set(session.id, session)),
      this.questions.onDidPost(post),
      this.questions.onDidPost(({ type }) => {
        if (type !== "part") this.keep();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("dapAi.keepConversations")) this.keep();
      }),
      ...(lender ? [new Offers(this.sessions, lender)] : []),
      ...(lender?.onDidChange ? [lender.onDidChange(this.answererChosen.bind(this))] : []),
    ];
    // They may have been kept before the user switched it off, in another window.
    if (this.conversations.isEmpty) this.keep();
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
    return this.sight.session();
  }

  state(): ViewState {
    return this.sight.state();
  }

  /** Asks; without a session, says how to start one. */
  ask(question: string, about: About = {}): Turn | undefined {
    const tracked = this.sessions.get(about.sessionId) ?? this.session();
    const talk = this.sight.talk();
    // Until the next stop the conversation that is in sight goes on, without its session.
    if (talk?.isOver && talk.turns.length > 0 && !tracked?.stop && about.sessionId === undefined) return this.questions.askEnded(talk, question);
    if (!tracked) {
      void sayHowToStart();
      return undefined;
    }
    this.sight.showCurrent(about.sessionId === undefined ? undefined : tracked.session.id);
    showStop(this.sessions, tracked).catch((error: unknown) => {
      log().warn(`the stopped line: ${textOf(error)}`);
    });
    return this.questions.ask(tracked, question, about);
  }

  /** Stops the program where it is now, and asks what it does there. False: there is none that runs. */
  async pauseAndAsk(): Promise<boolean> {
    const tracked = this.session();
    if (!tracked || tracked.stop) return false;
    await paused(this.sessions, tracked);
    return this.ask(HANGS, { sessionId: tracked.session.id }) !== undefined;
  }

  /** Asks about an error that something caught, after the end of its session: from its traceback, source and output. */
  askCaught(session: vscode.DebugSession, caught: AskCaught, output: string): Talk {
    this.endedSessions.set(session.id, session);
    const talk = this.conversations.beginEnded(session, caught, output);
    this.questions.askEnded(talk, WHY_CAUGHT);
    this.sight.open(talk.id);
    return talk;
  }

  /** Shows a conversation again. */
  show(talk: Talk): void {
    this.sight.open(talk.id);
  }

  /** Shows the view with the cursor in its input. */
  async focus(question?: string): Promise<void> {
    await this.view?.focus(question);
  }

  /** Ends every answer that is being made in the conversation that is shown. */
  stopAll(): void {
    const talk = this.sight.talk();
    if (talk) this.questions.stopAll(talk);
  }

  newConversation(): void {
    const sessionId = this.session()?.session.id;
    if (sessionId !== undefined) this.conversations.leave(sessionId);
    this.sight.clear();
  }

  /** Forgets all conversations but those of the sessions that go on. */
  forgetConversations(): void {
    this.conversations.forgetEnded();
    this.keep();
    this.sight.clear();
  }

  /** Shows an earlier conversation that the user chooses. */
  async chooseConversation(): Promise<void> {
    const id = await chooseConversation(this.conversations.earlier(this.sight.talk()));
    if (id === undefined) return;
    this.sight.open(id);
    if (!this.view?.isVisible) await this.focus();
  }

  async copyConversation(): Promise<void> {
    const talk = this.sight.talk();
    if (talk) await copy(conversationMarkdown(talk, inWorkspace));
  }

  async exportConversation(): Promise<void> {
    const talk = this.sight.talk();
    if (talk) await keep(conversationMarkdown(talk, inWorkspace));
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
      case "pauseAndAsk":
        await this.pauseAndAsk();
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
        if (message.id === undefined) return this.chooseConversation();
        this.sight.open(message.id);
        return;
      case "selectSession":
        this.sight.showCurrent(message.sessionId);
        this.sight.refresh();
        return;
      case "approve":
        return this.questions.asks.approve(message.approvalId, message.allow, message.remember);
      case "openLocation":
        await openLocation(message.file, message.line, this.sessionOfTalk());
        return;
      case "openFrame":
        return this.openFrame(message);
      case "previewFix":
      case "applyFix":
      case "undoFix":
        return this.fixes.run(message.type, this.turn(message.turnId), message.index, this.sessionOfTalk());
      case "applyAndRerun":
        return this.applyAndRerun(message.turnId, message.index);
      case "restart":
        return this.restart(message.turnId);
      case "copyTurn":
        return copy(turnMarkdown(this.turn(message.turnId), inWorkspace) + "\n");
      case "copyConversation":
        return this.copyConversation();
      case "exportConversation":
        return this.exportConversation();
      case "chooseAnswerer":
        await vscode.commands.executeCommand("dapAi.chooseAnswerer");
        return;
      case "setKey":
        await vscode.commands.executeCommand("dapAi.setApiKey");
    }
  }

  private retry(turnId: string): void {
    const tracked = this.session();
    this.sight.showCurrent();
    if (tracked) this.questions.retry(turnId, tracked);
    else void sayHowToStart();
  }

  /** A turn and its conversation, if they are still kept. */
  holding(turnId: string): { talk: Talk; turn: Turn } | undefined {
    return this.conversations.holding(turnId);
  }

  private turn(turnId: string): Turn {
    const held = this.conversations.holding(turnId);
    if (!held) throw new Error("This answer is no longer kept.");
    return held.turn;
  }

  private sessionOfTalk(): vscode.DebugSession | undefined {
    return (this.sessions.get(this.sight.talk()?.sessionId) ?? this.session())?.session;
  }

  /** The place is always shown: VS Code does nothing for a frame that is selected already, or is none any more. */
  private async openFrame({ sessionId, frameId, file, line }: ViewMessage & { type: "openFrame" }): Promise<void> {
    const isThere = await selectFrame(this.sessions, sessionId, frameId);
    if (file !== "") await openLocation(file, line, this.sessionOfTalk());
    if (isThere) await showVariables();
    else vscode.window.setStatusBarMessage("This frame is not in the call stack of the selected thread.", 4000);
  }

  /** A fix that could not be applied is not run. */
  private async applyAndRerun(turnId: string, index: number): Promise<void> {
    const turn = this.turn(turnId);
    await this.fixes.run("applyFix", turn, index, this.sessionOfTalk());
    if (turn.fixes?.[index] === "applied") await this.restart(turnId);
  }

  private async restart(turnId: string): Promise<void> {
    const talk = this.conversations.holding(turnId)?.talk;
    const running = this.sessions.get(talk?.sessionId) ?? this.sessions.all.find(({ session }) => session.name === talk?.sessionName);
    await restart(running?.session, this.endedSessions.get(talk?.sessionId ?? ""));
  }

  private approval(talk: Talk, approval: AskApproval): void {
    if (this.view?.isVisible && talk === this.sight.talk()) return;
    const answer = this.questions.asks.approve.bind(this.questions.asks);
    void askByNotification(approval, answer, () => {
      this.sight.open(talk.id);
      void this.focus();
    });
  }

  private answererChosen(): void {
    this.answerer = undefined;
    this.sight.refresh();
  }

  private setAnswerer(answerer: Answerer): void {
    this.answerer = answerer;
    this.sight.post({ type: "answerer", answerer });
  }

  private keep(): void {
    if (!this.storage) return;
    keepTalks(this.storage, this.conversations.all).catch((error: unknown) => {
      log().warn(`The conversations cannot be kept: ${textOf(error)}`);
    });
  }
}

async function sayHowToStart(): Promise<void> {
  const start = "Start Debugging";
  const text = "Nothing is being debugged with dap-ai. Start a program with it, and ask when it has stopped.";
  if ((await vscode.window.showInformationMessage(text, start)) === start) {
    await vscode.commands.executeCommand("workbench.action.debug.start");
  }
}
