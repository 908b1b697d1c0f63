/** The runs of a folder or of dap_ai's store, in a table: to be opened, compared, exported, and, one's own, renamed or deleted. */

import { h } from "../view/dom";
import type { GalleryAction, GalleryRow, RunHostMessage } from "../shared/runMessages";
import { counted, dollars, facts, time } from "./words";

type Shown = Extract<RunHostMessage, { type: "gallery" }>;
type Column = "name" | "task" | "outcome" | "steps" | "cost_usd" | "seconds" | "model" | "format";
const COLUMNS: [Column, string][] = [["name", "Run"], ["task", "Task"], ["outcome", "Outcome"], ["steps", "Steps"], ["cost_usd", "Cost"], ["seconds", "Time"], ["model", "Model"], ["format", "Format"]];
const MOST_ROWS = 1000;

export class Gallery {
  readonly element = h("div", { class: "gallery" });
  private shown: Shown | undefined;
  private words = "";
  private sorted: Column | "" = "";
  private isDown = false;
  private readonly marked = new Set<string>();
  private readonly table = h("div", { class: "table" });
  private readonly top = h("div", { class: "bar" });
  private readonly count = h("output", { class: "count", "aria-live": "polite" });
  private readonly compare = h("button", { type: "button", class: "action", disabled: true, onClick: () => { this.act("compare", [...this.marked]); } }, "Compare the two");

  constructor(private readonly act: (action: GalleryAction, paths: string[]) => void) {
    const search = h("input", { type: "search", placeholder: "Search the runs", "aria-label": "Search the runs", spellcheck: "false" });
    search.addEventListener("input", () => {
      this.words = search.value.toLowerCase();
      this.fill();
    });
    const button = (text: string, action: GalleryAction): HTMLElement => h("button", { type: "button", class: "action", onClick: () => { this.act(action, []); } }, text);
    this.top.append(search, this.count, this.compare, button("Folder...", "chooseFolder"), button("Recordings", "store"), button("Import...", "import"), button("Record an agent...", "record"), button("Refresh", "refresh"));
    this.element.append(h("header", {}), this.top, this.table);
  }

  show(shown: Shown): void {
    this.shown = shown;
    for (const path of this.marked) if (!shown.rows.some((row) => row.path === path)) this.marked.delete(path);
    this.element.querySelector("header")!.replaceChildren(h("h1", {}, shown.isStore ? "Recordings of dap-ai" : "Runs of agents"), h("span", { class: "facts" }, shown.place));
    this.fill();
  }

  private fill(): void {
    const { shown } = this;
    if (!shown) return;
    const rows = shown.rows.filter((row) => this.words === "" || JSON.stringify(row).toLowerCase().includes(this.words));
    if (this.sorted) rows.sort((a, b) => compared(valueOf(a, this.sorted as Column, shown.place), valueOf(b, this.sorted as Column, shown.place)) * (this.isDown ? -1 : 1));
    const cost = rows.reduce((sum, row) => sum + (row.cost_usd ?? 0), 0);
    this.count.textContent = facts(counted(rows.length, "run"), ...["solved", "failed"].map((outcome) => `${rows.filter((row) => row.outcome === outcome).length} ${outcome}`), cost > 0 && dollars(cost), !shown.isWhole && "still looking...");
    this.compare.disabled = this.marked.size !== 2;
    if (rows.length === 0) {
      this.table.replaceChildren(h("p", { class: "quiet empty" }, !shown.isWhole ? "Looking for runs..." : shown.rows.length > 0 ? "No run matches." : shown.isStore ? "Nothing is recorded yet. “Record an agent...” runs one and keeps what it does." : "No recorded run is in this folder, nor below it."));
      return;
    }
    const body = h("tbody", {}, ...rows.slice(0, MOST_ROWS).map((row) => this.row(row, shown)));
    this.table.replaceChildren(h("table", {}, h("thead", {}, this.heads()), body), ...(rows.length > MOST_ROWS ? [h("p", { class: "quiet" }, `${counted(rows.length - MOST_ROWS, "run")} more: search, or choose a folder below.`)] : []));
  }

  private heads(): HTMLElement {
    const heads = COLUMNS.map(([column, text]) => {
      const sort = this.sorted === column ? (this.isDown ? "descending" : "ascending") : "none";
      const button = h("button", { type: "button", class: "head", onClick: () => {
        this.isDown = this.sorted === column && !this.isDown;
        this.sorted = column;
        this.fill();
      } }, text, sort === "none" ? "" : this.isDown ? " ↓" : " ↑");
      return h("th", { scope: "col", "aria-sort": sort, class: `c-${column}` }, button);
    });
    return h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, "Chosen")), ...heads, h("th", { scope: "col" }, h("span", { class: "hidden" }, "Actions")));
  }

  private row(row: GalleryRow, shown: Shown): HTMLElement {
    const name = nameOf(row, shown.place);
    const isUnread = row.steps === 0 && row.task === "" && row.problems.length > 0;
    const box = h("input", { type: "checkbox", "aria-label": `Choose ${name} to compare` });
    box.checked = this.marked.has(row.path);
    box.addEventListener("change", () => {
      if (box.checked) this.marked.add(row.path);
      else this.marked.delete(row.path);
      this.compare.disabled = this.marked.size !== 2;
    });
    const act = (text: string, action: GalleryAction, title: string): HTMLElement => h("button", { type: "button", class: "small-button", title: `${title}: ${name}`, "aria-label": `${title}: ${name}`, onClick: () => { this.act(action, [row.path]); } }, text);
    const own = shown.isStore ? [act("Rename", "rename", "Rename"), act("Delete", "delete", "Delete")] : [];
    return h("tr", {},
      h("td", {}, box),
      h("td", { class: "c-name" }, h("button", { type: "button", class: "link", title: row.path, onClick: () => { this.act("show", [row.path]); } }, name)),
      h("td", { class: `c-task${isUnread ? " bad" : ""}`, title: row.task }, isUnread ? row.problems[0] : row.task),
      h("td", {}, h("span", { class: `verdict v-${row.outcome}` }, row.outcome)),
      h("td", { class: "number c-steps" }, `${row.steps}`), h("td", { class: "number" }, dollars(row.cost_usd)), h("td", { class: "number" }, time(row.seconds)),
      h("td", { class: "c-model" }, row.model), h("td", { class: "c-format" }, row.format),
      h("td", { class: "acts" }, act("Debug", "debug", "Debug"), act("Export", "export", "Export"), ...own));
  }
}

function nameOf(row: GalleryRow, place: string): string {
  const below = row.path.startsWith(`${place}/`) ? row.path.slice(place.length + 1) : row.path;
  return below || row.path;
}

function valueOf(row: GalleryRow, column: Column, place: string): string | number | null {
  return column === "name" ? nameOf(row, place) : row[column];
}

/** What is not known comes last. */
function compared(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null || a === "" || b === "") return Number(a === null || a === "") - Number(b === null || b === "");
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}
