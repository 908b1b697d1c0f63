/** The top of the view: which session is asked, where it stands, and what can be done with its conversations. */

import type { SessionInfo } from "../shared/messages";
import type { ViewContext } from "./context";
import { h, link } from "./dom";
import { icon } from "./icons";
import { Menu, type MenuItem } from "./menu";
import { inlineCode } from "./tokens";

/** In one line with the reason and the place. */
const MOST_OF_FRAME = 25;

/** The session that is asked. */
export function currentSession(context: ViewContext): SessionInfo | undefined {
  const { sessions, sessionId } = context.state;
  return sessions.find((each) => each.id === sessionId) ?? (sessionId === undefined ? sessions[0] : undefined);
}

/** Where a session stands, as it is shown: `report.py:12`. */
export function spotOf(session: SessionInfo | undefined, short: (file: string) => string): string | undefined {
  const stop = session?.stop;
  return stop?.file !== undefined && stop.line !== undefined ? `${short(stop.file)}:${stop.line}` : undefined;
}

export class Header {
  readonly element: HTMLElement;
  private readonly picker = h("div", { class: "session" });
  private readonly stop = h("div", { class: "stop-line" });
  private readonly fresh: HTMLButtonElement;
  private readonly history: HTMLButtonElement;
  private readonly more: Menu;

  constructor(private readonly context: ViewContext) {
    this.fresh = h("button", {
      class: "icon-button",
      title: "New conversation",
      "aria-label": "New conversation",
      onClick: () => {
        context.post({ type: "newConversation" });
      },
    }, icon("add"));
    this.history = h("button", {
      class: "icon-button",
      title: "Earlier conversations",
      "aria-label": "Earlier conversations",
      onClick: () => {
        context.post({ type: "openConversation" });
      },
    }, icon("history"));
    this.more = new Menu("more", "More actions", () => this.actions());
    const row = h("div", { class: "top-row" }, this.picker, h("div", { class: "toolbar", role: "toolbar", "aria-label": "Conversation" }, this.fresh, this.history, this.more.element));
    // In the side bar both are one line, and the Tab key walks it from left to right.
    const parts = document.body.dataset.place === "panel" ? [this.stop, row] : [row, this.stop];
    this.element = h("header", { class: "top" }, ...parts);
  }

  update(): void {
    const { sessions, conversation, history } = this.context.state;
    const session = currentSession(this.context);
    this.element.classList.toggle("without-session", sessions.length === 0);
    this.showPicker(sessions, session);
    this.showStop(session);
    this.fresh.disabled = !conversation || conversation.turns.length === 0;
    this.history.disabled = history.length === 0;
  }

  private showPicker(sessions: SessionInfo[], session: SessionInfo | undefined): void {
    if (sessions.length < 2) {
      const { conversation } = this.context.state;
      const name = session?.name ?? (conversation && conversation.turns.length > 0 ? "The session has ended" : "");
      this.picker.replaceChildren(...(name ? [icon("bug"), h("span", { class: session ? "session-name" : "session-name over", title: name }, name)] : []));
      return;
    }
    const focused = this.picker.contains(document.activeElement);
    const select = h("select", {
      "aria-label": "Debug session",
      onChange: (event) => {
        this.context.post({ type: "selectSession", sessionId: (event.target as HTMLSelectElement).value });
      },
    }, ...sessions.map((each) => h("option", { value: each.id, selected: each.id === session?.id }, `${each.name} ${this.whereabouts(each)}`)));
    this.picker.replaceChildren(h("div", { class: "select" }, select, icon("down")));
    if (focused) select.focus();
  }

  private showStop(session: SessionInfo | undefined): void {
    this.stop.hidden = !session;
    if (!session) return;
    const { stop } = session;
    this.stop.title = session.name;
    this.stop.className = `stop-line ${stop ? "stopped" : "runs"}`;
    if (!stop) {
      this.stop.replaceChildren(h("span", { class: "dot", "aria-hidden": "true" }), h("span", {}, this.isOfEarlierRun ? "Running. Below: an earlier run" : "Running"),
        // Without turns the page below has the button.
        ...((this.context.state.conversation?.turns.length ?? 0) > 0 ? [this.pause()] : []));
      return;
    }
    const spot = spotOf(session, (file) => this.context.short(file));
    const { file, line } = stop;
    this.stop.replaceChildren(
      h("span", { class: "dot", "aria-hidden": "true" }),
      h("span", { class: "stop-reason" }, h("span", { class: "prefix" }, "Stopped: "), stop.reason, ...(stop.frame ? [" in ", inlineCode(stop.frame, this.context.open, MOST_OF_FRAME)] : [])),
      ...(spot !== undefined && file !== undefined && line !== undefined ? [link(spot, `Open ${file}:${line}`, () => {
        this.context.open(file, line);
      }, "place")] : []));
  }

  private pause(): HTMLElement {
    return h("button", { class: "link pause-and-ask", title: "Pause the program and ask why it hangs", onClick: () => { this.context.post({ type: "pauseAndAsk" }); } }, "Pause and ask");
  }

  /** Nothing below is about what runs now. */
  private get isOfEarlierRun(): boolean {
    const { conversation } = this.context.state;
    return conversation?.isOver === true && conversation.turns.length > 0;
  }

  private whereabouts(session: SessionInfo): string {
    if (!session.stop) return "(running)";
    const spot = spotOf(session, (file) => this.context.short(file));
    return spot === undefined ? "" : `— ${spot}`;
  }

  private actions(): MenuItem[] {
    const { context } = this;
    const has = (context.state.conversation?.turns.length ?? 0) > 0;
    const items: MenuItem[] = has ? [
      { label: "Copy conversation as Markdown", icon: "copy", run: () => { context.post({ type: "copyConversation" }); } },
      { label: "Export conversation…", icon: "save", run: () => { context.post({ type: "exportConversation" }); } },
    ] : [];
    items.push({ label: "Choose who answers…", icon: "account", run: () => { context.post({ type: "chooseAnswerer" }); } });
    return items;
  }
}
