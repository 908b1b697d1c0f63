/** Tokens of markdown-it as elements. What this file does not know becomes text: no HTML, no images, no other schemes. */

import MarkdownIt from "markdown-it";
import { h, link } from "./dom";
import { highlightInto } from "./highlight";
import { findLocations, shortSymbol } from "./paths";
import { reachableIfScrolled } from "./scroll";

/** Follows a place that an answer names. */
export type OpenLocation = (file: string, line: number) => void;

const parser = new MarkdownIt("default", { html: false, linkify: false, typographer: false, maxNesting: 40 });
parser.validateLink = (url) => /^https?:\/\//i.test(url);
// An entity is a character only here, where nothing looks any more whether it hides: `&#8238;` stays what it is.
parser.disable(["image", "entity"]);

type Token = ReturnType<typeof parser.parse>[number];

/** Elements that a token may open, and nothing else. */
const ELEMENTS = new Set([
  "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "strong", "em", "s",
  "table", "thead", "tbody", "tr", "th", "td", "hr", "br",
]);

/** A top-level block of Markdown, with its first line and the line after its last. */
export interface Block {
  startLine: number;
  endLine: number;
  tokens: Token[];
}

/** Parses Markdown into top-level blocks. */
export function parseBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let current: Token[] = [];
  let depth = 0;
  let startLine = 0;
  let endLine = 0;
  for (const token of parser.parse(markdown, {})) {
    if (current.length === 0) [startLine, endLine] = token.map ?? [startLine, endLine];
    current.push(token);
    depth += token.nesting;
    if (depth === 0) {
      blocks.push({ startLine, endLine, tokens: current });
      current = [];
    }
  }
  if (current.length > 0) blocks.push({ startLine, endLine, tokens: current });
  return blocks;
}

/** Makes the elements of tokens. */
export function renderTokens(tokens: readonly Token[], open: OpenLocation): DocumentFragment {
  const root = document.createDocumentFragment();
  const stack: Node[] = [root];
  const top = (): Node => stack[stack.length - 1] ?? root;
  for (const token of tokens) {
    if (token.nesting === 1) {
      const element = opened(token);
      if (element) top().appendChild(element);
      stack.push(element ?? top());
    } else if (token.nesting === -1) {
      const closed = stack.length > 1 ? stack.pop() : undefined;
      if (closed instanceof HTMLAnchorElement) top().appendChild(hostOf(closed));
    } else {
      top().appendChild(leaf(token, open));
    }
  }
  return root;
}

function opened(token: Token): HTMLElement | undefined {
  if (token.hidden) return undefined;
  if (token.type === "link_open") return webLink(String(token.attrGet("href") ?? ""));
  // An answer's headings stand below those of the page.
  const tag = /^h[1-6]$/.test(token.tag) ? `h${Math.min(6, Number(token.tag[1]) + 2)}` : token.tag;
  if (!ELEMENTS.has(tag)) return h("span");
  const element = document.createElement(tag);
  const start = Number(token.attrGet("start"));
  if (tag === "ol" && Number.isSafeInteger(start) && start > 1) element.setAttribute("start", String(start));
  const align = /text-align:(left|right|center)/.exec(String(token.attrGet("style") ?? ""))?.[1];
  if (align) element.classList.add(`align-${align}`);
  return element;
}

function webLink(address: string): HTMLElement {
  if (!parser.validateLink(address)) return h("span");
  return h("a", { class: "web", href: address, title: address, rel: "noreferrer", target: "_blank" });
}

/** Where a link leads, in sight: its words are a model's. */
function hostOf(anchor: HTMLAnchorElement): Node {
  const { host } = anchor;
  const names = anchor.textContent.includes(host) && !/\s/.test(anchor.textContent.trim());
  return names && anchor.textContent.startsWith("http") ? document.createTextNode("") : h("span", { class: "muted" }, ` (${host})`);
}

function leaf(token: Token, open: OpenLocation): Node {
  switch (token.type) {
    case "inline":
      return renderTokens(token.children ?? [], open);
    case "text":
      return withLocations(token.content, open);
    case "code_inline":
      return inlineCode(token.content, open);
    case "fence":
    case "code_block":
      return codeBlock(token.content, token.info);
    case "softbreak":
      return document.createTextNode("\n");
    case "hardbreak":
      return h("br");
    case "hr":
      return h("hr");
    default:
      return document.createTextNode(token.content);
  }
}

function codeBlock(content: string, info: string): HTMLElement {
  const code = h("code");
  highlightInto(code, content.replace(/\n$/, ""), info);
  const pre = h("pre", { class: "code" }, code);
  reachableIfScrolled(pre);
  return pre;
}

/** Code in a line of text; of a long symbol its middle is in the tooltip alone. */
export function inlineCode(text: string, open: OpenLocation, most?: number): HTMLElement {
  const short = shortSymbol(text, most);
  return h("code", short === text ? {} : { title: text }, withLocations(short, open));
}

/** Text, with the places that it names as links. */
export function withLocations(text: string, open: OpenLocation): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const piece of findLocations(text)) {
    fragment.appendChild(
      typeof piece === "string"
        ? document.createTextNode(piece)
        : link(piece.text, `Open ${piece.text}`, () => {
            open(piece.file, piece.line);
          }),
    );
  }
  return fragment;
}
