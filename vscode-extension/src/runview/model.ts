/** A run as the view knows it: events in rows, and what is asked of them. */

import type { RunView, ShownEvent, ShownPattern, ShownStep } from "../shared/runView";
import type { Standing } from "../shared/runMessages";

export type Effect = ShownStep["effect"];
export const EFFECTS: Effect[] = ["explore", "run", "verify", "install", "change", "submit", "message"];

/** What stands in one row: an answer with its call and results, or anything else that happened. */
export interface Row {
  kind: "turn" | "query" | "other";
  step: number;
  agent: string;
  /** The answer of the model; a parallel call after the first has none of its own. */
  answer: ShownEvent | undefined;
  call: ShownEvent | undefined;
  /** Everything else, in order: results, changes, errors; of other rows the event itself. */
  rest: ShownEvent[];
}

export class Model {
  readonly events: ShownEvent[] = [];
  rows: Row[] = [];
  readonly steps = new Map<number, ShownStep>();
  private rowOfEvent: number[] = [];
  private rowOfStep = new Map<number, Row>();
  private patterns = new Map<number, ShownPattern[]>();
  standing: Standing | null = null;
  /** Steps that the last answer about the run rests on, and its beginning. */
  cited: { steps: Set<number>; words: string } = { steps: new Set(), words: "" };
  /** Where the debugger has stood before. */
  readonly stops = new Set<number>();

  constructor(public run: RunView) {
    this.take(run);
  }

  /** More of the run, or the end of it again. */
  take(part: RunView): void {
    this.run = part;
    this.events.length = Math.min(this.events.length, part.first);
    for (const event of part.events) this.events.push(event);
    for (const step of part.steps) this.steps.set(step.step, step);
    this.patterns = new Map();
    for (const pattern of part.patterns) {
      for (const step of pattern.steps) this.patterns.set(step, [...(this.patterns.get(step) ?? []), pattern]);
    }
    this.arrange();
  }

  /** An event of which more is known now. */
  replace(event: ShownEvent): void {
    const old = this.events[event.index];
    if (!old) return;
    Object.assign(old, event);
    if (event.chars === undefined) delete old.chars;
  }

  rowOf(index: number): number {
    return this.rowOfEvent[index] ?? -1;
  }

  /** The first event of a row. */
  firstOf(row: Row): ShownEvent | undefined {
    return row.answer ?? row.call ?? row.rest[0];
  }

  /** All of them, in order. */
  eventsOf(row: Row): ShownEvent[] {
    return [row.answer, row.call, ...row.rest].filter((event) => event !== undefined).sort((a, b) => a.index - b.index);
  }

  patternsOf(step: number): ShownPattern[] {
    return this.patterns.get(step) ?? [];
  }

  isOnset(step: number): boolean {
    const { onset } = this.run;
    return onset !== null && step >= onset.first && step <= onset.last && step > 0;
  }

  effectOf(event: ShownEvent): Effect | "" {
    if (event.step > 0 && event.kind !== "response") return this.steps.get(event.step)?.effect ?? "";
    return event.kind === "response" ? "message" : "";
  }

  hasFailed(event: ShownEvent): boolean {
    if (event.kind === "error" || event.status === "error") return true;
    return event.kind === "result" && this.steps.get(event.step)?.failed === true;
  }

  /** The first event of a step: its call, or its answer. */
  eventOfStep(step: number): ShownEvent | undefined {
    const row = this.rowOfStep.get(step);
    return row && (row.call ?? row.answer ?? row.rest[0]);
  }

  /** The query of the same agent before this one. */
  queryBefore(query: ShownEvent): ShownEvent | undefined {
    return this.before(query, (event) => event.kind === "query" && event.agent === query.agent);
  }

  /** The event of the same kind, agent and tool before this one: what one would compare it with. */
  before(event: ShownEvent, matches: (other: ShownEvent) => boolean): ShownEvent | undefined {
    for (let at = event.index - 1; at >= 0; at--) {
      const other = this.events[at];
      if (other && matches(other)) return other;
    }
    return undefined;
  }

  /** What an agent said and heard between two events. */
  between(first: ShownEvent | undefined, last: ShownEvent): ShownEvent[] {
    const heard: ShownEvent[] = [];
    for (let at = first ? first.index + 1 : 0; at < last.index; at++) {
      const event = this.events[at];
      if (event?.agent === last.agent && event.kind !== "change" && event.kind !== "end" && event.kind !== "query") heard.push(event);
    }
    return heard;
  }

  /** The tokens of a query, as its answer tells them. */
  tokensOf(query: ShownEvent): number | undefined {
    for (let at = query.index; at < Math.min(this.events.length, query.index + 40); at++) {
      const event = this.events[at];
      if (event?.agent === query.agent && event.input_tokens !== undefined) return event.input_tokens;
    }
    return undefined;
  }

  private arrange(): void {
    this.rows = [];
    this.rowOfEvent = [];
    const ofStep = (this.rowOfStep = new Map<number, Row>());
    const open = new Map<string, Row>();
    const at = new Map<Row, number>();
    const begin = (row: Row): Row => {
      at.set(row, this.rows.length);
      this.rows.push(row);
      return row;
    };
    for (const event of this.events) {
      const row = this.placed(event, ofStep, open) ?? begin(fresh(event));
      if (event.kind === "response") open.set(event.agent, row);
      if (event.kind === "query") open.delete(event.agent);
      if (event.step > 0 && !ofStep.has(event.step)) ofStep.set(event.step, row);
      this.rowOfEvent[event.index] = at.get(row) ?? -1;
    }
  }

  /** The row that an event belongs to, if that is there already. */
  private placed(event: ShownEvent, ofStep: Map<number, Row>, open: Map<string, Row>): Row | undefined {
    const known = event.step > 0 ? ofStep.get(event.step) : undefined;
    if (known) {
      if (event.kind === "call" && !known.call) known.call = event;
      else known.rest.push(event);
      return known;
    }
    const answered = event.kind === "call" ? open.get(event.agent) : undefined;
    if (!answered || answered.call || answered.step > 0) return undefined;
    answered.call = event;
    answered.step = event.step;
    return answered;
  }
}

function fresh(event: ShownEvent): Row {
  const { kind, step, agent } = event;
  if (kind === "response") return { kind: "turn", step, agent, answer: event, call: undefined, rest: [] };
  if (kind === "call") return { kind: "turn", step, agent, answer: undefined, call: event, rest: [] };
  if (kind === "result") return { kind: "turn", step, agent, answer: undefined, call: undefined, rest: [event] };
  return { kind: kind === "query" ? "query" : "other", step, agent, answer: undefined, call: undefined, rest: [event] };
}
