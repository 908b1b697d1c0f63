/**
 * Markdown of a model, for VS Code's chat: of what it may hold, text, code and lists are left. No `vscode` here.
 *
 * A picture would be fetched, a link can say one address and lead to another, and HTML, mathematics and entities are
 * readings of the same text that this file does not share. So what could begin any of them is escaped, and a web link
 * becomes its words and its address. Where code begins and ends, the text that goes out says in one way only: fences
 * stand at the margin, code within a line ends in it.
 *
 * A place such as `shop.py:12` is handed over on its own, so that VS Code makes the link, to a file that was found here:
 * what a model writes never becomes a target.
 */

import { findLocations, type Piece, type Place } from "../view/paths";

const FENCE = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})([^`]*)$/;
const LINK = /!?\[((?:[^[\]\\]|\\.)*)\]\(\s*<?([^\s()<>]*)>?(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*\)/;
const ADDRESS = /https?:\/\/[^\s<>()[\]`*"'|\\]+/i;
const PIECE = new RegExp(`${LINK.source}|(${ADDRESS.source})`, "gi");
const CODE = /(?<![\\`])(`+)(?!`)(.*?[^`])\1(?!`)/g;
/** What begins something that is not kept. A number sign, a star or a dash at a line's start stays. */
const SPECIAL = /[[\]<>&!$@`]/g;
const SCHEME = /\b([a-z][a-z0-9+.-]*):(?=\/\/)/gi;

/** Code that is indented, and no item of a list: a link in it would be seen as it is written. */
const INDENTED = /^(?: {4}|\t)(?!\s*(?:[-*+]|\d{1,9}[.)])\s)/;
/** What VS Code's own references are written as, in the Markdown that it makes of anchors. */
const OWN_HOST = /^_vscode/i;

/** One answer, piece by piece. Strings are Markdown. */
export class ChatMarkdown {
  private held = "";
  /** Of the code block that is open: what closes it. */
  private fence = "";

  /** The lines that are complete now, as they may be shown. */
  feed(piece: string): Piece[] {
    const lines = (this.held + piece).split("\n");
    this.held = lines.pop() ?? "";
    return joined(lines.flatMap((line) => [...this.shown(line), "\n"]));
  }

  /** What is left. */
  end(): Piece[] {
    const rest = this.held;
    this.held = "";
    return rest === "" ? [] : joined(this.shown(rest));
  }

  private shown(line: string): Piece[] {
    if (this.fence !== "") {
      const text = line.trim();
      if (text.length >= this.fence.length && text.replaceAll(this.fence.charAt(0), "") === "") {
        const closing = this.fence;
        this.fence = "";
        return [closing];
      }
      return [line.replace(/<(?=\/?vscode_)/gi, "< ")]; // names of VS Code's own, which it acts on in code
    }
    const [, fence, info = ""] = FENCE.exec(line) ?? [];
    if (fence === undefined) return inLine(line);
    this.fence = fence;
    return [`\n${fence}${/^\s*[\w+#-]*/.exec(info)?.[0].trim() ?? ""}`];
  }
}

/** A whole text that is shown on its own. */
export function chatPieces(text: string): Piece[] {
  const markdown = new ChatMarkdown();
  return joined([...markdown.feed(text), ...markdown.end()]);
}

/** A place that leads nowhere here: text, whatever stood around it. */
export function placeText({ text }: Place): string {
  return chatText(text);
}

/** Neighbouring strings as one. */
function joined(pieces: Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (typeof piece === "string" && typeof last === "string") all[all.length - 1] = last + piece;
    else if (piece !== "") all.push(piece);
  }
  return all;
}

/** Text in which nothing is Markdown. */
export function chatText(text: string): string {
  const line = escaped(text.trim().replace(/\s+/g, " ")).replace(/[*_~|]/g, "\\$&");
  return line.replace(/^([#+=-]|\d+(?=[.)]))/, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}

/** Code within a line stays, unless a table may take it apart: a `|` in it ends a cell, and the code with it. */
function inLine(line: string): Piece[] {
  const hasPlaces = !INDENTED.test(line);
  const codes = [...line.matchAll(CODE)];
  if (line.includes("|") && codes.some(([whole]) => whole.includes("|"))) return inText(line.replaceAll("`", "'"), hasPlaces);
  const shown: Piece[] = [];
  let at = 0;
  for (const code of codes) {
    const [whole, , inner = ""] = code;
    const [place, ...more] = hasPlaces ? findLocations(inner.trim()) : [];
    const isPlace = typeof place === "object" && more.length === 0;
    shown.push(...inText(line.slice(at, code.index), hasPlaces), isPlace ? place : whole);
    at = code.index + whole.length;
  }
  return [...shown, ...inText(line.slice(at), hasPlaces)];
}

function inText(text: string, hasPlaces: boolean): Piece[] {
  const shown: Piece[] = [];
  const say = (part: string): void => {
    const pieces = hasPlaces ? findLocations(part) : [part];
    shown.push(...pieces.map((piece) => (typeof piece === "string" ? escaped(piece) : piece)));
  };
  let at = 0;
  for (const found of text.matchAll(PIECE)) {
    const [whole, words = "", target = "", address] = found;
    say(text.slice(at, found.index));
    shown.push(address === undefined ? `${escaped(words)} (${addressed(target)})` : addressed(address));
    at = found.index + whole.length;
  }
  say(text.slice(at));
  return shown;
}

/** An address that is shown as it leads; of the web only, and without a name that could pass for the host. */
function addressed(target: string): string {
  try {
    const url = new URL(target);
    const isWeb = url.protocol === "http:" || url.protocol === "https:";
    const isOther = isWeb && !OWN_HOST.test(url.hostname) && url.username === "" && url.password === "";
    if (isOther) return `<${url.href.replace(/[<>`|\\]/g, encodeURIComponent)}>`;
  } catch {
    // No address: text.
  }
  return chatText(target);
}

function escaped(text: string): string {
  return text
    .replace(/\\/g, "\\\\")
    .replace(SPECIAL, "\\$&")
    .replace(SCHEME, "$1\\:")
    .replace(/\b(www)\./gi, "$1\\.");
}
