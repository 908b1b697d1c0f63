/** What an answer rests on: the values it cites and the lines it suspects. */

import type { Evidence, Suspect } from "../shared/protocol";
import type { ViewContext } from "./context";
import { keepOpen } from "./context";
import { h, link } from "./dom";
import { icon, type IconName } from "./icons";
import { inlineCode, withLocations } from "./tokens";

/** More suspects than these are behind a row. */
const SHOWN_SUSPECTS = 3;

/** A part of an answer that folds away. */
export function section(context: ViewContext, key: string, name: IconName, title: string, count: number, open: boolean, ...children: Node[]): HTMLElement {
  const details = h("details", { class: "section" },
    h("summary", {}, icon("chevron"), icon(name), h("h3", {}, title), h("span", { class: "count" }, String(count))),
    ...children);
  keepOpen(context, details, key, open);
  return details;
}

/** The cited values; `current` says whether the program still stands where they were read. */
export function evidenceList(context: ViewContext, key: string, evidence: readonly Evidence[], current: () => boolean): HTMLElement {
  const rows = evidence.map((each) => evidenceRow(context, each, current));
  return section(context, key, "check", "Evidence", evidence.length, true, h("ul", { class: "rows" }, ...rows));
}

function evidenceRow(context: ViewContext, evidence: Evidence, current: () => boolean): HTMLElement {
  const mark = evidence.confirmed
    ? h("span", { class: "mark confirmed", title: "Read again after the answer, and the same" }, icon("check", "Confirmed"))
    : h("span", { class: "mark unconfirmed", title: "Could not be read again in the same stop" }, icon("question", "Not confirmed"), h("span", { "aria-hidden": "true" }, "not confirmed"));
  const reveal = (): void => {
    const { sessionId } = context.state.conversation ?? {};
    const { frameId, threadId, expression, file, line } = evidence;
    if (sessionId !== undefined && current()) {
      context.post({ type: "openFrame", sessionId, frameId, threadId, expression, file, line });
      return;
    }
    context.announce("The program has continued: this frame is gone.", true);
    if (file !== "") context.open(file, line);
  };
  const name = link(h("code", {}, h("span", { class: "name" }, evidence.expression), " = ", h("span", { class: "value" }, evidence.value)),
    `${evidence.expression} = ${evidence.value}\nReveal its frame in the call stack`, reveal, "frame-link");
  return h("li", { class: "row evidence" }, name, mark, place(context, evidence.file, evidence.line));
}

/** A ranked list of lines. */
export function suspectList(context: ViewContext, key: string, suspects: readonly Suspect[], open: boolean): HTMLElement {
  const rows = suspects.map((each, index) => suspectRow(context, each, index + 1));
  const shown = h("ol", { class: "rows" }, ...rows.slice(0, SHOWN_SUSPECTS));
  const rest = rows.slice(SHOWN_SUSPECTS);
  const more: HTMLElement | undefined = rest.length === 0 ? undefined : h("button", {
    class: "text-button",
    onClick: () => {
      shown.append(...rest);
      more?.remove();
      rest[0]?.querySelector<HTMLElement>("[role=link]")?.focus();
    },
  }, `Show ${rest.length} more`);
  return section(context, key, "warning", "Suspicious lines", suspects.length, open, shown, ...(more ? [more] : []));
}

function suspectRow(context: ViewContext, suspect: Suspect, rank: number): HTMLElement {
  const score = Math.round(100 * Math.min(1, Math.max(0, suspect.score)));
  const bar = h("span", { class: "score", "aria-hidden": "true", title: `Suspicion: ${score} of 100` }, h("span", {}));
  (bar.firstChild as HTMLElement).style.inlineSize = `${Math.max(4, score)}%`;
  const reason = h("span", { class: "reason" });
  reason.appendChild(codeSpans(suspect.reason, context));
  return h("li", { class: "row suspect", "aria-label": `Rank ${rank}, suspicion ${score} of 100` },
    h("span", { class: "rank" }, String(rank)), place(context, suspect.file, suspect.line), bar, reason);
}

/** `file:line` as a link. */
export function place(context: ViewContext, file: string, line: number): HTMLElement {
  if (!file) return h("span", {});
  return link(`${context.short(file)}:${line}`, `Open ${file}:${line}`, () => {
    context.open(file, line);
  }, "place");
}

/** Code in Markdown: the text within may hold shorter runs of backticks than those around it. */
const CODE_SPAN = /(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)/g;

/** One line of text with `code` in it. */
export function codeSpans(text: string, context: ViewContext): DocumentFragment {
  const fragment = document.createDocumentFragment();
  let end = 0;
  for (const span of text.matchAll(CODE_SPAN)) {
    if (span.index > end) fragment.appendChild(withLocations(text.slice(end, span.index), context.open));
    fragment.appendChild(inlineCode(span[2] ?? "", context.open));
    end = span.index + span[0].length;
  }
  if (end < text.length) fragment.appendChild(withLocations(text.slice(end), context.open));
  return fragment;
}
