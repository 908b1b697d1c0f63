/** Where a question is written: Enter asks, Shift+Enter makes a line, Up brings the last question back. */

import type { ViewContext } from "./context";
import { h, setText } from "./dom";
import { icon } from "./icons";
import { DEFAULT_QUESTION } from "./turn";

/** What the composer can do now. */
export interface Composing {
  /** The id of the turn whose answer is being made. */
  running?: string;
  /** What to do before a question can be asked; without it, one can. */
  cannotAsk?: string;
  /** An empty question means something: the program stands at a stop that was not asked about yet. */
  emptyAsks: boolean;
  placeholder: string;
  /** Earlier questions, oldest first. */
  asked: string[];
}

export class Composer {
  readonly element: HTMLElement;
  readonly input: HTMLTextAreaElement;
  private readonly send: HTMLButtonElement;
  private readonly stop: HTMLButtonElement;
  private readonly answerer: HTMLButtonElement;
  private readonly answererName = h("span", { class: "answerer-name" });
  private readonly leaves = h("p", { class: "leaves", id: "leaves" });
  private now: Composing = { emptyAsks: false, placeholder: "", asked: [] };
  /** How far back Up has gone; 0: the draft. */
  private back = 0;
  private draft = "";
  private stopping: string | undefined;

  constructor(private readonly context: ViewContext) {
    this.input = h("textarea", {
      rows: 1,
      "aria-label": "Question",
      "aria-describedby": "leaves",
      spellcheck: "false",
      onInput: () => {
        this.back = 0;
        this.changed();
      },
      onKeydown: (event) => {
        this.onKey(event as KeyboardEvent);
      },
    });
    this.send = h("button", { class: "send", title: "Ask (Enter)", "aria-label": "Ask (Enter)", onClick: () => { this.ask(); } }, icon("send"));
    this.stop = h("button", { class: "send is-stop", onClick: () => { this.stopAnswer(); } }, icon("stop"));
    this.answerer = h("button", {
      class: "answerer",
      onClick: () => {
        context.post({ type: "chooseAnswerer" });
      },
    }, icon("account"), this.answererName, icon("down"));
    this.element = h("footer", { class: "composer" },
      h("div", { class: "input-box" }, this.input, h("div", { class: "input-bar" }, this.answerer, h("span", { class: "sends" }, this.send, this.stop))),
      this.leaves);
    this.setText(context.kept().draft ?? "");
  }

  /** Puts the cursor into the input, with a question if there is one. */
  focus(question?: string): void {
    if (question !== undefined) this.setText(question);
    this.input.focus();
    this.input.setSelectionRange(this.input.value.length, this.input.value.length);
  }

  update(now: Composing): void {
    this.now = now;
    this.input.placeholder = now.placeholder;
    this.showAnswerer();
    this.showMain();
  }

  private showAnswerer(): void {
    const { answerer } = this.context.state;
    setText(this.answererName, answerer?.name ?? "Choose who answers");
    const blocked = this.blocked();
    const text = blocked ?? answerer?.leaves;
    setText(this.leaves, text ?? "");
    this.leaves.classList.toggle("blocked", blocked !== undefined);
    this.leaves.hidden = text === undefined;
    const label = answerer ? `Answered by ${answerer.name}. Choose who answers` : "Choose who answers";
    this.answerer.title = answerer ? `${label}\n${answerer.leaves}` : label;
    this.answerer.setAttribute("aria-label", label);
    this.answerer.dataset.kind = answerer?.kind ?? "";
  }

  private showMain(): void {
    const { running } = this.now;
    const stopping = running !== undefined && this.stopping === running;
    this.stop.hidden = running === undefined;
    this.stop.title = stopping ? "Stopping" : "Stop (Escape)";
    this.stop.setAttribute("aria-label", stopping ? "Stopping" : "Stop");
    this.stop.setAttribute("aria-disabled", String(stopping));
    // While an answer is made, a question that is written is asked after it.
    this.send.hidden = running !== undefined && this.input.value.trim() === "";
    this.send.setAttribute("aria-disabled", String(!this.asks()));
    if (this.stop.hidden && document.activeElement === this.stop) this.input.focus();
  }

  private asks(): boolean {
    return this.now.cannotAsk === undefined && (this.input.value.trim() !== "" || (this.now.emptyAsks && this.now.running === undefined));
  }

  /** Why the question that is written cannot be asked. */
  private blocked(): string | undefined {
    return this.input.value.trim() === "" ? undefined : this.now.cannotAsk;
  }

  /** Ends the answer that is being made. False: there is none. */
  stopAnswer(): boolean {
    const { running } = this.now;
    if (running === undefined) return false;
    if (this.stopping === running) return true;
    this.stopping = running;
    this.context.post({ type: "stop", turnId: running });
    this.showMain();
    return true;
  }

  private ask(): void {
    if (!this.asks()) {
      const blocked = this.blocked();
      if (blocked !== undefined) this.context.announce(blocked);
      return;
    }
    this.context.post({ type: "ask", question: this.input.value.trim() });
    this.setText("");
    this.input.focus();
  }

  private onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.ask();
    } else if (event.key === "ArrowUp" && this.atStart()) {
      this.recall(this.back + 1, event);
    } else if (event.key === "ArrowDown" && this.back > 0) {
      this.recall(this.back - 1, event);
    } else if (event.key === "Escape" && this.back > 0) {
      this.recall(0, event);
    }
  }

  private atStart(): boolean {
    return this.back > 0 || (this.input.selectionStart === 0 && this.input.selectionEnd === 0);
  }

  private recall(back: number, event: KeyboardEvent): void {
    const { asked } = this.now;
    if (back > asked.length) return;
    event.preventDefault();
    if (this.back === 0) this.draft = this.input.value;
    this.setText(back === 0 ? this.draft : (asked[asked.length - back] ?? "") || DEFAULT_QUESTION);
    this.back = back;
    this.input.setSelectionRange(this.input.value.length, this.input.value.length);
  }

  private setText(text: string): void {
    this.input.value = text;
    this.back = 0;
    this.changed();
  }

  private changed(): void {
    this.context.keep({ draft: this.input.value });
    // A row for each line; what wraps is given its room by `field-sizing` where the browser knows it.
    this.input.rows = Math.min(12, this.input.value.split("\n").length);
    this.showAnswerer();
    this.showMain();
  }
}
