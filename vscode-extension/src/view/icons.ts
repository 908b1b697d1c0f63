/** Icons of our own, 16 by 16, drawn with the colour of the text around them. */

const PATHS = {
  add: ["M8 3v10", "M3 8h10"],
  history: ["M3.2 5.2A5.5 5.5 0 1 1 2.5 8", "M2.6 2.8v2.7h2.7", "M8 5v3.2l2.2 1.4"],
  more: ["M3.5 8h.01", "M8 8h.01", "M12.5 8h.01"],
  chevron: ["M6 4l4 4-4 4"],
  down: ["M4 6l4 4 4-4"],
  end: ["M8 3v8", "M4.5 8L8 11.5 11.5 8", "M3.5 13.5h9"],
  send: ["M2.8 8.2L13.5 8", "M2.5 2.8L13.5 8 2.5 13.2l1.6-5.1z"],
  stop: ["M4 4h8v8H4z"],
  check: ["M3 8.5l3.2 3.2L13 4.8"],
  question: ["M5.8 6a2.2 2.2 0 1 1 3.4 1.9c-.8.5-1.2.9-1.2 1.8", "M8 12.2h.01"],
  tool: ["M9.8 2.7a3.4 3.4 0 0 0-3 4.6L2.6 11.5a1.3 1.3 0 0 0 1.9 1.9l4.2-4.2a3.4 3.4 0 0 0 4.5-4.1L11 7.2 9 7 8.8 5z"],
  copy: ["M6 5.5h7v8H6z", "M3.5 10.5H3v-8h7V3"],
  retry: ["M12.8 5.2A5.5 5.5 0 1 0 13.5 8", "M13.4 2.8v2.7h-2.7"],
  shield: ["M8 2l5 1.8v3.9c0 3-2 5.2-5 6.3-3-1.1-5-3.3-5-6.3V3.8z", "M8 5.3v3.2", "M8 10.8h.01"],
  warning: ["M8 2.5l6 11H2z", "M8 6.5v3.3", "M8 11.6h.01"],
  error: ["M8 2.3a5.7 5.7 0 1 1 0 11.4A5.7 5.7 0 0 1 8 2.3z", "M5.9 5.9l4.2 4.2", "M10.1 5.9l-4.2 4.2"],
  lock: ["M4 7.5h8v6H4z", "M5.7 7.3V5.2a2.3 2.3 0 0 1 4.6 0v2.1"],
  sparkle: ["M7 2.5l1.4 4.1L12.5 8l-4.1 1.4L7 13.5 5.6 9.4 1.5 8l4.1-1.4z", "M12.8 1.8v3", "M11.3 3.3h3"],
  pause: ["M5.5 3.5v9", "M10.5 3.5v9"],
  play: ["M4.5 3v10l8-5z"],
  bug: ["M5 7.2a3 3 0 0 1 6 0v2.6a3 3 0 0 1-6 0z", "M5.8 4.9a2.2 2.2 0 0 1 4.4 0", "M2.5 8.5H5", "M11 8.5h2.5", "M3 4.5l2.2 1.6", "M13 4.5l-2.2 1.6", "M3 13l2.2-1.8", "M13 13l-2.2-1.8"],
  path: ["M2.5 8h3", "M10.5 8h3", "M7.5 5.2L5 8l2.5 2.8", "M13.5 5.2V10.8"],
  from: ["M13.5 8H3", "M6.5 4.5L3 8l3.5 3.5"],
  diff: ["M8 3v6", "M5 6h6", "M5 12.5h6"],
  save: ["M8 2.5v7.5", "M4.8 7L8 10.2 11.2 7", "M3 13.5h10"],
  account: ["M8 8.2a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2z", "M3.2 13.5a4.8 4.8 0 0 1 9.6 0"],
  camera: ["M2.5 5.2h2.4l1-1.6h4.2l1 1.6h2.4v7.3h-11z", "M8 6.6a2 2 0 1 1 0 4 2 2 0 0 1 0-4z"],
  clock: ["M8 2.3a5.7 5.7 0 1 1 0 11.4A5.7 5.7 0 0 1 8 2.3z", "M8 5v3.2l2.2 1.4"],
} as const;

export type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

/** An icon; with a label it is read out, without one it is decoration. */
export function icon(name: IconName, label?: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `icon icon-${name}`);
  if (label === undefined) {
    svg.setAttribute("aria-hidden", "true");
  } else {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", label);
    const title = document.createElementNS(SVG, "title");
    title.textContent = label;
    svg.appendChild(title);
  }
  for (const d of PATHS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.appendChild(path);
  }
  return svg;
}
