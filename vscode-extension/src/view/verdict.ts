/** An answer that begins with its verdict is shown as verdict, fix and evidence; all else is a line to open. */

import { keepOpen, type ViewContext } from "./context";
import { h, lineOf } from "./dom";
import { icon } from "./icons";

/** A verdict is one sentence of at most 25; a model may count otherwise. */
const MOST_WORDS = 32;
const PREVIEW_CHARS = 120;
/** Shorter text is read as quickly as the line that hides it. */
const LONG_CHARS = 160;

/** The sentence that the answer begins with, if a sentence is all that its first paragraph is. */
export function verdictOf(answer: HTMLElement): HTMLElement | undefined {
  const first = answer.querySelector<HTMLElement>(".markdown > :first-child");
  const text = first?.textContent.trim() ?? "";
  const isSentence = first?.tagName === "P" && /[.!?]$/.test(text) && text.split(/\s+/).length <= MOST_WORDS;
  return first && isSentence && first.firstChild?.nodeName !== "STRONG" ? first : undefined;
}

/** Puts the verdict on top, then what is to be seen with it; folds the rest of the answer. `open`: as it is at first. */
export function verdictFirst(context: ViewContext, answer: HTMLElement, verdict: HTMLElement, seen: (HTMLElement | undefined)[], key: string, open: boolean): HTMLElement {
  const top = h("div", { class: "verdict-first" }, h("div", { class: "markdown" }, verdict), ...seen);
  const all = [...answer.querySelectorAll<HTMLElement>(".markdown")];
  for (const each of all) if (each.childElementCount === 0) each.remove();
  const rest = all.filter((each) => each.childElementCount > 0);
  const text = rest.map(lineOf).join(" ");
  if (text.length >= LONG_CHARS) {
    const details = h("details", { class: "part rest" }, h("summary", {}, icon("chevron"), h("h3", {}, "Details"), h("span", { class: "preview" }, text.slice(0, PREVIEW_CHARS))));
    rest.at(-1)?.replaceWith(details);
    details.append(...rest);
    keepOpen(context, details, key, open);
  }
  return top;
}
