/** Colours for code, as elements: highlight.js writes into a fragment instead of a string of HTML. */

import hljs from "highlight.js/lib/core";
import type { Emitter } from "highlight.js";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import diff from "highlight.js/lib/languages/diff";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";

hljs.registerLanguage("c", c);
hljs.registerLanguage("cpp", cpp);
hljs.registerLanguage("diff", diff);
hljs.registerLanguage("python", python);
hljs.registerLanguage("rust", rust);

/** Longer code stays plain: colouring it would be felt. */
const MAX_CHARS = 20_000;

class ElementEmitter implements Emitter {
  readonly root = document.createDocumentFragment();
  private at: Node = this.root;

  addText(text: string): void {
    if (text !== "") this.at.appendChild(document.createTextNode(text));
  }

  startScope(name: string): void {
    const span = document.createElement("span");
    span.className = `hl-${name.split(".")[0] ?? name}`;
    this.at.appendChild(span);
    this.at = span;
  }

  endScope(): void {
    this.at = this.at.parentNode ?? this.root;
  }

  /** highlight.js calls these two as well, under older names. */
  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  __addSublanguage(emitter: Emitter): void {
    if (emitter instanceof ElementEmitter) this.at.appendChild(emitter.root);
  }

  finalize(): void {
    this.at = this.root;
  }

  toHTML(): string {
    return "";
  }
}

hljs.configure({ __emitter: ElementEmitter });

/** What the fence of a block may say, and what it means. */
function languageOf(info: string): string | undefined {
  const name = info.trim().split(/[\s,{]/, 1)[0]?.toLowerCase() ?? "";
  return hljs.getLanguage(name) ? name : undefined;
}

/** Puts code into an element, coloured if its language is known. */
export function highlightInto(target: Element, code: string, info: string): void {
  const language = languageOf(info);
  if (language === "diff" || language === "patch") {
    target.appendChild(diffLines(code));
    return;
  }
  if (!language || code.length > MAX_CHARS) {
    target.textContent = code;
    return;
  }
  const { _emitter: emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  if (emitter instanceof ElementEmitter) target.appendChild(emitter.root);
  // It gives up silently on what its grammars cannot digest.
  if (target.textContent !== code) target.textContent = code;
}

/** A unified diff, one element a line, so that the colour reaches the edge. */
export function diffLines(diff: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const line of diff.replace(/(?:\n[ \t]*)+$/, "").split("\n")) {
    const row = document.createElement("span");
    row.className = `diff-line ${kindOf(line)}`;
    row.textContent = line === "" ? "\n" : `${line}\n`;
    fragment.appendChild(row);
  }
  return fragment;
}

function kindOf(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---")) return "diff-file";
  if (line.startsWith("@@")) return "diff-hunk";
  if (line.startsWith("+")) return "diff-added";
  if (line.startsWith("-")) return "diff-removed";
  return "diff-same";
}
