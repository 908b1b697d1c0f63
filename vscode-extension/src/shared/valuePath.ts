/** A value path as text: what is shown of it, and its line. No `vscode` and no page here. */

import type { PathNode } from "./protocol";

/** One node as it is shown. */
export interface Link {
  node: PathNode;
  /** Its value is that of the node before it, under another name. */
  isSame: boolean;
}

const MOST_VALUE = 32;
const MOST_EXPRESSION = 32;
const MOST_LINKS = 8;
/** A shorter line tells nothing that an answer has not. */
const LEAST_LINKS = 3;

/** The nodes to show: the same value under the same name once. */
export function linksOf(path: readonly PathNode[]): Link[] {
  const shown: Link[] = [];
  let before: PathNode | undefined;
  for (const node of path) {
    const isSame = node.value !== "" && node.value === before?.value;
    if (!isSame || node.expression !== before?.expression) shown.push({ node, isSame });
    before = node;
  }
  return shown;
}

/** `total -984 <- net -1188 <- discount 10 <- DISCOUNTS[name]`; empty where it is too short to tell anything. */
export function chainOf(path: readonly PathNode[]): string {
  const told = linksOf(path).filter(({ node, isSame }) => !isSame || node === path.at(-1));
  if (told.length < LEAST_LINKS) return "";
  const words = told.map(({ node, isSame }) => {
    const expression = short(node.expression, MOST_EXPRESSION);
    return isSame ? expression : `${expression} ${short(node.value || "?", MOST_VALUE)}`;
  });
  const shown = words.length > MOST_LINKS ? [...words.slice(0, MOST_LINKS - 2), "...", words.at(-1) ?? ""] : words;
  return shown.join(" <- ");
}

/** At most so many characters. */
export function short(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
