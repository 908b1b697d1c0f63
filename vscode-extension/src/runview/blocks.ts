/** Texts, diffs and values of a run as elements. Nothing of a run is ever parsed as markup. */

import { h } from "../view/dom";
import type { ShownWrite } from "../shared/runView";
import { folded, type Line } from "./diff";
import { counted } from "./words";

const SHORT_LINES = 60;
const SHORT_CHARS = 8_000;

/** A text; a long one begins with its first lines, and has a button for the rest. */
export function textBlock(text: string, className = "", most = SHORT_LINES): HTMLElement {
  const lines = text.split("\n", most + 1);
  let short = lines.slice(0, most).join("\n");
  if (short.length > SHORT_CHARS) short = short.slice(0, SHORT_CHARS);
  const pre = h("pre", { class: `text ${className}`.trim() }, short);
  if (short.length === text.length) return pre;
  const rest = text.slice(short.length);
  const more = h("button", { type: "button", class: "more" }, `${counted(rest.split("\n").length, "line")} more`);
  const whole = h("div", {}, pre, more);
  more.addEventListener("click", () => {
    pre.textContent = text;
    more.remove();
  });
  return whole;
}

/** Lines of a diff that are lines of text: `+`, `-`, `@`, blank. */
export function diffBlock(lines: readonly string[], most = 200): HTMLElement {
  const pre = h("pre", { class: "diff" });
  let isHead = false;
  const put = (from: number, to: number): void => {
    for (const line of lines.slice(from, to)) {
      isHead = line.startsWith("diff --git ") || (isHead && !line.startsWith("@@"));
      pre.append(isHead ? h("span", { class: "hunk" }, `${line}\n`) : diffLine(line));
    }
  };
  put(0, most);
  if (lines.length <= most) return pre;
  const more = h("button", { type: "button", class: "more" }, `${counted(lines.length - most, "line")} more`);
  more.addEventListener("click", () => {
    put(most, lines.length);
    more.remove();
  });
  return h("div", {}, pre, more);
}

function diffLine(line: string): HTMLElement {
  const kind = { "+": "ins", "-": "del", "@": "span" }[line[0] ?? ""] as "ins" | "del" | "span" | undefined;
  return h(kind ?? "span", kind === "span" ? { class: "hunk" } : {}, `${line}\n`);
}

/** What differs between two texts; what is alike and far from it is folded. */
export function differenceBlock(lines: Line[]): HTMLElement {
  const rows = folded(lines).map((row) => (typeof row === "number" ? `@ ${counted(row, "line")} alike` : `${row.sign}${row.text}`));
  return diffBlock(rows, 400);
}

export function writeBlock(write: ShownWrite): HTMLElement {
  const head = h("div", { class: "file" }, h("b", {}, write.path), " ", h("span", { class: "quiet" }, write.how));
  return h("div", { class: "write" }, head, write.diff?.length ? diffBlock(write.diff) : h("p", { class: "quiet" }, "The call does not hold the text."));
}

const DEEP = 60;
const MANY = 200;

/** A JSON value as a tree that opens. */
export function tree(name: string, value: unknown, isOpen = false, depth = 0): HTMLElement {
  const key = name === "" ? [] : [h("span", { class: "key" }, name), ": "];
  if (typeof value !== "object" || value === null || depth > DEEP) return h("div", { class: "leaf" }, ...key, leaf(value));
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  const details = h("details", { class: "node", open: isOpen }, h("summary", {}, ...key, h("span", { class: "quiet" }, size)));
  const fill = (): void => {
    if (details.children.length > 1) return;
    for (const [below, each] of entries.slice(0, MANY)) details.append(tree(below, each, false, depth + 1));
    if (entries.length > MANY) details.append(h("div", { class: "quiet" }, `${counted(entries.length - MANY, "value")} more: see Raw`));
  };
  if (isOpen) fill();
  else details.addEventListener("toggle", fill, { once: true });
  return details;
}

function leaf(value: unknown): HTMLElement {
  if (typeof value === "string" && (value.length > 100 || value.includes("\n"))) return textBlock(value, "string", 30);
  return h("span", { class: `value ${typeof value}` }, typeof value === "string" ? `"${value}"` : String(value));
}
