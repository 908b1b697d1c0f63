/** The pages beside the conversation: what was found, and what was changed. */

import { h, type Child } from "../view/dom";
import type { ShownPattern, ShownSuspect } from "../shared/runView";
import type { Abilities, RunViewMessage } from "../shared/runMessages";
import { diffBlock, textBlock, writeBlock } from "./blocks";
import type { Model } from "./model";
import { counted, facts, stepsBetween, time } from "./words";

export interface PageActions {
  go: (index: number) => void;
  send: (message: RunViewMessage) => void;
}

/** Task, outcome, onset, patterns, checks, problems. */
export function findings(model: Model, actions: PageActions): HTMLElement {
  const { run } = model;
  const parts: Child[] = [section("Task", [run.task ? textBlock(run.task, "", 12) : h("p", { class: "quiet" }, "It is not recorded.")])];
  parts.push(section("Where it went wrong", run.onset ? suspect(model, run.onset, actions) : [h("p", { class: "quiet" }, run.why_not || "Nothing is said of it.")]));
  if (model.cited.steps.size > 0) {
    const links = [...model.cited.steps].flatMap((step) => [link(model, step, `step ${step}`, actions), " "]);
    parts.push(section("What the answer in the view Ask rests on", [h("p", {}, model.cited.words), h("p", {}, ...links)]));
  }
  if (run.alternatives.length > 0) {
    const others = run.alternatives.map((each) => h("details", { class: "finding" }, h("summary", {}, `${stepsBetween(each.first, each.last)}, ${each.type}: ${each.text}`), ...suspect(model, each, actions)));
    parts.push(section("It could also be", others));
  }
  if (run.patterns.length > 0) parts.push(section(`Patterns (${run.patterns.length})`, run.patterns.map((each) => pattern(model, each, actions))));
  const checks = [...model.steps.values()].filter(({ ok, effect }) => effect === "verify" || ok != null);
  if (checks.length > 0) {
    const rows = checks.map((step) => h("li", { class: step.ok === false ? "bad" : step.ok === true ? "good" : "" }, link(model, step.step, `step ${step.step}`, actions), ` ${step.ok === false ? "✗" : step.ok === true ? "✓" : "?"} ${step.outcome}`));
    parts.push(section(`Checks (${checks.length})`, [h("ul", {}, ...rows)]));
  }
  if (run.problems.length > 0) parts.push(section(`Problems in the files (${run.problems.length})`, [h("ul", {}, ...run.problems.map((each) => h("li", {}, each)))]));
  return h("div", { class: "page" }, ...parts);
}

function section(title: string, parts: Child[]): HTMLElement {
  return h("section", {}, h("h2", {}, title), ...parts);
}

function suspect(model: Model, found: ShownSuspect, actions: PageActions): Child[] {
  const chain = (found.chain ?? []).map(([step, words]) => h("li", {}, step > 0 && link(model, step, `step ${step}`, actions), ` ${words}`));
  const quotes = (found.evidence ?? []).map(([step, words]) => h("blockquote", {}, step > 0 && link(model, step, `step ${step}`, actions), h("pre", { class: "text" }, words)));
  return [
    h("p", {}, link(model, found.step, stepsBetween(found.first, found.last), actions), ` ${found.text}`),
    h("p", { class: "quiet" }, facts(found.type, `confidence ${Math.round(found.confidence * 100)} %`, "found by rules")),
    ...quotes,
    chain.length > 0 && h("p", { class: "quiet" }, "From there to the symptom:"),
    chain.length > 0 && h("ol", {}, ...chain),
  ];
}

function pattern(model: Model, found: ShownPattern, actions: PageActions): HTMLElement {
  const links = found.steps.slice(0, 12).flatMap((step) => [" ", link(model, step, `${step}`, actions)]);
  return h("div", { class: "finding" }, h("b", {}, found.name), ` ${found.text}`, links.length > 0 && h("span", { class: "quiet" }, " steps"), ...links, found.quote ? h("pre", { class: "text" }, found.quote) : undefined);
}

function link(model: Model, step: number, text: string, actions: PageActions): HTMLElement {
  const event = model.eventOfStep(step);
  return event ? h("button", { type: "button", class: "link", onClick: () => { actions.go(event.index); } }, text) : h("span", {}, text);
}

/** Commits of a run that was followed, and what calls wrote. */
export function changes(model: Model, can: Abilities, actions: PageActions): HTMLElement {
  const commits = model.events.filter(({ kind }) => kind === "change");
  const steps = [...model.steps.values()].filter(({ writes }) => writes && writes.length > 0);
  const files = new Map<string, number[]>();
  for (const { step, writes } of steps) for (const { path } of writes ?? []) files.set(path, [...new Set([...(files.get(path) ?? []), step])]);
  const parts: Child[] = [];
  if (commits.length > 0) parts.push(section(`Commits of the workspace (${commits.length})`, commits.map((event) => commit(event.index, model, can, actions))));
  else if (model.run.followed) parts.push(h("p", { class: "quiet" }, "The workspace was followed, and no file was changed."));
  if (files.size > 0) {
    const rows = [...files].map(([path, numbers]) => h("li", {}, h("code", {}, path), " ", ...numbers.slice(0, 20).flatMap((step) => [link(model, step, `${step}`, actions), " "])));
    parts.push(section(`${counted(files.size, "file")} written by calls`, [h("ul", {}, ...rows)]));
    parts.push(section("What they wrote", steps.map((step) => h("details", { class: "finding", open: steps.length <= 8 }, h("summary", {}, `step ${step.step}: ${step.intent}`), h("p", {}, link(model, step.step, "Show the step", actions)), ...(step.writes ?? []).map(writeBlock)))));
  }
  return h("div", { class: "page" }, ...(parts.length > 0 ? parts : [h("p", { class: "quiet" }, "No call of the run writes a file that is known.")]));
}

function commit(index: number, model: Model, can: Abilities, actions: PageActions): HTMLElement {
  const event = model.events[index]!;
  const act = (text: string, message: RunViewMessage): HTMLElement => h("button", { type: "button", class: "action", onClick: () => { actions.send(message); } }, text);
  return h("details", { class: "finding", open: (event.diff?.length ?? 0) > 0 && (event.diff?.length ?? 0) < 200 },
    h("summary", {}, `${(event.commit ?? "").slice(0, 10) || "change"} ${event.said} `, h("span", { class: "quiet" }, time(event.at_s))),
    h("div", { class: "actions" }, h("button", { type: "button", class: "action", onClick: () => { actions.go(index); } }, "Show the event"), can.open && act("Open the diff", { type: "openChange", index }), can.open && act("Restore to compare...", { type: "restore", index })),
    event.diff?.length ? diffBlock(event.diff) : h("pre", { class: "text" }, event.text));
}
