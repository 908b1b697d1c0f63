/** What a finished answer rests on folds away, so that what it comes to, its last part, is seen at once. No heading is known by its words. */

import { keepOpen, type ViewContext } from "./context";
import { h } from "./dom";
import { icon } from "./icons";

/** Shorter parts are read as quickly as their heading. */
const LONG_CHARS = 160;
/** Of what is folded so much is shown beside its heading, if there is room. */
const PREVIEW_CHARS = 120;

/** A heading, or a paragraph that begins with bold words, and what stands below it. */
interface Part {
  lead: Element;
  rest: Element[];
}

/**
 * Makes every long part that is only a list, but the last one, open and close by its heading; `open`: as it is at first.
 * The bold words that begin another part are headings for a screen reader.
 */
export function foldEvidence(context: ViewContext, answer: HTMLElement, key: string, open: boolean): void {
  const parts = [...answer.querySelectorAll<HTMLElement>(".markdown")].flatMap(partsOf);
  parts.forEach((part, index) => {
    if (isEvidence(part) && index < parts.length - 1) fold(context, part, `${key}.${index}`, open);
    else if (part.lead.tagName === "P") asHeading(part.lead.firstElementChild);
  });
}

function partsOf(markdown: HTMLElement): Part[] {
  const parts: Part[] = [];
  for (const child of markdown.children) {
    if (isLead(child)) parts.push({ lead: child, rest: [] });
    else parts.at(-1)?.rest.push(child);
  }
  return parts;
}

function isLead(element: Element): boolean {
  if (element.tagName !== "P") return /^H\d$/.test(element.tagName);
  const bold = element.firstChild;
  if (bold?.nodeName !== "STRONG") return false;
  // A sentence may begin with a bold name, too.
  return /[.:!?]$/.test(bold.textContent ?? "") || !bold.nextSibling || /^\s*[:–—]/.test(bold.nextSibling.textContent ?? "");
}

function asHeading(bold: Element | null): void {
  bold?.setAttribute("role", "heading");
  bold?.setAttribute("aria-level", "3");
}

/** Code and changes are what a reader looks for. */
function isEvidence({ lead, rest }: Part): boolean {
  const isList = rest.some((each) => each.matches("ul, ol")) && rest.every((each) => each.matches("ul, ol, p"));
  const length = [lead, ...rest].reduce((sum, each) => sum + each.textContent.length, 0);
  return isList && length >= LONG_CHARS && !rest.some((each) => each.querySelector("pre, .fix"));
}

function fold(context: ViewContext, { lead, rest }: Part, key: string, open: boolean): void {
  const isBold = lead.tagName === "P";
  const name = isBold ? lead.firstChild : lead;
  const title = document.createElement(isBold ? "h3" : lead.tagName);
  title.textContent = (name?.textContent ?? "").replace(/[.:]\s*$/, "");
  const preview = h("span", { class: "preview" });
  const details = h("details", { class: "part" }, h("summary", {}, icon("chevron"), title, preview));
  lead.replaceWith(details);
  if (isBold) {
    name?.remove();
    const [text] = lead.childNodes;
    if (text instanceof Text) text.data = text.data.replace(/^[\s:–—]+/, "");
    if (lead.textContent.trim() !== "") details.append(lead);
  }
  details.append(...rest);
  preview.textContent = previewOf(isBold ? lead : undefined, rest);
  keepOpen(context, details, key, open);
}

/** The first words; those that only announce a list go on with it. */
function previewOf(lead: Element | undefined, rest: Element[]): string {
  const words = lead?.textContent.trim() ?? "";
  const goesOn = words === "" || words.endsWith(":");
  const first = goesOn ? (rest[0]?.querySelector("li") ?? rest[0])?.textContent : "";
  const text = `${words} ${first ?? ""}`.replace(/\s+/g, " ").trim();
  return text.length > PREVIEW_CHARS ? `${text.slice(0, PREVIEW_CHARS)}…` : text;
}
