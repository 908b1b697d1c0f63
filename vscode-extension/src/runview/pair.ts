/** Two runs of one task side by side: strips, steps, and the first change that differs. */

import { h } from "../view/dom";
import type { RunsView, RunView, ShownStep } from "../shared/runView";
import { diffBlock, textBlock, writeBlock } from "./blocks";
import { VirtualList } from "./list";
import { Model } from "./model";
import { coloursOf, swatches } from "./swatches";
import { Strip } from "./strip";
import { counted, dollars, facts, time } from "./words";

const ROW_PX = 27;

export function pairOf(both: RunsView): HTMLElement {
  const models = both.runs.map((run) => new Model(run));
  const steps = models.map(({ steps }) => [...steps.values()].sort((a, b) => a.step - b.step));
  const differing = [both.differs?.step ?? 0, both.differs?.other ?? 0];
  const open = new Set<number>();
  // Both lists begin to differ in the same row: the shorter way there is filled up.
  const places = steps.map((each, side) => each.findIndex(({ step }) => step === differing[side]));
  const aligned = places.every((place) => place >= 0) ? Math.max(...places) : 0;
  const shift = places.map((place) => (place >= 0 && aligned > 0 ? aligned - place : 0));
  const count = Math.max(...steps.map((each, side) => each.length + shift[side]!));
  const list: VirtualList = new VirtualList((at) => {
    const cells = steps.map((each, side) => cell(models[side]!, each[at - shift[side]!], differing[side]!, open.has(at)));
    const row = h("article", { role: "article", class: `row both${open.has(at) ? " open" : ""}`, tabindex: 0, "aria-posinset": at + 1, "aria-setsize": count }, ...cells);
    const toggle = (): void => {
      if (!open.delete(at)) open.add(at);
      list.renew(at);
    };
    row.addEventListener("click", (event) => { if (!(event.target as HTMLElement).closest("pre, button")) toggle(); });
    row.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.target === row) toggle(); });
    return row;
  }, (at) => (open.has(at) ? "" : "step"), ROW_PX, () => undefined);
  list.element.setAttribute("role", "feed");
  list.element.setAttribute("aria-label", "Steps of both runs");
  const hidden = swatches();
  const strips = models.map((model, side) => new Strip(model, (index) => {
    const step = model.events[index]?.step ?? 0;
    list.reveal(steps[side]!.findIndex((each) => each.step >= step) + shift[side]!);
  }, () => coloursOf(hidden)));
  requestAnimationFrame(() => {
    list.reset(count);
    for (const strip of strips) strip.renew();
    const at = places.findIndex((place) => place >= 0);
    if (at >= 0) list.reveal(places[at]! + shift[at]!);
  });
  const heads = models.map(({ run }, side) => h("div", { class: "half" }, head(run), strips[side]!.element));
  return h("div", { class: "run pair-of-runs" }, difference(both), h("div", { class: "halves" }, ...heads), list.element, hidden);
}

function difference({ differs, same_task: sameTask }: RunsView): HTMLElement {
  const words = differs ? `${counted(differs.same, "change")} alike, then: ${differs.text} (first: step ${differs.step || "none"}, second: step ${differs.other || "none"})` : "All changes are alike.";
  return h("header", { class: "differs" }, h("h1", {}, "Two runs side by side"), !sameTask && h("p", { class: "bad" }, "The two runs have different tasks."), h("p", {}, words), differs?.diff?.length ? h("details", {}, h("summary", {}, "What differs"), diffBlock(differs.diff)) : undefined);
}

function head(run: RunView): HTMLElement {
  return h("header", {}, h("h2", { title: run.path }, run.name), h("span", { class: `verdict v-${run.verdict}`, title: run.words }, run.verdict), h("span", { class: "facts" }, facts(run.format, counted(run.step_count, "step"), dollars(run.cost_usd), time(run.seconds))));
}

function cell(model: Model, step: ShownStep | undefined, differing: number, isOpen: boolean): HTMLElement {
  if (!step) return h("div", { class: "half" });
  const event = model.eventOfStep(step.step);
  const row = event && model.rows[model.rowOf(event.index)];
  const mark = step.failed ? "✗ " : step.ok === true ? "✓ " : "→ ";
  const classes = ["half", `e-${step.effect}`, step.step === differing ? "differing" : "", model.isOnset(step.step) ? "onset" : "", step.failed ? "failed" : ""];
  const element = h("div", { class: classes.filter(Boolean).join(" ") },
    h("div", { class: "line" }, h("span", { class: "n" }, `${step.step}`), h("span", { class: "effect" }, step.effect), h("span", { class: "said", title: row?.call?.said ?? step.intent }, row?.call ? `${row.call.tool ?? ""} ${row.call.said}` : step.intent), step.outcome !== "" && h("span", { class: `came${step.failed ? " bad" : ""}`, title: step.outcome }, mark, step.outcome)));
  if (isOpen && row) {
    element.append(h("div", { class: "body single" }, row.answer?.text ? textBlock(row.answer.text, "", 20) : undefined, row.call?.text ? textBlock(row.call.text, "command", 20) : undefined,
      ...(step.writes ?? []).map(writeBlock), ...row.rest.filter(({ text }) => text !== "").map(({ text }) => textBlock(text, "", 20))));
  }
  return element;
}
