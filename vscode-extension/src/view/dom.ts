/** Elements without strings of HTML: nothing that comes from outside is ever parsed as markup. */

export type Child = Node | string | undefined | false | null;

/** Attributes as they are in HTML; `class` and `on` handlers included. `true` sets an empty one, `false` none. */
export type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

/** Makes an element; `onClick` and the like become listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2).toLowerCase(), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, ...children);
  return element;
}

/** Appends what is there. */
export function add(parent: Node, ...children: Child[]): void {
  for (const child of children) {
    if (child === undefined || child === false || child === null || child === "") continue;
    parent.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
  }
}

/** Shows other children, unless they are the same text. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

const BLOCKS = "p, li, ul, ol, pre, blockquote, table, tr, td, th, h1, h2, h3, h4, h5, h6, div, details, summary";

/** The text of an element in one line. `textContent` would glue the end of a paragraph to the next one. */
export function lineOf(element: Element): string {
  return spaced(element).replace(/\s+/g, " ").trim();
}

function spaced(node: Node): string {
  if (!(node instanceof Element)) return node.textContent ?? "";
  const text = [...node.childNodes].map(spaced).join("");
  return node.matches(BLOCKS) ? ` ${text} ` : text;
}

/** A link of ours: it has no address, so that nothing but its handler can follow it. */
export function link(text: Child, title: string, follow: () => void, className = ""): HTMLElement {
  return h(
    "a",
    {
      class: `link ${className}`.trim(),
      role: "link",
      tabindex: 0,
      title,
      onClick: (event) => {
        event.preventDefault();
        follow();
      },
      onKeydown: (event) => {
        if ((event as KeyboardEvent).key !== "Enter") return;
        event.preventDefault();
        follow();
      },
    },
    text,
  );
}
