// In the page of an answer view, of the tests with a scripted host and of those in real VS Code.

/* global NodeFilter, getComputedStyle, innerWidth, innerHeight */

/** Texts that are cut off and cannot be come to: neither by scrolling nor by a tooltip. It uses nothing from outside. */
export function clipped() {
  const faults = new Set();
  const isForReaders = (element) => element !== null && (getComputedStyle(element).clipPath === "inset(50%)" || isForReaders(element.parentElement));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent?.trim();
    if (!element || !text || !element.checkVisibility() || element.closest("script, option, select") || isForReaders(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const { left, right } = range.getBoundingClientRect();
    for (let each = element; each; each = each.parentElement) {
      const { overflowX, textOverflow, webkitLineClamp } = getComputedStyle(each);
      if (overflowX === "auto" || overflowX === "scroll") break;
      if (overflowX === "visible" && each !== document.body) continue;
      const box = each.getBoundingClientRect();
      const isNamed = each.closest("[title], .preview, .step-line") !== null || (textOverflow === "ellipsis" && element.closest("[title]") !== null);
      if ((left < box.left - 1 || right > box.right + 1) && !isNamed && webkitLineClamp === "none") faults.add(`${element.className || element.tagName} "${text.slice(0, 40)}"`);
      break;
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.add(`the page is ${document.documentElement.scrollWidth} of ${innerWidth} pixels wide`);
  const [answer, input] = [document.querySelector(".scroller"), document.querySelector(".composer")];
  const isRoom = innerHeight >= 200 && answer && input;
  if (isRoom && answer.clientHeight < input.clientHeight / 2) faults.add(`the answer has ${answer.clientHeight} of ${innerHeight} pixels`);
  if (isRoom && input.getBoundingClientRect().bottom > innerHeight + 1) faults.add("the input is cut off below");
  return [...faults];
}
