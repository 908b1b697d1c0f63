/** A row of the conversation: the model at the left, tools at the right; one line while it is folded. */

import { h, type Child } from "../view/dom";
import type { ShownEvent, ShownStep } from "../shared/runView";
import { differenceBlock, textBlock, writeBlock } from "./blocks";
import { difference } from "./diff";
import type { Model, Row } from "./model";
import { counted, dollars, facts, short, time } from "./words";

export interface RowState {
  isOpen: boolean;
  isSelected: boolean;
  /** The event of the row that is chosen. */
  selected: number;
  position: number;
  count: number;
}

export interface RowActions {
  toggle: (row: Row) => void;
  select: (index: number) => void;
}

export function rowElement(model: Model, row: Row, state: RowState, actions: RowActions): HTMLElement {
  const step = model.steps.get(row.step);
  const events = model.eventsOf(row);
  const standing = model.standing !== null && events.some(({ index }) => index === model.standing?.index);
  const classes = [
    "row", row.kind, step ? `e-${step.effect}` : "", state.isOpen ? "open" : "", state.isSelected ? "selected" : "", standing ? "standing" : "",
    model.isOnset(row.step) ? "onset" : "", events.some((event) => model.hasFailed(event)) ? "failed" : "",
    events.some(({ index }) => model.stops.has(index)) ? "stopped" : "",
  ];
  const fold = h("button", { type: "button", class: "fold", tabindex: -1, "aria-expanded": `${state.isOpen}`, "aria-label": state.isOpen ? "Fold" : "Unfold" });
  const element = h(
    "article",
    {
      class: classes.filter(Boolean).join(" "), role: "article", tabindex: state.isSelected ? 0 : -1, "aria-posinset": state.position + 1, "aria-setsize": state.count,
      "aria-label": rowLabel(model, row), "aria-current": standing ? "step" : undefined,
    },
    h("div", { class: "line" }, fold, h("span", { class: "n" }, row.step > 0 ? `${row.step}` : ""), ...head(model, row, step, state)),
  );
  if (state.isOpen) element.append(row.kind === "turn" ? turnBody(model, row, step) : otherBody(model, row));
  element.addEventListener("click", (event) => {
    const target = event.target as HTMLElement;
    if (target.closest(".fold")) actions.toggle(row);
    else if (!target.closest("button, summary, pre") || target.closest(".line")) actions.select(Number(target.closest<HTMLElement>("[data-event]")?.dataset["event"] ?? model.firstOf(row)?.index ?? 0));
  });
  element.addEventListener("dblclick", (event) => {
    if ((event.target as HTMLElement).closest(".line") && !(event.target as HTMLElement).closest(".fold")) actions.toggle(row);
  });
  return element;
}

/** For screen readers. */
function rowLabel(model: Model, row: Row): string {
  const step = model.steps.get(row.step);
  const first = model.firstOf(row);
  const marks = [model.isOnset(row.step) ? "onset" : "", model.cited.steps.has(row.step) ? "cited by the answer" : "", model.eventsOf(row).some((event) => model.hasFailed(event)) ? "failed" : ""];
  const what = row.kind === "turn" ? [step?.effect ?? "answer", step?.intent ?? row.answer?.said, row.call && `${row.call.tool ?? ""} ${row.call.said}`, step?.outcome] : [first?.kind, first?.said];
  return [row.step > 0 ? `Step ${row.step}` : "", ...what, ...marks].filter(Boolean).join(", ");
}

// -- one line --------------------------------------------------------------------------------------------------------

function head(model: Model, row: Row, step: ShownStep | undefined, state: RowState): Child[] {
  if (row.kind === "query") return [queryLine(model, row.rest[0]!)];
  if (row.kind === "other") return [otherLine(row.rest[0]!)];
  const many = model.run.agents.length > 1;
  const { answer, call } = row;
  const model_ = h("div", { class: "side model", "data-event": answer?.index, "data-chosen": answer?.index === state.selected },
    many && h("span", { class: "agent" }, row.agent),
    answer ? h("span", { class: "said", title: answer.said }, step?.intent || answer.said || "(no words)") : h("span", { class: "quiet" }, "with the call above"),
    answer && h("span", { class: "facts" }, spent(answer)),
  );
  const result = row.rest.find(({ kind }) => kind === "result");
  const tool = call && h("div", { class: "side tools", "data-event": call.index, "data-chosen": call.index === state.selected || result?.index === state.selected },
    h("span", { class: "effect" }, step?.effect ?? "call"),
    h("span", { class: "said", title: call.said }, call.tool && h("b", {}, call.tool), " ", call.said),
    ...came(model, row, step, result),
  );
  return [model_, tool ?? h("div", { class: "side tools", "data-event": result?.index }, ...(result ? [h("span", { class: "said", title: result.said }, result.said)] : []), ...flags(model, row))];
}

function came(model: Model, row: Row, step: ShownStep | undefined, result: ShownEvent | undefined): Child[] {
  const outcome = step?.outcome || result?.said || (result ? "" : "no result");
  const isBad = step?.failed === true || (result !== undefined && model.hasFailed(result));
  return [
    outcome !== "" && h("span", { class: `came${isBad ? " bad" : step?.ok === true ? " good" : ""}`, "data-event": result?.index, title: outcome }, isBad ? "✗ " : step?.ok === true ? "✓ " : "→ ", outcome),
    ...flags(model, row),
    result?.took_s ? h("span", { class: "facts" }, time(result.took_s)) : undefined,
  ];
}

function flags(model: Model, row: Row): Child[] {
  const named = model.patternsOf(row.step).map(({ name, text }) => h("span", { class: "flag", title: text }, name));
  if (model.cited.steps.has(row.step)) named.unshift(h("span", { class: "flag cited", title: model.cited.words }, "answer"));
  return model.isOnset(row.step) ? [h("span", { class: "flag onset", title: model.run.onset?.text ?? "" }, "onset"), ...named] : named;
}

function spent(event: ShownEvent): string {
  const { input_tokens: taken, output_tokens: given } = event;
  const tokens = !taken && !given ? "" : `${taken == null ? "?" : short(taken)}→${given == null ? "?" : short(given)}`;
  return facts(tokens, dollars(event.cost_usd), time(event.took_s));
}

function queryLine(model: Model, query: ShownEvent): HTMLElement {
  const before = model.queryBefore(query);
  const more = model.between(before, query).length;
  const [was, is] = [before && model.tokensOf(before), model.tokensOf(query)];
  const grown = was !== undefined && is !== undefined ? `${is >= was ? "+" : "−"}${short(Math.abs(is - was))}` : "";
  const tokens = is === undefined ? "" : `${short(is)} tokens${grown ? ` (${grown})` : ""}`;
  return h("div", { class: "aside", "data-event": query.index },
    h("span", { class: "kind" }, `query ${query.cycle || ""}`.trim()),
    model.run.agents.length > 1 && h("span", { class: "agent" }, query.agent),
    h("span", { class: "quiet" }, facts(before ? `+${counted(more, "message")}` : counted(more, "message"), tokens, time(query.at_s) && `at ${time(query.at_s)}`)));
}

function otherLine(event: ShownEvent): HTMLElement {
  return h("div", { class: "aside", "data-event": event.index }, h("span", { class: "kind" }, event.kind), h("span", { class: "said", title: event.said }, event.said || event.place));
}

// -- whole -----------------------------------------------------------------------------------------------------------

function turnBody(model: Model, row: Row, step: ShownStep | undefined): HTMLElement {
  const { answer, call } = row;
  const left = answer ? [answer.reasoning ? textBlock(answer.reasoning, "reasoning", 20) : undefined, answer.text ? textBlock(answer.text) : undefined] : [];
  const right: Child[] = [];
  if (call) right.push(...callBlocks(call, step));
  for (const event of row.rest) right.push(h("div", { class: "part", "data-event": event.index }, partHead(model, event), event.text ? textBlock(event.text, model.hasFailed(event) ? "bad" : "", 30) : h("p", { class: "quiet" }, "no text"), cut(event)));
  return h("div", { class: "body" }, h("div", { class: "side model", "data-event": answer?.index }, ...left), h("div", { class: "side tools" }, ...right));
}

function callBlocks(call: ShownEvent, step: ShownStep | undefined): Child[] {
  const shown: Child[] = [h("div", { class: "part", "data-event": call.index }, partHeadOf(call, "call"), call.text ? textBlock(call.text, "command", 30) : undefined)];
  for (const write of step?.writes ?? []) shown.push(writeBlock(write));
  const named = new Set(["old_str", "new_str", "old_string", "new_string", "file_text", "content"]);
  for (const [name, value] of Object.entries(call.arguments ?? {})) {
    if (value === call.text || ((step?.writes?.length ?? 0) > 0 && named.has(name))) continue;
    const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 1);
    shown.push(text.length <= 100 && !text.includes("\n") ? h("div", { class: "argument" }, h("span", { class: "key" }, name), " ", h("code", {}, text)) : h("div", {}, h("div", { class: "argument" }, h("span", { class: "key" }, name)), textBlock(text, "", 20)));
  }
  if (step?.nothing) shown.push(h("p", { class: "bad" }, step.nothing));
  return shown;
}

function partHead(model: Model, event: ShownEvent): HTMLElement {
  const failed = model.hasFailed(event) ? "failed" : "";
  return partHeadOf(event, facts(event.kind, event.exit_code == null ? failed : `exit code ${event.exit_code}`, time(event.took_s)));
}

function partHeadOf(event: ShownEvent, text: string): HTMLElement {
  return h("div", { class: "part-head" }, text, event.at_s != null && h("span", { class: "quiet" }, ` at ${time(event.at_s)}`));
}

function cut(event: ShownEvent): Child {
  return event.chars ? h("p", { class: "quiet" }, `The beginning of ${event.chars.toLocaleString("en")} characters.`) : undefined;
}

function otherBody(model: Model, row: Row): HTMLElement {
  const event = row.rest[0]!;
  const parts: Child[] = event.kind === "query" ? queryParts(model, event) : [];
  if (event.kind === "change" && event.diff?.length) parts.push(differenceOf(event.diff));
  else if (event.text && event.kind !== "query") parts.push(textBlock(event.text), cut(event));
  return h("div", { class: "body single" }, ...(parts.length > 0 ? parts : [h("p", { class: "quiet" }, "no text")]));
}

function differenceOf(lines: readonly string[]): HTMLElement {
  return writeBlock({ path: "", how: "", diff: [...lines] });
}

/** What a query has more than the one before it: its own texts compared, or the messages that came since. */
function queryParts(model: Model, query: ShownEvent): Child[] {
  const before = model.queryBefore(query);
  if (query.text && before?.text) return [differenceBlock(difference(before.text, query.text))];
  if (query.text) return [textBlock(query.text)];
  const heard = model.between(before, query);
  const lines = heard.map((event) => h("details", { class: "message" },
    h("summary", {}, h("ins", {}, `+ ${event.step > 0 ? `${event.step} ` : ""}${event.kind}${event.tool ? ` ${event.tool}` : ""}: ${event.said}`)),
    textBlock(event.text || event.reasoning || JSON.stringify(event.arguments ?? {}, undefined, 1))));
  return [h("p", { class: "quiet" }, before ? `Beyond query ${before.cycle}, the model is told:` : "The model is told:"), ...lines];
}
