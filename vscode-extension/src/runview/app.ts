/** The view of one run: head, strip, and below it the conversation with the inspector, or a page. */

import { h } from "../view/dom";
import type { RunView, ShownEvent } from "../shared/runView";
import type { Abilities, RunViewMessage, Standing } from "../shared/runMessages";
import { FilterBar, isAll, expression, nothingWanted, wantedRows } from "./filter";
import { Inspector } from "./inspector";
import { VirtualList } from "./list";
import { Model, type Row } from "./model";
import { changes, findings } from "./pages";
import { rowElement } from "./rows";
import { coloursOf, swatches } from "./swatches";
import { Strip } from "./strip";
import { counted, dollars, facts, time } from "./words";

const PAGES = ["Conversation", "Findings", "Changes"] as const;
type PageName = (typeof PAGES)[number];
const ROW_PX = 27;

export class RunApp {
  readonly element = h("div", { class: "run" });
  private readonly model: Model;
  private readonly strip: Strip;
  private readonly list: VirtualList;
  private readonly inspector: Inspector;
  private readonly filter: FilterBar;
  private readonly header = h("header", {});
  private readonly pages = h("div", { class: "tabs pages", role: "tablist", "aria-label": "What is shown of the run" });
  private readonly talk: HTMLElement;
  private readonly page = h("main", { class: "paper", tabindex: -1 });
  private readonly swatches = swatches();
  private readonly foldAll = h("button", { type: "button", class: "action", title: "Open or fold all rows (a)", onClick: () => { this.openAll(); } }, "Open all");
  private rows: number[] = [];
  private readonly open = new Set<Row>();
  private shownPage: PageName = "Conversation";
  private selected = -1;
  constructor(run: RunView, private can: Abilities, private readonly send: (message: RunViewMessage) => void) {
    this.model = new Model(run);
    this.strip = new Strip(this.model, (index, isGo) => { this.chosen(index, isGo); }, () => coloursOf(this.swatches));
    this.list = new VirtualList((at) => this.row(at), (at) => this.kindOf(at), ROW_PX, () => { this.moved(); });
    this.inspector = new Inspector(this.model, { send, select: (index) => { this.select(index, true); }, close: () => { this.close(); } });
    this.filter = new FilterBar(nothingWanted(), () => { this.filtered(); }, this.foldAll);
    this.list.element.setAttribute("role", "feed");
    this.list.element.setAttribute("aria-label", "Conversation");
    this.list.element.addEventListener("keydown", (event) => { this.key(event); });
    this.talk = h("main", { class: "talk" }, h("div", { class: "conversation" }, this.filter.element, this.list.element), this.inspector.element);
    this.element.append(this.header, this.strip.element, this.pages, this.talk, this.page, this.swatches);
    new MutationObserver(() => { this.strip.renew(); }).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.strip.renew(); });
    this.renew();
    this.showPage("Conversation");
    const first = this.model.events.find(({ kind }) => kind === "response" || kind === "call");
    if (first) this.select(first.index, false);
    this.element.classList.remove("inspecting"); // nobody has chosen anything yet
  }

  /** More of the run. */
  take(part: RunView, can: Abilities): void {
    const before = this.model.rows;
    const opened = new Set([...this.open].map((row) => this.model.firstOf(row)?.index ?? -1));
    this.can = this.inspector.can = can;
    this.model.take(part);
    this.open.clear();
    for (const row of this.model.rows) if (opened.has(this.model.firstOf(row)?.index ?? -2)) this.open.add(row);
    this.renew(before.length !== this.model.rows.length);
  }

  stand(standing: Standing | null, can: Abilities): void {
    const { model } = this;
    this.can = this.inspector.can = can;
    const wasAt = model.standing?.index;
    model.standing = standing;
    if (standing) model.stops.add(standing.index);
    if (standing && (wasAt !== standing.index || this.selected !== standing.index)) this.select(standing.index, true);
    else this.list.renew();
    this.strip.show({});
    this.inspector.renew();
  }

  /** Of the run that is shown. */
  get path(): string {
    return this.model.run.path;
  }

  edited(index: number, name: string, value: unknown): void {
    this.inspector.edited(index, name, value);
  }

  /** Steps that an answer rests on, and what it says in a few words. */
  cite(steps: number[], words: string): void {
    this.model.cited = { steps: new Set(steps), words };
    this.list.renew();
    this.strip.show({});
    if (this.shownPage !== "Conversation") this.showPage(this.shownPage);
  }

  /** An event that was asked for. */
  learn(event: ShownEvent): void {
    this.model.replace(event);
    const row = this.model.rowOf(event.index);
    const at = this.rows.indexOf(row);
    if (at >= 0) this.list.renew(at);
    if (event.index === this.selected) this.inspector.renew();
  }

  private renew(isOther = true): void {
    this.head();
    this.filter.renew(this.model);
    this.strip.renew();
    if (isOther) this.filtered();
    else this.list.renew();
    this.tabs();
    if (this.shownPage !== "Conversation") this.showPage(this.shownPage);
    this.inspector.renew();
  }

  private head(): void {
    const { run, events } = this.model;
    const models = [...new Set(run.agents.map(({ model }) => model ?? "").filter(Boolean))];
    const tokens = events.reduce((sum, event) => sum + (event.input_tokens ?? 0) + (event.output_tokens ?? 0), 0);
    const about = facts(run.format, models.slice(0, 2).join(", "), counted(run.step_count, "step"), counted(run.total, "event"), run.agents.length > 1 && counted(run.agents.length, "agent"),
      tokens > 0 && `${tokens.toLocaleString("en")} tokens`, dollars(run.cost_usd), time(run.seconds), run.known && `read: ${run.known}`, run.masked && "secrets masked");
    this.header.replaceChildren(
      h("h1", { title: run.path }, run.title || run.name),
      h("span", { class: `verdict v-${run.verdict}`, title: run.words }, run.verdict),
      h("span", { class: "facts" }, about),
    );
  }

  private tabs(): void {
    const { patterns, onset } = this.model.run;
    const writes = [...this.model.steps.values()].filter(({ writes }) => writes?.length).length || this.model.events.filter(({ kind }) => kind === "change").length;
    const notes: Record<PageName, string> = { Conversation: "", Findings: patterns.length + (onset ? 1 : 0) > 0 ? ` (${patterns.length + (onset ? 1 : 0)})` : "", Changes: writes > 0 ? ` (${writes})` : "" };
    this.pages.replaceChildren(...PAGES.map((name) => {
      const tab = h("button", { type: "button", role: "tab", "aria-selected": `${name === this.shownPage}`, tabindex: name === this.shownPage ? 0 : -1, onClick: () => { this.showPage(name); } }, `${name}${notes[name]}`);
      tab.addEventListener("keydown", ({ key }) => {
        const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
        if (by === 0) return;
        this.showPage(PAGES[(PAGES.indexOf(name) + by + PAGES.length) % PAGES.length]!);
        this.pages.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
      });
      return tab;
    }));
  }

  private showPage(name: PageName): void {
    this.shownPage = name;
    this.tabs();
    this.talk.hidden = name !== "Conversation";
    this.page.hidden = name === "Conversation";
    const actions = { go: (index: number) => { this.chosen(index, false); }, send: this.send };
    if (name === "Findings") this.page.replaceChildren(findings(this.model, actions));
    if (name === "Changes") this.page.replaceChildren(changes(this.model, this.can, actions));
  }

  // -- the conversation ----------------------------------------------------------------------------------------------

  private row(at: number): HTMLElement {
    const row = this.model.rows[this.rows[at]!]!;
    const isSelected = this.model.rowOf(this.selected) === this.rows[at];
    return rowElement(this.model, row, { isOpen: this.open.has(row), isSelected, selected: this.selected, position: at, count: this.rows.length }, {
      toggle: () => { this.toggle(at); },
      select: (index) => { this.select(index, false, true); },
    });
  }

  /** Rows of a kind have one height while they are folded. */
  private kindOf(at: number): string {
    const row = this.model.rows[this.rows[at]!]!;
    return this.open.has(row) ? "" : row.kind;
  }

  private filtered(): void {
    const { wanted } = this.filter;
    this.rows = wantedRows(this.model, wanted);
    const kept = new Set(this.rows);
    this.list.reset(this.rows.length);
    this.filter.count.textContent = isAll(wanted) ? "" : `${this.rows.length} of ${this.model.rows.length} rows`;
    this.strip.show({ dimmed: isAll(wanted) ? undefined : (event) => !kept.has(this.model.rowOf(event.index)) });
    const at = this.rows.indexOf(this.model.rowOf(this.selected));
    if (at >= 0) this.list.reveal(at);
    this.moved();
  }

  private moved(): void {
    const [first, last] = this.list.sight;
    const begin = this.model.rows[this.rows[first] ?? -1];
    const end = this.model.rows[this.rows[last] ?? -1];
    this.strip.see(begin ? this.model.firstOf(begin)?.index ?? 0 : 0, end ? this.model.eventsOf(end).at(-1)?.index ?? 0 : 0);
    this.highlight();
  }

  /** Marks what is searched for, without changing an element. */
  private highlight(): void {
    const looked = expression(this.filter.wanted.words);
    CSS.highlights.delete("found");
    if (!looked) return;
    const all = new RegExp(looked.source, "gi");
    const ranges: Range[] = [];
    for (const element of this.list.elements) {
      const inspector = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = inspector.nextNode(); node && ranges.length < 2000; node = inspector.nextNode()) {
        for (const met of (node.textContent ?? "").slice(0, 50_000).matchAll(all)) {
          if (met[0] === "") break;
          const range = new Range();
          range.setStart(node, met.index);
          range.setEnd(node, met.index + met[0].length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }

  private chosen(index: number, isGo: boolean): void {
    if (this.shownPage !== "Conversation") this.showPage("Conversation");
    this.select(index, true);
    if (isGo && this.can.goTo) this.send({ type: "goTo", index });
  }

  /** `isFar`: it may be out of sight, also because of the filter. */
  private select(index: number, isFar: boolean, isFocus = false): void {
    const before = this.rows.indexOf(this.model.rowOf(this.selected));
    this.selected = index;
    this.element.classList.add("inspecting");
    if (isFar && !this.rows.includes(this.model.rowOf(index)) && this.model.rowOf(index) >= 0) this.filter.clear();
    const at = this.rows.indexOf(this.model.rowOf(index));
    this.list.renew(...[before, at].filter((each) => each >= 0));
    if (isFar) {
      this.list.reveal(at);
      this.strip.reveal(index);
    }
    if (isFocus) this.list.at(at)?.focus({ preventScroll: true });
    this.strip.show({ selected: index });
    this.inspector.show(index);
  }

  private toggle(at: number): void {
    const row = this.model.rows[this.rows[at]!]!;
    if (!this.open.delete(row)) this.open.add(row);
    this.list.renew(at);
    this.highlight();
  }

  private openAll(): void {
    const isAny = this.open.size > 0;
    this.open.clear();
    if (!isAny) for (const row of this.model.rows) this.open.add(row);
    this.foldAll.textContent = isAny ? "Open all" : "Fold all";
    this.filtered();
  }

  private close(): void {
    this.element.classList.remove("inspecting");
    this.list.at(this.rows.indexOf(this.model.rowOf(this.selected)))?.focus();
  }

  // -- keys ----------------------------------------------------------------------------------------------------------

  /** A key that nothing in the view has taken. */
  press(event: KeyboardEvent): void {
    if (event.target === document.body) this.key(event);
    if (!event.defaultPrevented) this.shortcut(event);
  }

  private key(event: KeyboardEvent): void {
    const at = this.rows.indexOf(this.model.rowOf(this.selected));
    const page = Math.max(1, this.list.sight[1] - this.list.sight[0] - 1);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: this.rows.length - 1 }[event.key];
    const inText = (event.target as HTMLElement).closest("pre, button:not(.fold), summary, details");
    if (inText && event.key !== "Escape") return;
    if (to !== undefined) this.goRow(to);
    else if ((event.key === "Enter" || event.key === " ") && at >= 0) this.toggle(at);
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") this.side(at, event.key === "ArrowRight");
    else return;
    event.preventDefault();
  }

  private goRow(to: number): void {
    const at = Math.max(0, Math.min(this.rows.length - 1, to));
    const row = this.model.rows[this.rows[at] ?? -1];
    const first = row && this.model.firstOf(row);
    if (!first) return;
    this.select(first.index, true);
    this.list.at(at)?.focus({ preventScroll: true });
  }

  /** From the model to the tool, and from the call to its result. */
  private side(at: number, isOn: boolean): void {
    const row = this.model.rows[this.rows[at] ?? -1];
    if (!row) return;
    const events = this.model.eventsOf(row);
    const next = events[events.findIndex(({ index }) => index === this.selected) + (isOn ? 1 : -1)];
    if (next) this.select(next.index, false, true);
  }

  private shortcut(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.key === "Escape") {
      if (target === this.filter.search) this.filter.clear();
      if (this.shownPage !== "Conversation") this.showPage("Conversation");
      else this.close();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select")) return;
    const at = this.rows.indexOf(this.model.rowOf(this.selected));
    const keys: Record<string, () => void> = {
      "/": () => { this.showPage("Conversation"); this.filter.search.focus(); this.filter.search.select(); },
      j: () => { this.goRow(at + 1); }, k: () => { this.goRow(at - 1); }, o: () => { if (at >= 0) this.toggle(at); }, a: () => { this.openAll(); },
      c: () => { this.filter.toggle("change"); }, g: () => { if (this.can.goTo) this.send({ type: "goTo", index: this.selected }); },
      d: () => { this.inspector.show(this.selected, "Compare"); },
      x: () => { const { onset } = this.model.run; const found = onset && this.model.eventOfStep(onset.step); if (found) this.chosen(found.index, false); },
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
