/**
 * Markdown of a model, for VS Code's chat: of what it may hold, text, code and lists are left. No `vscode` here.
 *
 * A picture would be fetched, a link can say one address and lead to another, and HTML, mathematics and entities are
 * readings of the same text that this file does not share. So what could begin any of them is escaped, and a web link
 * becomes its words and its address. Where code begins and ends, the text that goes out says in one way only: fences
 * stand at the margin, code within a line ends in it.
 */

const FENCE = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})([^`]*)$/;
const LINK = /!?\[((?:[^[\]\\]|\\.)*)\]\(\s*<?([^\s()<>]*)>?(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*\)/;
const ADDRESS = /https?:\/\/[^\s<>()[\]`*"'|\\]+/i;
const PIECE = new RegExp(`${LINK.source}|(${ADDRESS.source})`, "gi");
const CODE = /(?<![\\`])(`+)(?!`)(.*?[^`])\1(?!`)/g;
/** What begins something that is not kept. A number sign, a star or a dash at a line's start stays. */
const SPECIAL = /[[\]<>&!$@`]/g;
const SCHEME = /\b([a-z][a-z0-9+.-]*):(?=\/\/)/gi;

/** One answer, piece by piece. */
export class ChatMarkdown {
  private held = "";
  /** Of the code block that is open: what closes it. */
  private fence = "";

  /** The lines that are complete now, as they may be shown. */
  feed(piece: string): string {
    const lines = (this.held + piece).split("\n");
    this.held = lines.pop() ?? "";
    return lines.map((line) => `${this.shown(line)}\n`).join("");
  }

  /** What is left. */
  end(): string {
    const rest = this.held;
    this.held = "";
    return rest === "" ? "" : this.shown(rest);
  }

  private shown(line: string): string {
    if (this.fence !== "") {
      const text = line.trim();
      if (text.length >= this.fence.length && text.replaceAll(this.fence.charAt(0), "") === "") {
        const closing = this.fence;
        this.fence = "";
        return closing;
      }
      return line.replace(/<(?=\/?vscode_)/gi, "< "); // names of VS Code's own, which it acts on in code
    }
    const [, fence, info = ""] = FENCE.exec(line) ?? [];
    if (fence === undefined) return inLine(line);
    this.fence = fence;
    return `\n${fence}${/^\s*[\w+#-]*/.exec(info)?.[0].trim() ?? ""}`;
  }
}

/** A whole text that is shown on its own. */
export function chatMarkdown(text: string): string {
  const markdown = new ChatMarkdown();
  return markdown.feed(text) + markdown.end();
}

/** Text in which nothing is Markdown. */
export function chatText(text: string): string {
  const line = escaped(text.trim().replace(/\s+/g, " ")).replace(/[*_~|]/g, "\\$&");
  return line.replace(/^([#+=-]|\d+(?=[.)]))/, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}

/** Code within a line stays, unless a table may take it apart: a `|` in it ends a cell, and the code with it. */
function inLine(line: string): string {
  const codes = [...line.matchAll(CODE)];
  if (line.includes("|") && codes.some(([whole]) => whole.includes("|"))) return inText(line.replaceAll("`", "'"));
  let [shown, at] = ["", 0];
  for (const code of codes) {
    shown += inText(line.slice(at, code.index)) + code[0];
    at = code.index + code[0].length;
  }
  return shown + inText(line.slice(at));
}

function inText(text: string): string {
  let [shown, at] = ["", 0];
  for (const found of text.matchAll(PIECE)) {
    const [whole, words = "", target = "", address] = found;
    shown += escaped(text.slice(at, found.index));
    shown += address === undefined ? `${escaped(words)} (${addressed(target)})` : addressed(address);
    at = found.index + whole.length;
  }
  return shown + escaped(text.slice(at));
}

/** An address that is shown as it leads; of the web only, and without a name that could pass for the host. */
function addressed(target: string): string {
  try {
    const url = new URL(target);
    const isWeb = url.protocol === "http:" || url.protocol === "https:";
    if (isWeb && url.username === "" && url.password === "") return `<${url.href.replace(/[<>`|\\]/g, encodeURIComponent)}>`;
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
