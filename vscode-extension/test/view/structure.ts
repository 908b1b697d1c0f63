/** Rules for every view: structure for screen readers, and text that can be read. */

import type { View } from "./page";

/** What breaks a rule of structure, in words. `landmarks`: selectors of which one element is to be seen. */
export function broken(view: View, ...landmarks: string[]): Promise<string[]> {
  return view.page.evaluate((landmarks) => {
    const faults: string[] = [];
    const all = [...document.querySelectorAll<HTMLElement>("body *")];
    const say = (rule: string, element: Element): void => {
      faults.push(`${rule}: ${element.outerHTML.slice(0, 120)}`);
    };
    const ids = all.map((each) => each.id).filter((id) => id !== "");
    for (const id of ids.filter((id, index) => ids.indexOf(id) !== index)) faults.push(`two of id ${id}`);
    const interactive = "button, select, textarea, summary, a, [role=link], [role=button]";
    for (const each of all) {
      for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
        const refers = each.getAttribute(name)?.split(" ") ?? [];
        if (refers.some((id) => document.getElementById(id) === null)) say(`${name} leads nowhere`, each);
      }
      if (each.tabIndex > 0) say("an order of its own", each);
      if (each.matches(interactive) && each.parentElement?.closest(interactive)) say("one control in another", each);
      if (each.closest("[aria-hidden=true]") && each.tabIndex >= 0) say("hidden, but a stop of Tab", each);
      if (each.matches("ul, ol") && [...each.children].some((child) => child.tagName !== "LI")) say("a list of other things", each);
      if (each.tabIndex >= 0 && !each.matches(`${interactive}, input`) && !each.hasAttribute("role") && !each.matches("main, pre[aria-label]")) say("a stop of Tab without a role", each);
      if (each.matches("[role=menu]") && [...each.children].some((child) => !child.getAttribute("role")?.startsWith("menuitem"))) say("a menu of other things", each);
      if (each.matches("button:not(.link), select") && each.checkVisibility()) {
        const { width, height } = each.getBoundingClientRect();
        if (Math.min(width, height) < 18) say(`${width} by ${height} pixels are hard to hit`, each);
      }
    }
    for (const landmark of landmarks) if ([...document.querySelectorAll<HTMLElement>(landmark)].filter((each) => each.checkVisibility()).length !== 1) faults.push(`not one ${landmark}`);
    if (!document.documentElement.lang) faults.push("no language");
    const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((each) => Number(each.tagName.slice(1)));
    if (levels.some((level, index) => level > (levels[index - 1] ?? 1) + 1)) faults.push(`levels of headings: ${levels.join(" ")}`);
    return faults;
  }, landmarks);
}

/**
 * Texts that stand out less than 4.5 to 1 from what is behind them. What is switched off may be faint; in code the colours
 * are those that VS Code's themes have for code.
 */
export function faint(view: View): Promise<string[]> {
  return view.page.evaluate(() => {
    type Colour = [number, number, number, number];
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const parse = (text: string): Colour => {
      if (!canvas) throw new Error("no canvas");
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a]: Colour, [R, G, B]: Colour): Colour => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
    const light = (colour: Colour): number => {
      const [r = 0, g = 0, b = 0] = colour.slice(0, 3).map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element: Element | null): Colour => {
      if (!element) return [0, 0, 0, 1];
      const own = parse(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own : over(own, behind(element.parentElement));
    };
    const faults = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!element || !walker.currentNode.textContent?.trim() || !element.checkVisibility() || element.closest(".hidden, :disabled, [aria-disabled=true], script, option")) continue;
      const back = behind(element);
      const [one, other] = [light(over(parse(getComputedStyle(element).color), back)), light(back)];
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      if (ratio < (element.closest("pre") ? 4 : 4.5)) faults.add(`${ratio.toFixed(2)}: ${element.className || element.tagName} "${walker.currentNode.textContent.trim().slice(0, 30)}"`);
    }
    return [...faults];
  });
}
