/** While an answer is made: what is waited for, and once that is long, for how many seconds. */

import type { Part } from "../shared/messages";
import type { ViewContext } from "./context";
import { h, setText } from "./dom";

const LONG_S = 2;

/** The line below what has come of an answer. */
export class Working {
  private readonly words = h("span", {}, "Working");
  readonly element = h("div", { class: "working" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), this.words);
  private since = Date.now();
  private what = "Working";
  /** Who answers this question: another one may be chosen for the next meanwhile. */
  private who: string | undefined;
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(private readonly context: ViewContext) {
    this.timer = setInterval(() => {
      this.show();
    }, 1000);
  }

  /** Something has come, or has been answered: what is waited for now began just then. */
  goesOn(part?: Part): void {
    this.what = part?.kind === "approval" ? "Waiting for your confirmation" : this.waiting();
    // A status that only says that time passes begins nothing.
    if (part?.kind !== "status") this.since = Date.now();
    this.show();
  }

  dispose(): void {
    clearInterval(this.timer);
  }

  private waiting(): string {
    const { answerer } = this.context.state;
    this.who ??= answerer && answerer.kind !== "offline" ? answerer.name : undefined;
    return this.who === undefined ? "Working" : `Waiting for ${this.who}`;
  }

  private show(): void {
    const seconds = Math.floor((Date.now() - this.since) / 1000);
    setText(this.words, seconds < LONG_S ? this.what : `${this.what} · ${seconds} s`);
  }
}
