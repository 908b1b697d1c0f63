/** A diff that the answer itself shows becomes the card with its buttons: nothing is shown twice. */

import type { Fix } from "../shared/protocol";
import type { FixCard } from "./fixes";

/** Puts each card where the answer shows its diff; gives those that it does not show. */
export function placeFixes(answer: HTMLElement, fixes: readonly Fix[], cards: readonly FixCard[]): FixCard[] {
  const blocks = [...answer.querySelectorAll<HTMLElement>(".markdown pre.code")].filter((pre) => pre.querySelector(".diff-line"));
  return cards.filter((card, index) => {
    const wanted = comparable(fixes[index]?.diff ?? "");
    const at = blocks.findIndex((pre) => comparable(pre.textContent) === wanted);
    const [pre] = at < 0 ? [] : blocks.splice(at, 1);
    const next = pre?.nextElementSibling;
    if (next?.tagName === "P" && words(next) === words(card.element.querySelector(".verdict"))) next.remove();
    pre?.replaceWith(card.element);
    return pre === undefined;
  });
}

/** What a diff changes: a model writes the lines around it as it likes. */
function comparable(diff: string): string {
  const lines = diff.split("\n").map((line) => line.trimEnd());
  return lines.filter((line) => /^[+-]/.test(line) && !/^(?:\+\+\+|---) /.test(line)).join("\n");
}

function words(element: Element | null): string {
  return element?.textContent.replace(/\W+/g, " ").trim() ?? "";
}
