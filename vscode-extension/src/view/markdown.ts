/** Markdown that arrives in pieces: only its last block is rendered again, and that not for every piece. */

import { h } from "./dom";
import { LiveList } from "./liveList";
import { parseBlocks, renderTokens, type Block, type OpenLocation } from "./tokens";

/** A pause after which what has come is shown, however little it is. */
const PAUSE_MS = 80;
/** The last block is rendered again when it has grown by this part of itself: linear over its whole length. */
const GROWTH = 1 / 24;
/** So many times as long as a rendering took until the next: the rest of the time is the user's. */
const REST = 4;

/** Renders a whole text at once. */
export function renderMarkdown(text: string, open: OpenLocation): HTMLElement {
  const stream = new MarkdownStream(open);
  stream.append(text);
  stream.flush();
  return stream.element;
}

/** One text of an answer while it is written. */
export class MarkdownStream {
  readonly element = h("div", { class: "markdown" });
  /** All that has come. */
  text = "";
  /** Where the blocks that cannot change any more end. */
  private settled = 0;
  /** How much of `text` is shown. */
  private shown = 0;
  private tail: ChildNode[] = [];
  /** The last block, if it is a list. */
  private list: LiveList | undefined;
  /** Until then nothing is rendered while pieces come. */
  private rest = 0;
  private frame: number | undefined;
  private pause: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly open: OpenLocation) {}

  append(text: string): void {
    this.text += text;
    clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      this.render();
    }, PAUSE_MS);
    const grown = this.text.length - this.shown;
    if (grown <= (this.shown - this.settled) * GROWTH || this.frame !== undefined || performance.now() < this.rest) return;
    this.frame = requestAnimationFrame(() => {
      this.render();
    });
  }

  /** Shows all that has come. */
  flush(): void {
    this.render();
  }

  /** Replaces the text, if it is another. */
  replace(text: string): void {
    if (text === this.text) return;
    this.element.replaceChildren();
    this.text = text;
    this.settled = this.shown = 0;
    this.tail = [];
    this.list = undefined;
    this.render();
  }

  private render(): void {
    clearTimeout(this.pause);
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    this.frame = undefined;
    if (this.shown === this.text.length) return;
    const from = performance.now();
    const text = this.text.slice(this.settled);
    this.show(text, parseBlocks(text));
    this.shown = this.text.length;
    this.rest = from + REST * (performance.now() - from);
  }

  private show(text: string, blocks: Block[]): void {
    const lines = text.split("\n");
    const closed = closedBlocks(blocks, lines.length - 1);
    const only = blocks.length === 1 ? blocks[0] : undefined;
    if (only && this.list?.update(only, lines, this.open) === true) return;
    for (const node of this.tail) node.remove();
    for (const block of closed) this.element.appendChild(renderTokens(block.tokens, this.open));
    this.settled += lengthOfLines(text, closed[closed.length - 1]?.endLine ?? 0);
    this.showTail(blocks.slice(closed.length), lines);
  }

  private showTail(blocks: Block[], lines: string[]): void {
    const fragment = document.createDocumentFragment();
    const only = blocks.length === 1 ? blocks[0] : undefined;
    this.list = only ? LiveList.of(only, lines, this.open) : undefined;
    if (this.list) fragment.appendChild(this.list.element);
    else for (const block of blocks) fragment.appendChild(renderTokens(block.tokens, this.open));
    this.tail = [...fragment.childNodes];
    this.element.appendChild(fragment);
  }
}

/** Blocks that nothing that may come can change: all but the last, which must not be just a line that is being written. */
function closedBlocks(blocks: Block[], unfinished: number): Block[] {
  const last = blocks[blocks.length - 1];
  return blocks.slice(0, last?.startLine === unfinished ? -2 : -1);
}

function lengthOfLines(text: string, lines: number): number {
  let at = 0;
  for (let line = 0; line < lines; line++) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}
