/** The path of a value as a picture: a card for each value, the one it was made of to the right of it; a click opens its line. */

import type { PathNode } from "../shared/protocol";
import { linksOf, type Link } from "../shared/valuePath";
import { keepOpen, type ViewContext } from "./context";
import { h } from "./dom";
import { icon } from "./icons";

const KNOWN: Record<PathNode["known"], string> = {
  frame: "read from the stopped program",
  stop: "read from the stopped program, as it was when that stopped",
  rerun: "recorded while the failure ran again in a copy",
  snapshot: "recorded while it was evaluated again in a copy",
  source: "written in the source",
  "": "not known",
};
const STEPS: Record<PathNode["step"], string> = {
  set: "set at",
  passed: "passed at",
  returned: "returned at",
  item: "an item at",
  read: "read at",
};

/** The picture; undefined: there is no second step to show. */
export function valuePath(context: ViewContext, key: string, path: readonly PathNode[]): HTMLElement | undefined {
  const links = linksOf(path);
  if (links.length < 2) return undefined;
  const list = h("ol", { class: "value-path", onKeydown: move }, ...links.map((link, index) => item(context, link, index)));
  const details = h("details", { class: "section path-section" },
    h("summary", {}, icon("chevron"), icon("path"), h("h3", {}, "Where the value came from"), h("span", { class: "count" }, String(links.length))),
    list);
  keepOpen(context, details, key, true);
  return details;
}

function item(context: ViewContext, { node, isSame }: Link, index: number): HTMLElement {
  const place = `${context.short(node.file)}:${node.line}`;
  const inside = node.function === "" ? "at module level" : `in ${node.function}`;
  const value = isSame ? "the same value" : node.value === "" ? "not known" : `${node.value}${node.known === "stop" ? " (when it stopped)" : ""}`;
  const beside = node.beside.map(({ expression, value: other }) => `${expression} = ${other || "?"}`).join(", ");
  const words = [
    `${node.expression} = ${node.value || "?"}`,
    `${STEPS[node.step]} ${place} ${inside}`,
    node.value === "" ? "its value is not known" : `its value was ${KNOWN[node.known]}`,
    beside && `with ${beside}`,
    node.born && "it begins here",
    node.note,
  ].filter((each) => each !== "" && each !== false);
  const card = h("button", {
    class: `path-card${index === 0 ? " failing" : ""}${node.born ? " born" : ""}`,
    title: `${words.join("\n")}\nOpen the line`,
    "aria-label": words.join(", "),
    onClick: () => {
      context.open(node.file, node.line);
    },
  },
    h("span", { class: `path-value${isSame || node.value === "" ? " told" : ""}` }, value),
    h("code", { class: "path-expression" }, node.expression),
    h("span", { class: "path-place" }, place, node.function && h("span", {}, ` ${node.function}`)),
    beside !== "" && h("span", { class: "path-beside" }, `with ${beside}`),
    (node.born || node.note !== "") && h("span", { class: "path-note" }, node.note || "begins here"));
  return h("li", {}, index > 0 && h("span", { class: "path-arrow" }, icon("from")), card);
}

/** Arrow keys go along the path. */
function move(event: Event): void {
  const { key, currentTarget } = event as KeyboardEvent;
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
  if (step === undefined || !(currentTarget instanceof HTMLElement)) return;
  const cards = [...currentTarget.querySelectorAll<HTMLElement>(".path-card")];
  const next = cards[cards.findIndex((card) => card === document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
