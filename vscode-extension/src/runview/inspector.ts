/** One event: its text, its values as a tree, as it is recorded, and beside another one. Edited in place while it is held. */

import { h, type Child } from "../view/dom";
import type { ShownEvent } from "../shared/runView";
import type { Abilities, RunViewMessage } from "../shared/runMessages";
import { textBlock, tree, writeBlock } from "./blocks";
import { difference, sideBySide } from "./diff";
import type { Model } from "./model";
import { dollars, facts, short, time } from "./words";

const TABS = ["Text", "Tree", "Raw", "Compare"] as const;
export type Tab = (typeof TABS)[number];
const MOST_COMPARED = 4000;

export interface InspectorActions {
  send: (message: RunViewMessage) => void;
  select: (index: number) => void;
  close: () => void;
}

export class Inspector {
  readonly element = h("aside", { class: "inspector", "aria-label": "The chosen event" });
  private index = -1;
  private tab: Tab = "Text";
  /** The event that others are compared with; -1: the one before of its kind. */
  private marked = -1;
  can: Abilities = {};
  /** What was applied to the held event, and is not yet recorded. */
  private readonly applied = new Map<string, string>();

  constructor(private readonly model: Model, private readonly actions: InspectorActions) {}

  /** Shows an event. */
  show(index: number, tab = this.tab): void {
    this.index = index;
    this.tab = tab;
    const event = this.model.events[index];
    if (event?.chars) this.actions.send({ type: "whole", index });
    this.renew();
  }

  edited(index: number, name: string, value: unknown): void {
    this.applied.set(`${index} ${name}`, String(value));
    this.renew();
  }

  /** What is known of the event has changed. An edit that is being typed stays. */
  renew(): void {
    const event = this.model.events[this.index];
    if (this.element.querySelector("textarea:focus")) return;
    this.element.replaceChildren(...(event ? this.parts(event) : [h("p", { class: "quiet empty" }, "Choose an event in the strip or in the conversation.")]));
  }

  private parts(event: ShownEvent): Child[] & Node[] {
    const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "How the event is shown" });
    for (const name of TABS) {
      const tab = h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-selected": `${name === this.tab}`, tabindex: name === this.tab ? 0 : -1, onClick: () => { this.choose(name); } }, name);
      tab.addEventListener("keydown", ({ key }) => {
        const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
        if (by !== 0) this.choose(TABS[(TABS.indexOf(name) + by + TABS.length) % TABS.length]!);
      });
      tabs.append(tab);
    }
    const panel = h("div", { class: "panel", role: "tabpanel", "aria-labelledby": `tab-${this.tab}` }, ...this.content(event));
    return [this.head(event), tabs, panel];
  }

  private choose(tab: Tab): void {
    this.tab = tab;
    this.renew();
    this.element.querySelector<HTMLElement>(`#tab-${tab}`)?.focus();
  }

  private head(event: ShownEvent): HTMLElement {
    const { model } = this;
    const name = facts(event.step > 0 && `step ${event.step}`, event.kind, event.tool);
    const about = facts(
      model.run.agents.length > 1 && event.agent, event.cycle > 0 && `cycle ${event.cycle}`, event.at_s != null && `at ${time(event.at_s)}`, event.took_s != null && `took ${time(event.took_s)}`,
      event.input_tokens != null && `${short(event.input_tokens)} tokens in${event.cached_tokens ? ` (${short(event.cached_tokens)} cached)` : ""}`,
      event.output_tokens != null && `${short(event.output_tokens)} out`, dollars(event.cost_usd), event.exit_code != null && `exit code ${event.exit_code}`,
    );
    return h("div", { class: "inspected" },
      h("div", { class: "title" }, h("h2", {}, name), h("button", { type: "button", class: "small-button close", "aria-label": "Close", title: "Close (Esc)", onClick: this.actions.close }, "×")),
      h("p", { class: "quiet" }, about),
      h("p", { class: "quiet place" }, `event ${event.index + 1} of ${model.events.length}`, event.place ? `, ${event.place}` : ""),
      h("div", { class: "actions" }, ...this.buttons(event)));
  }

  private buttons(event: ShownEvent): Child[] {
    const { can, model, actions } = this;
    const { index } = event;
    const button = (text: string, act: () => void, title = ""): HTMLElement => h("button", { type: "button", class: "action", title, onClick: act }, text);
    const partner = this.partner(event);
    return [
      can.goTo && model.standing?.index !== index && button("Go here", () => { actions.send({ type: "goTo", index }); }, "Moves the debugger to this event (g)"),
      can.debug && button("Debug from here", () => { actions.send({ type: "debug", index }); }),
      can.open && button("Open as a document", () => { actions.send({ type: "openDocument", index }); }),
      can.open && event.commit !== "" && event.commit !== undefined && event.kind === "change" && button("Open the diff", () => { actions.send({ type: "openChange", index }); }),
      can.open && event.kind === "change" && button("Restore to compare...", () => { actions.send({ type: "restore", index }); }, "The workspace as it was then, in a temporary folder"),
      partner && button(partner.kind === "call" ? "Its call" : "Its result", () => { actions.select(partner.index); }),
      button("Mark to compare", () => {
        this.marked = index;
        this.renew();
      }, "The next event that you choose is compared with this one"),
    ];
  }

  private partner(event: ShownEvent): ShownEvent | undefined {
    const wanted = event.kind === "call" ? "result" : event.kind === "result" ? "call" : "";
    const row = this.model.rows[this.model.rowOf(event.index)];
    return row && wanted ? this.model.eventsOf(row).find(({ kind }) => kind === wanted) : undefined;
  }

  private content(event: ShownEvent): Child[] {
    if (this.tab === "Tree") return [tree("", valueOf(event), true)];
    if (this.tab === "Raw") return [textBlock(JSON.stringify(event, undefined, 2), "raw", 400)];
    if (this.tab === "Compare") return this.compared(event);
    if (this.can.goTo && this.model.standing?.isHeld && this.model.standing.index === event.index) return this.editors(event);
    return this.texts(event);
  }

  private texts(event: ShownEvent): Child[] {
    const step = event.kind === "call" ? this.model.steps.get(event.step) : undefined;
    const failed = this.model.hasFailed(event) ? "bad" : "";
    const parts: Child[] = [
      event.reasoning ? textBlock(event.reasoning, "reasoning", 200) : undefined,
      event.text ? textBlock(event.text, failed, 400) : undefined,
      ...(step?.writes ?? []).map(writeBlock),
      event.arguments && Object.keys(event.arguments).length > 0 && !(event.text && step?.writes?.length) ? tree("arguments", event.arguments, true) : undefined,
    ];
    return parts.some(Boolean) ? parts : [h("p", { class: "quiet" }, "no text")];
  }

  // -- what is held is edited ----------------------------------------------------------------------------------------

  private editors(event: ShownEvent): Child[] {
    const fields: [string, string][] = event.kind === "response" || event.kind === "result" ? [["text", event.text]] : [];
    if (event.kind === "call") for (const [name, value] of Object.entries(event.arguments ?? {})) if (typeof value === "string") fields.push([`args.${name}`, value]);
    const notes = h("p", { class: "held" }, fields.length > 0 ? "The agent is held here: what you apply is what it goes on with." : "The agent is held here. Its document is the edit: open it, change it, save.");
    return [notes, ...fields.map(([name, value]) => this.editor(event.index, name, value)), ...(fields.length > 0 ? [] : this.texts(event))];
  }

  private editor(index: number, name: string, recorded: string): HTMLElement {
    const applied = this.applied.get(`${index} ${name}`);
    const value = applied ?? recorded;
    const area = h("textarea", { "aria-label": name, rows: Math.min(20, Math.max(3, value.split("\n").length + 1)), spellcheck: "false" });
    area.value = value;
    const apply = h("button", { type: "button", class: "action", disabled: true }, "Apply");
    area.addEventListener("input", () => { apply.disabled = area.value === value; });
    apply.addEventListener("click", () => {
      apply.disabled = true;
      area.blur();
      this.actions.send({ type: "edit", index, name, value: area.value });
    });
    // An escape stands for what cannot be seen: what is typed over it would be another text.
    if (/\\x[0-9a-f]{2}|\\u[0-9a-f]{4}/.test(recorded)) area.readOnly = true;
    return h("div", { class: "editor" }, h("label", { class: "key" }, name), area, area.readOnly ? h("p", { class: "quiet" }, "It may hold characters that are not shown: edit it as a document.") : apply, applied !== undefined && h("span", { class: "quiet", role: "status" }, " Applied: the agent goes on with it."));
  }

  // -- beside another ------------------------------------------------------------------------------------------------

  private compared(event: ShownEvent): Child[] {
    const { model } = this;
    const like = model.before(event, (other) => other.kind === event.kind && other.agent === event.agent && other.tool === event.tool);
    const other = this.marked >= 0 && this.marked !== event.index ? model.events[this.marked] : like;
    const number = h("input", { type: "number", min: 1, max: model.events.length, "aria-label": "Number of the event to compare with", value: other ? other.index + 1 : "" });
    number.addEventListener("change", () => {
      this.marked = Math.max(0, Math.min(model.events.length - 1, Number(number.value) - 1));
      this.renew();
    });
    const back = this.marked >= 0 && h("button", { type: "button", class: "action", onClick: () => { this.marked = -1; this.renew(); } }, "The one before of its kind");
    const head = h("div", { class: "compare-head" }, "event ", number, ` with event ${event.index + 1}`, back);
    if (!other) return [head, h("p", { class: "quiet" }, "It is the first of its kind. Mark another event, or type its number.")];
    return [head, columns(other, event)];
  }
}

function columns(one: ShownEvent, other: ShownEvent): HTMLElement {
  const rows = sideBySide(difference(told(one), told(other)));
  if (rows.every(([, , same]) => same)) return h("p", { class: "quiet" }, "Both say the same.");
  const body = h("div", { class: "columns", role: "table", "aria-label": "Both texts side by side" });
  const title = (event: ShownEvent): HTMLElement => h("span", { class: "cell quiet", role: "columnheader" }, facts(`event ${event.index + 1}`, event.step > 0 && `step ${event.step}`, event.kind));
  body.append(h("div", { role: "row", class: "pair" }, title(one), title(other)));
  for (const [left, right, same] of rows.slice(0, MOST_COMPARED)) {
    const cell = (text: string | undefined, kind: "del" | "ins"): HTMLElement => h(same || text === undefined ? "span" : kind, { class: "cell", role: "cell" }, text ?? "");
    body.append(h("div", { role: "row", class: "pair" }, cell(left, "del"), cell(right, "ins")));
  }
  return body;
}

function told(event: ShownEvent): string {
  const given = Object.entries(event.arguments ?? {}).filter(([, value]) => value !== event.text);
  const lines = given.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, undefined, 1)}`);
  return [event.reasoning, event.text, ...lines].filter(Boolean).join("\n");
}

/** What the event is made of, as one value; texts that are JSON are opened. */
function valueOf(event: ShownEvent): unknown {
  const { text, ...rest } = event;
  return { ...rest, text: asJson(text) };
}

function asJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
