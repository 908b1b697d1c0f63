/** The theme's colours for what is drawn on a canvas: read from elements that have them as a background. */

import { h } from "../view/dom";
import { EFFECTS } from "./model";
import type { Colours } from "./paint";

/** Not to be seen. */
export function swatches(): HTMLElement {
  const names = ["none", ...EFFECTS, "quiet", "line", "bad", "stop", "chosen", "onset"];
  return h("div", { class: "swatches", "aria-hidden": "true" }, ...names.map((name) => h("i", { class: `swatch e-${name}`, "data-name": name })));
}

export function coloursOf(shown: HTMLElement): Colours {
  const colours: Record<string, string> = { font: `11px ${getComputedStyle(document.body).fontFamily}` };
  for (const each of shown.querySelectorAll<HTMLElement>("[data-name]")) colours[each.dataset["name"] ?? ""] = getComputedStyle(each).backgroundColor;
  return colours as Colours;
}
