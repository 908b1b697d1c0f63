/** The view as a whole: takes what the host says, and shows it. */

import type { FromView, HostMessage, Turn, ViewState } from "../shared/messages";
import { Composer, type Composing } from "./composer";
import type { Kept, ViewContext } from "./context";
import { h } from "./dom";
import { emptyState } from "./empty";
import { currentSession, Header, spotOf } from "./header";
import { icon } from "./icons";
import { shortPath } from "./paths";
import { Follower } from "./scroll";
import { TurnView } from "./turn";

/** What VS Code gives to a webview. */
export interface Host {
  postMessage(message: FromView): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** A view that is lower than this shows no more than a line or two of an answer. */
const READABLE_PX = 200;
/** One that is wider than this is in no side bar: the user has moved it there. */
const MOVED_PX = 560;

const EMPTY: ViewState = { sessions: [], history: [], workspace: [] };

export class App implements ViewContext {
  state: ViewState = EMPTY;
  private loaded = false;
  private turns: TurnView[] = [];
  /** By turn: the program has moved since it was asked. */
  private readonly movedTurns = new Set<string>();
  private readonly content = h("div", { class: "content" });
  private readonly scroller = h("main", { class: "scroller", tabindex: 0, "aria-label": "Conversation" }, this.content);
  private readonly jump = h("button", { class: "jump", title: "Go to the end", "aria-label": "Go to the end", hidden: true, onClick: () => { this.follower.toEnd(); } }, icon("end"));
  private readonly polite = h("div", { class: "hidden", role: "status", "aria-live": "polite" });
  private readonly urgent = h("div", { class: "hidden", role: "alert", "aria-live": "assertive" });
  private readonly header: Header;
  private readonly composer: Composer;
  private readonly follower: Follower;
  private memory: Kept;
  /** A question was asked here whose turn has not come yet. */
  private hasAsked = false;
  /** The turn that room was asked for. */
  private roomFor: string | undefined;

  constructor(root: HTMLElement, private readonly host: Host) {
    this.memory = (host.getState() ?? {});
    this.header = new Header(this);
    this.composer = new Composer(this);
    this.follower = new Follower(this.scroller, this.content, (following) => {
      this.jump.hidden = following;
    });
    root.append(this.header.element, h("div", { class: "middle" }, this.scroller, this.jump), this.composer.element, this.polite, this.urgent);
    this.scroller.addEventListener("scrollend", () => {
      this.keep({ scrollTop: this.follower.isAnchored ? undefined : this.scroller.scrollTop });
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && this.composer.stopAnswer()) event.preventDefault();
    });
  }

  readonly open = (file: string, line: number): void => {
    this.post({ type: "openLocation", file, line });
  };

  post(message: FromView): void {
    if (message.type === "ask" || message.type === "retry") this.hasAsked = true;
    this.host.postMessage(message);
  }

  short(file: string): string {
    return shortPath(file, this.state.workspace);
  }

  announce(text: string, urgent = false): void {
    const region = urgent ? this.urgent : this.polite;
    region.textContent = text;
  }

  kept(): Kept {
    return this.memory;
  }

  keep(change: Kept): void {
    this.memory = { ...this.memory, ...change };
    this.host.setState(this.memory);
  }

  /** One message of the host. Until the first `state` nothing is known that others could change. */
  receive(message: HostMessage): void {
    if (message.type !== "state" && message.type !== "focus" && !this.loaded) return;
    switch (message.type) {
      case "state":
        this.load(message.state);
        return;
      case "sessions":
        this.noticeMoves(message.sessions);
        this.state = { ...this.state, sessions: message.sessions };
        if (message.sessionId === undefined) delete this.state.sessionId;
        else this.state.sessionId = message.sessionId;
        break;
      case "answerer":
        this.state.answerer = message.answerer;
        break;
      case "turn":
        this.addTurn(message.conversationId, message.turn);
        break;
      case "part":
        this.turn(message.turnId)?.addPart(message.part);
        // No notification asks for it while a view is in sight, be it ever so low.
        if (message.part.kind === "approval") this.askForRoom();
        return;
      case "approval":
        this.turn(message.turnId)?.setApproval(message.approvalId, message.outcome);
        return;
      case "ended": {
        const turn = this.turn(message.turnId);
        turn?.end(message.ended, !this.follower.isAnchored);
        if (turn) this.announce(END_WORDS[message.ended.reason]);
        break;
      }
      case "failed":
        this.turn(message.turnId)?.fail(message.error);
        this.announce(`The question failed: ${message.error}`, true);
        break;
      case "fix":
        this.turn(message.turnId)?.setFix(message.index, message.outcome, message.error);
        return;
      case "rerun":
        this.turn(message.turnId)?.setRerun(message.index, message.rerun);
        if (message.rerun) this.announce(message.rerun.text);
        return;
      case "focus":
        this.composer.focus(message.question);
        // With what is asked by a command comes the focus; what is asked in the debug console is read there.
        this.askForRoom(true);
        return;
    }
    this.update();
  }

  private load(state: ViewState): void {
    const same = this.memory.conversationId === state.conversation?.id;
    const first = !this.loaded;
    const top = this.scroller.scrollTop;
    this.state = state;
    this.loaded = true;
    if (!same) {
      this.movedTurns.clear();
      this.keep({ conversationId: state.conversation?.id, scrollTop: undefined, open: [], deadlines: {} });
    }
    for (const turn of this.turns) turn.dispose();
    this.turns = [];
    this.content.replaceChildren();
    for (const turn of state.conversation?.turns ?? []) this.append(turn);
    this.update();
    const keptTop = first ? this.memory.scrollTop : this.follower.isAnchored ? undefined : top;
    if (same && keptTop !== undefined) this.follower.restore(keptTop);
    else this.showLast();
  }

  private addTurn(conversationId: string, turn: Turn): void {
    const { conversation } = this.state;
    if (conversation && conversation.id !== conversationId && conversation.turns.length > 0) return;
    if (conversation?.id !== conversationId) {
      this.state.conversation = { id: conversationId, sessionId: this.state.sessionId ?? "", turns: [] };
      this.keep({ conversationId });
    }
    this.movedTurns.delete(turn.id);
    const turns = this.state.conversation?.turns ?? [];
    const at = this.turns.findIndex((each) => each.turn.id === turn.id);
    const old = this.turns[at];
    if (old) {
      turns[at] = turn;
      this.turns[at] = new TurnView(this, turn, at + 1);
      old.dispose();
      old.element.replaceWith(this.turns[at].element);
    } else {
      turns.push(turn);
      this.append(turn);
    }
    this.announce("Looking for an answer");
    this.update();
    this.showLast();
  }

  private showLast(): void {
    const last = this.turns[this.turns.length - 1];
    if (last) this.follower.anchorAt(last.element);
  }

  /** Where there is no room to read, the host makes some; once for each question, and where the view was called for. */
  private askForRoom(isWanted = false): void {
    if (document.body.dataset.place !== "panel" || window.innerHeight >= READABLE_PX || window.innerHeight === 0) return;
    if (window.innerWidth >= MOVED_PX) return;
    const running = this.turns.find((each) => each.running)?.turn.id ?? (isWanted ? "" : undefined);
    if (running === undefined || running === this.roomFor) return;
    this.roomFor = running;
    this.post({ type: "command", command: "makeRoom" });
  }

  private append(turn: Turn): void {
    if (this.turns.length === 0) this.content.replaceChildren();
    this.turns[this.turns.length - 1]?.fold();
    const view = new TurnView(this, turn, this.turns.length + 1);
    this.turns.push(view);
    this.content.appendChild(view.element);
  }

  private turn(id: string): TurnView | undefined {
    return this.turns.find((each) => each.turn.id === id);
  }

  /** A session that ran in between stands elsewhere, be it at the same line. */
  private noticeMoves(sessions: ViewState["sessions"]): void {
    const id = this.state.conversation?.sessionId;
    const before = this.state.sessions.find((each) => each.id === id);
    const now = sessions.find((each) => each.id === id);
    const same = before?.stop && now?.stop && JSON.stringify(before.stop) === JSON.stringify(now.stop);
    if (!same && before?.stop) for (const each of this.turns) this.movedTurns.add(each.turn.id);
  }

  private update(): void {
    const session = currentSession(this);
    if (this.turns.length === 0) this.content.replaceChildren(emptyState(this, session));
    this.follower.setGrows(this.turns.length > 0);
    for (const each of this.turns) each.setMoved(this.hasMoved(each));
    this.header.update();
    this.composer.update(this.composing());
    document.body.classList.toggle("has-turns", this.turns.length > 0);
    document.body.classList.toggle("no-session", this.state.sessions.length === 0);
    if (!this.hasAsked || !this.turns.some((each) => each.running)) return;
    this.hasAsked = false;
    this.askForRoom();
  }

  private hasMoved(view: TurnView): boolean {
    const id = this.state.conversation?.sessionId;
    const session = this.state.sessions.find((each) => each.id === id);
    const spot = spotOf(session, (file) => file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1));
    const asked = view.turn.spot?.replace(/^.*[\\/]/, "");
    return this.movedTurns.has(view.turn.id) || !session?.stop || (asked !== undefined && spot !== undefined && asked !== spot);
  }

  private composing(): Composing {
    const session = currentSession(this);
    const last = this.turns[this.turns.length - 1];
    const running = this.turns.find((each) => each.running)?.turn.id;
    const stopped = session?.stop !== undefined;
    const caught = !stopped && session?.caught !== undefined;
    // A conversation of another session is not continued: a question begins a new one.
    const follows = last !== undefined && session?.id === this.state.conversation?.sessionId;
    // One without a session goes on from what was said, until something has stopped.
    const isEnded = last !== undefined && !this.state.sessions.some((each) => each.id === this.state.conversation?.sessionId);
    const reason = isEnded ? undefined : cannotAsk(session !== undefined, stopped || caught || follows);
    return {
      ...(running === undefined ? {} : { running }),
      ...(reason === undefined ? {} : { cannotAsk: reason }),
      emptyAsks: stopped && (last === undefined || this.hasMoved(last)),
      placeholder: caught && !follows ? "Ask about the error" : placeholder(session !== undefined || isEnded, stopped, follows || (isEnded && !stopped), running !== undefined),
      asked: this.turns.map((each) => each.turn.question),
    };
  }
}

const END_WORDS = {
  completed: "The answer is complete",
  cancelled: "Stopped",
  limit: "A budget ended the answer",
  notStopped: "The program continued before anything was read",
  failed: "The question failed",
} as const;

/** What to do before a question can be asked; undefined: it can. */
function cannotAsk(session: boolean, asks: boolean): string | undefined {
  if (asks && session) return undefined;
  return session ? "The program runs: pause it, or ask when it has stopped." : "Start debugging, then ask.";
}

function placeholder(session: boolean, stopped: boolean, follows: boolean, running: boolean): string {
  if (!session) return "No debug session";
  if (running) return "The next question";
  if (follows) return stopped ? "Ask a follow-up question" : "Ask about the conversation";
  return stopped ? "Ask about this stop" : "The program runs";
}
