/** What an answer comes to in two lines: for a view that is too low for the answer. The style shows it there only. */

import type { AskEnded } from "../shared/protocol";
import type { ViewContext } from "./context";
import { h } from "./dom";
import { codeSpans, place } from "./findings";
import type { FixCard } from "./fixes";
import { icon } from "./icons";

/** The most suspicious line, and the way to the first fix; undefined: the answer names neither. */
export function gistOf(context: ViewContext, ended: AskEnded, card: FixCard | undefined): HTMLElement | undefined {
  const [suspect] = ended.suspects;
  if (!suspect && !card) return undefined;
  const cause = h("p", { class: "gist-cause" });
  if (suspect) cause.append(place(context, suspect.file, suspect.line), " ", codeSpans(suspect.reason, context));
  const isVerified = ended.fixes[0]?.verified === true;
  return h("div", { class: "gist" }, cause, card && h("button", {
    class: "button secondary",
    title: isVerified ? "A fix that was verified in a snapshot" : "A fix that was not verified",
    onClick: () => {
      card.show();
    },
  }, isVerified && icon("check"), h("span", {}, "Show fix")));
}
