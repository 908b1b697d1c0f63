/** What of a run is shown: by words, agent, tool, effect and how it ended. */

import { h } from "../view/dom";
import type { ShownEvent } from "../shared/runView";
import { EFFECTS, type Effect, type Model, type Row } from "./model";

export interface Wanted {
  words: string;
  agent: string;
  tool: string;
  status: "" | "steps" | "failed" | "flagged" | "writes";
  /** None: all. */
  effects: Set<Effect>;
}

export function nothingWanted(): Wanted {
  return { words: "", agent: "", tool: "", status: "", effects: new Set() };
}

export function isAll(wanted: Wanted): boolean {
  return wanted.words === "" && wanted.agent === "" && wanted.tool === "" && wanted.status === "" && wanted.effects.size === 0;
}

/** `/.../` is a regular expression, everything else is looked for as it stands, in any case. Undefined: no words, or no expression. */
export function expression(words: string): RegExp | undefined {
  const typed = words.trim();
  if (typed === "") return undefined;
  const inside = /^\/(.+)\/$/.exec(typed)?.[1];
  try {
    return new RegExp(inside ?? typed.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  } catch {
    return undefined;
  }
}

/** The places in `model.rows` of the rows that are wanted. */
export function wantedRows(model: Model, wanted: Wanted): number[] {
  const looked = expression(wanted.words);
  const found: number[] = [];
  model.rows.forEach((row, at) => {
    if (matches(model, row, wanted, looked)) found.push(at);
  });
  return found;
}

function matches(model: Model, row: Row, wanted: Wanted, looked: RegExp | undefined): boolean {
  if (wanted.agent !== "" && row.agent !== wanted.agent) return false;
  if (wanted.tool !== "" && row.call?.tool !== wanted.tool) return false;
  const step = model.steps.get(row.step);
  if (wanted.effects.size > 0 && !(step && wanted.effects.has(step.effect))) return false;
  const events = model.eventsOf(row);
  if (wanted.status === "steps" && row.kind !== "turn") return false;
  if (wanted.status === "failed" && !events.some((event) => model.hasFailed(event))) return false;
  if (wanted.status === "flagged" && !(row.step > 0 && (model.patternsOf(row.step).length > 0 || model.isOnset(row.step)))) return false;
  if (wanted.status === "writes" && !step?.writes?.length && !events.some(({ kind }) => kind === "change")) return false;
  return looked === undefined || events.some((event) => says(event, looked));
}

function says(event: ShownEvent, looked: RegExp): boolean {
  if (looked.test(event.text) || looked.test(event.tool ?? "") || looked.test(event.reasoning ?? "")) return true;
  return event.arguments !== undefined && looked.test(Object.values(event.arguments).map(plain).join("\n"));
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The bar above the conversation. `changed` is called a moment after the last key. */
export class FilterBar {
  readonly element: HTMLElement;
  readonly search = h("input", { type: "search", placeholder: "Search ( / )", "aria-label": "Search the run; /.../ is a regular expression", spellcheck: "false" });
  readonly count = h("output", { class: "count", "aria-live": "polite" });
  private readonly agent: HTMLSelectElement;
  private readonly tool: HTMLSelectElement;
  private readonly status: HTMLSelectElement;
  private readonly chips = new Map<Effect, HTMLElement>();
  private timer = 0;

  constructor(readonly wanted: Wanted, private readonly changed: () => void, ...more: HTMLElement[]) {
    const select = (label: string, set: (value: string) => void): HTMLSelectElement =>
      h("select", { "aria-label": label, onChange: (event) => { set((event.target as HTMLSelectElement).value); changed(); } });
    this.agent = select("Agent", (value) => { wanted.agent = value; });
    this.tool = select("Tool", (value) => { wanted.tool = value; });
    this.status = select("Status", (value) => { wanted.status = value as Wanted["status"]; });
    for (const [value, text] of [["", "all rows"], ["steps", "steps only"], ["failed", "failed"], ["flagged", "onset and patterns"], ["writes", "writes files"]]) this.status.append(h("option", { value: value! }, text));
    this.search.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => {
        wanted.words = this.search.value;
        this.search.toggleAttribute("data-wrong", this.search.value.trim() !== "" && expression(this.search.value) === undefined);
        changed();
      }, 120);
    });
    const chips = h("div", { class: "chips", role: "group", "aria-label": "What steps did" });
    for (const effect of EFFECTS) {
      const chip = h("button", { type: "button", class: "chip", "aria-pressed": "false", onClick: () => { this.toggle(effect); } }, h("span", { class: `swatch e-${effect}` }), effect, h("span", { class: "n" }));
      this.chips.set(effect, chip);
      chips.append(chip);
    }
    this.element = h("div", { class: "bar", role: "search" }, this.search, chips, this.agent, this.tool, this.status, this.count, ...more);
  }

  /** What there is to choose from. */
  renew(model: Model): void {
    const tools = new Map<string, number>();
    for (const { call } of model.rows) if (call?.tool) tools.set(call.tool, (tools.get(call.tool) ?? 0) + 1);
    const names = [...tools].sort((a, b) => b[1] - a[1]);
    fill(this.tool, this.wanted.tool, "any tool", names.map(([name, count]) => [name, `${name} (${count})`]), 2);
    fill(this.agent, this.wanted.agent, "any agent", model.run.agents.map(({ name }) => [name, name]), 2);
    const counts = new Map<string, number>();
    for (const { effect } of model.steps.values()) counts.set(effect, (counts.get(effect) ?? 0) + 1);
    for (const [effect, chip] of this.chips) {
      chip.hidden = !counts.has(effect);
      chip.querySelector(".n")!.textContent = `${counts.get(effect) ?? 0}`;
    }
  }

  /** Everything is shown again. */
  clear(): void {
    Object.assign(this.wanted, { ...nothingWanted(), effects: this.wanted.effects });
    this.wanted.effects.clear();
    for (const control of [this.search, this.agent, this.tool, this.status]) control.value = "";
    this.mark();
    this.changed();
  }

  toggle(effect: Effect): void {
    const { effects } = this.wanted;
    if (!effects.delete(effect)) effects.add(effect);
    this.mark();
    this.changed();
  }

  private mark(): void {
    for (const [effect, chip] of this.chips) chip.setAttribute("aria-pressed", `${this.wanted.effects.has(effect)}`);
  }
}

/** Fewer than `least` choices are none. */
function fill(select: HTMLSelectElement, chosen: string, all: string, options: [string, string][], least: number): void {
  select.replaceChildren(h("option", { value: "" }, all), ...options.map(([value, text]) => h("option", { value }, text)));
  select.value = chosen;
  select.hidden = options.length < least;
}
