/** A list that grows: items that are as they were stay, so that a long one costs what is new in it. */

import { renderTokens, type Block, type OpenLocation } from "./tokens";

interface Item {
  key: string;
  node: Node;
}

/** One list, the last block of a text that is being written. */
export class LiveList {
  readonly element: HTMLElement;
  private items: Item[] = [];

  private constructor(
    list: HTMLElement,
    private readonly kind: string,
  ) {
    this.element = list;
  }

  /** Undefined: the block is no list. */
  static of(block: Block, lines: readonly string[], open: OpenLocation): LiveList | undefined {
    const kind = kindOf(block);
    if (kind === undefined) return undefined;
    const first = block.tokens[0];
    const last = block.tokens[block.tokens.length - 1];
    if (!first || !last) return undefined;
    const [list] = renderTokens([first, last], open).childNodes;
    if (!(list instanceof HTMLElement)) return undefined;
    const live = new LiveList(list, kind);
    live.update(block, lines, open);
    return live;
  }

  /** Takes over what is new; false: it is another list now. */
  update(block: Block, lines: readonly string[], open: OpenLocation): boolean {
    if (kindOf(block) !== this.kind) return false;
    const wanted = itemsOf(block);
    const items = wanted.map(({ tokens, from, to }, index): Item => {
      const tight = tokens.some((token) => token.type === "paragraph_open" && token.hidden);
      const key = `${String(tight)}\n${lines.slice(from, to).join("\n").trimEnd()}`;
      const old = this.items[index];
      return old?.key === key ? old : { key, node: renderTokens(tokens, open) };
    });
    const same = items.findIndex((item, index) => item !== this.items[index]);
    if (same < 0 && items.length === this.items.length) return true;
    const keep = same < 0 ? items.length : same;
    while (this.element.childNodes.length > keep) this.element.lastChild?.remove();
    for (const item of items.slice(keep)) {
      const node = item.node.nodeType === Node.DOCUMENT_FRAGMENT_NODE ? item.node.firstChild : item.node;
      if (!node) continue;
      item.node = node;
      this.element.appendChild(node);
    }
    this.items = items;
    return true;
  }
}

function kindOf(block: Block): string | undefined {
  const [first] = block.tokens;
  if (first?.type !== "bullet_list_open" && first?.type !== "ordered_list_open") return undefined;
  return `${first.tag}${first.markup}${String(first.attrGet("start") ?? "")}`;
}

function itemsOf(block: Block): { tokens: Block["tokens"]; from: number; to: number }[] {
  const items: { tokens: Block["tokens"]; from: number; to: number }[] = [];
  for (const token of block.tokens.slice(1, -1)) {
    if (token.level === 1 && token.nesting === 1) items.push({ tokens: [], from: token.map?.[0] ?? 0, to: token.map?.[1] ?? 0 });
    items[items.length - 1]?.tokens.push(token);
  }
  return items;
}
