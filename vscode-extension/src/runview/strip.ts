/** The whole run as a strip: a mark an event, a lane an agent. Zoomed by wheel and keys, moved by dragging. */

import { h } from "../view/dom";
import type { ShownEvent } from "../shared/runView";
import type { Model } from "./model";
import { paint, type Colours, type Sight } from "./paint";
import { stepsBetween } from "./words";

const LANE = 26;
const MOST_LANES = 6;
/** Above the lanes: stages and marks of stops. */
export const HEAD = 18;
const LEAST_EVENTS = 8;
const DRAGGED = 4;

export class Strip {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { role: "slider", tabindex: 0, "aria-label": "The run, an event after the other", "aria-orientation": "horizontal" });
  private readonly tip = h("div", { class: "tip", "aria-hidden": "true", hidden: true });
  /** What of the run the list shows; on its own, since it moves with every scroll. */
  private readonly seen = h("div", { class: "in-sight", "aria-hidden": "true" });
  private readonly zoomed = h("div", { class: "zoom", role: "group", "aria-label": "Zoom" });
  /** Of agents, beside their lanes. */
  private readonly names = h("div", { class: "lanes", "aria-hidden": "true" });
  private colours: Colours | undefined;
  private from = 0;
  private to = 1;
  private frame = 0;
  private pressed: { x: number; from: number; to: number; isDrag: boolean } | undefined;
  private sight: Sight = { selected: -1, dimmed: undefined };
  private inList: [number, number] = [0, 0];
  private hovered = -1;

  constructor(
    private readonly model: Model,
    private readonly choose: (index: number, isGo: boolean) => void,
    private readonly readColours: () => Colours,
  ) {
    const button = (label: string, text: string, act: () => void): HTMLElement => h("button", { type: "button", class: "small-button", title: label, "aria-label": label, onClick: act }, text);
    this.zoomed.append(
      button("Zoom out (-)", "−", () => { this.zoom(2); }),
      button("Zoom in (+)", "+", () => { this.zoom(0.5); }),
      button("The whole run (0)", "⤢", () => { this.fit(); }),
    );
    this.element = h("div", { class: "strip" }, this.names, h("div", { class: "marks" }, this.canvas, this.seen, this.tip, this.zoomed));
    this.listen();
    new ResizeObserver(() => { this.draw(); }).observe(this.canvas);
  }

  /** The run has grown, or another theme is in force. */
  renew(): void {
    const isWhole = this.to >= this.total - 1 || this.to <= 1;
    if (isWhole && this.from === 0) this.to = this.total;
    this.canvas.style.height = `${HEAD + this.lanes * this.lane + 8}px`;
    const { agents } = this.model.run;
    this.names.hidden = agents.length < 2 || this.lane < 14;
    this.names.style.paddingTop = `${HEAD}px`;
    this.names.replaceChildren(...agents.slice(0, this.lanes).map(({ name, model }) => {
      const label = h("div", { title: model ? `${name} (${model})` : name }, name);
      label.style.height = label.style.lineHeight = `${this.lane}px`;
      return label;
    }));
    this.colours = undefined;
    this.draw();
  }

  /** The first and last event that the list shows. */
  see(first: number, last: number): void {
    this.inList = [first, last];
    const scale = this.canvas.clientWidth / (this.to - this.from);
    this.seen.style.transform = `translateX(${(first - this.from) * scale}px) scaleX(${Math.max(3, (last + 1 - first) * scale)})`;
    this.seen.hidden = last < this.from || first >= this.to;
  }

  /** What is chosen, and which events the filter leaves out. */
  show(sight: Partial<Sight>): void {
    Object.assign(this.sight, sight);
    const event = this.model.events[this.sight.selected];
    this.canvas.setAttribute("aria-valuemin", "1");
    this.canvas.setAttribute("aria-valuemax", `${this.total}`);
    if (event) {
      this.canvas.setAttribute("aria-valuenow", `${event.index + 1}`);
      this.canvas.setAttribute("aria-valuetext", this.told(event));
    }
    this.draw();
  }

  /** Brings an event into sight. */
  reveal(index: number): void {
    if (index >= this.from && index < this.to) return;
    const width = this.to - this.from;
    this.look(index - width / 2, width);
  }

  fit(): void {
    this.look(0, this.total);
  }

  zoom(factor: number, around = this.center()): void {
    const width = Math.min(this.total, Math.max(LEAST_EVENTS, (this.to - this.from) * factor));
    const share = (around - this.from) / (this.to - this.from);
    this.look(around - share * width, width);
  }

  private get total(): number {
    return Math.max(1, this.model.events.length);
  }

  private get lanes(): number {
    return Math.max(1, Math.min(this.model.run.agents.length, 40));
  }

  private get lane(): number {
    return this.lanes <= MOST_LANES ? (this.lanes === 1 ? 1.4 * LANE : LANE) : Math.max(6, (LANE * MOST_LANES) / this.lanes);
  }

  private center(): number {
    const { selected } = this.sight;
    return selected >= this.from && selected < this.to ? selected + 0.5 : (this.from + this.to) / 2;
  }

  private look(from: number, width: number): void {
    this.from = Math.max(0, Math.min(from, this.total - width));
    this.to = Math.min(this.total, this.from + width);
    this.draw();
  }

  private draw(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.colours ??= this.readColours();
      this.see(...this.inList);
      paint(this.canvas, this.model, this.colours, { ...this.sight, from: this.from, to: this.to, lane: this.lane, head: HEAD });
    });
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const width = this.to - this.from;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) this.look(this.from + ((event.deltaX || event.deltaY) / canvas.clientWidth) * width, width);
      else this.zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.003), this.exact(event.offsetX));
      this.hover(event);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.pressed = { x: event.offsetX, from: this.from, to: this.to, isDrag: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      const { pressed } = this;
      if (pressed && (pressed.isDrag ||= Math.abs(event.offsetX - pressed.x) > DRAGGED)) {
        const width = pressed.to - pressed.from;
        this.look(pressed.from - ((event.offsetX - pressed.x) / canvas.clientWidth) * width, width);
      }
      this.hover(event);
    });
    canvas.addEventListener("pointerup", (event) => {
      const wasDrag = this.pressed?.isDrag === true;
      this.pressed = undefined;
      if (!wasDrag) this.choose(this.indexAt(event.offsetX, event.offsetY), true);
    });
    canvas.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
      this.hovered = -1;
    });
    canvas.addEventListener("dblclick", () => { this.fit(); });
    canvas.addEventListener("keydown", (event) => { this.key(event); });
  }

  private key(event: KeyboardEvent): void {
    const { selected } = this.sight;
    const page = Math.max(1, Math.round((this.to - this.from) / 10));
    const moves: Record<string, number> = {
      ArrowLeft: selected - 1, ArrowDown: selected - 1, ArrowRight: selected + 1, ArrowUp: selected + 1,
      PageUp: selected + page, PageDown: selected - page, Home: 0, End: this.total - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) this.choose(Math.max(0, Math.min(this.total - 1, to)), false);
    else if (event.key === "Enter") this.choose(Math.max(0, selected), true);
    else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private exact(x: number): number {
    return this.from + (x / Math.max(1, this.canvas.clientWidth)) * (this.to - this.from);
  }

  /** The event at a place: in that lane the nearest. */
  private indexAt(x: number, y: number): number {
    const here = Math.max(0, Math.min(this.total - 1, Math.floor(this.exact(x))));
    const agent = this.model.run.agents[Math.floor((y - HEAD) / this.lane)]?.name;
    const reach = Math.ceil((6 / Math.max(1, this.canvas.clientWidth)) * (this.to - this.from));
    for (let off = 0; agent !== undefined && this.lanes > 1 && off <= reach; off++) {
      for (const at of [here + off, here - off]) if (this.model.events[at]?.agent === agent) return at;
    }
    return here;
  }

  private hover(event: MouseEvent): void {
    const at = this.indexAt(event.offsetX, event.offsetY);
    const found = this.model.events[at];
    this.tip.hidden = !found || this.pressed?.isDrag === true;
    if (!found || at === this.hovered) return;
    this.hovered = at;
    this.tip.textContent = this.told(found);
    const isRight = event.offsetX > this.canvas.clientWidth / 2;
    this.tip.style.transform = isRight ? `translateX(calc(${event.offsetX - 10}px - 100%))` : `translateX(${event.offsetX + 10}px)`;
  }

  private told(event: ShownEvent): string {
    const { model } = this;
    const effect = model.effectOf(event);
    const kind = event.kind === "call" && effect ? effect : event.kind;
    const stage = model.run.stages.find(({ first, last }) => event.step >= first && event.step <= last);
    const marks = [
      model.hasFailed(event) ? "failed" : "",
      model.isOnset(event.step) ? "onset" : "",
      model.cited.steps.has(event.step) ? "cited by the answer" : "",
      ...model.patternsOf(event.step).map(({ name }) => name),
      stage ? `${stage.stage}, ${stepsBetween(stage.first, stage.last)}` : "",
    ];
    const head = [event.step > 0 ? `${event.step}` : "", kind, model.run.agents.length > 1 ? `(${event.agent})` : ""].filter(Boolean).join(" ");
    return `${head}: ${event.said}  ${marks.filter(Boolean).map((mark) => `[${mark}]`).join(" ")}`.trim();
  }
}
