/** Draws the strip. Effects are told by colour, kinds by height, failures also by a notch: not by colour alone. */

import type { ShownEvent } from "../shared/runView";
import type { Effect, Model } from "./model";

export type Colours = Record<Effect | "none" | "quiet" | "line" | "bad" | "stop" | "chosen" | "onset", string> & { font: string };

export interface Sight {
  selected: number;
  /** Whether the filter leaves an event out. */
  dimmed: ((event: ShownEvent) => boolean) | undefined;
}

interface Place extends Sight {
  from: number;
  to: number;
  lane: number;
  head: number;
}

const HEIGHTS: Record<ShownEvent["kind"], number> = { call: 1, result: 0.62, response: 0.8, query: 0.3, task: 0.8, note: 0.3, change: 1, error: 1, end: 0.8 };

export function paint(canvas: HTMLCanvasElement, model: Model, colours: Colours, place: Place): void {
  const scale = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext("2d");
  if (!context || width === 0) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const step = width / (place.to - place.from);
  const x = (index: number): number => (index - place.from) * step;
  lanes(context, model, colours, place, width);
  onset(context, model, colours, x, place, height);
  marks(context, model, colours, place, step, x);
  stages(context, model, colours, place, x, width);
  standing(context, model, colours, place, step, x, height);
}

function lanes(context: CanvasRenderingContext2D, { run }: Model, colours: Colours, place: Place, width: number): void {
  context.fillStyle = colours.line;
  for (let at = 1; at < run.agents.length; at++) context.fillRect(0, place.head + at * place.lane - 1, width, 1);
}

/** From the first to the last event of a range of steps; undefined where none is there. */
function span(model: Model, first: number, last: number): [number, number] | undefined {
  const begin = model.eventOfStep(first);
  let end = begin;
  for (let step = last; step >= first; step--) {
    const row = model.rows[model.rowOf(model.eventOfStep(step)?.index ?? -1)];
    if (row) {
      end = model.eventsOf(row).at(-1);
      break;
    }
  }
  if (!begin || !end) return undefined;
  const row = model.rows[model.rowOf(begin.index)];
  return [row?.answer?.index ?? begin.index, end.index];
}

function onset(context: CanvasRenderingContext2D, model: Model, colours: Colours, x: (index: number) => number, place: Place, height: number): void {
  const found = model.run.onset && span(model, model.run.onset.first, model.run.onset.last);
  if (!found) return;
  const left = x(found[0]);
  const width = Math.max(6, x(found[1] + 1) - left);
  context.globalAlpha = 0.22;
  context.fillStyle = colours.onset;
  context.fillRect(left, place.head - 4, width, height - place.head);
  context.globalAlpha = 1;
  context.strokeStyle = colours.onset;
  context.lineWidth = 1.5;
  context.setLineDash([4, 3]);
  context.strokeRect(left + 0.5, place.head - 3.5, width - 1, height - place.head - 2);
  context.setLineDash([]);
}

interface Mark {
  left: number;
  top: number;
  width: number;
  height: number;
  rank: number;
}

/** Of several in one pixel the one that matters most is seen. */
const RANK: Record<Effect | "none", number> = { change: 7, submit: 6, install: 5, verify: 4, run: 3, explore: 2, message: 1, none: 0 };

/** By colour, so that it changes seldom. */
function marks(context: CanvasRenderingContext2D, model: Model, colours: Colours, place: Place, step: number, x: (index: number) => number): void {
  const laneOf = new Map(model.run.agents.map(({ name }, at) => [name, at]));
  const painted = new Map<string, Mark[]>();
  const failed: Mark[] = [];
  const pixels = new Map<number, Mark>();
  const gap = step > 4 ? 1 : 0;
  const width = Math.max(1, step - gap);
  const end = Math.min(model.events.length, Math.ceil(place.to));
  for (let at = Math.max(0, Math.floor(place.from)); at < end; at++) {
    const event = model.events[at]!;
    const lane = laneOf.get(event.agent) ?? 0;
    const bottom = place.head + (lane + 1) * place.lane - 2;
    const height = HEIGHTS[event.kind] * (place.lane - 5);
    const isFaint = place.dimmed?.(event) === true;
    const effect = model.effectOf(event) || "none";
    const left = step < 1 ? Math.floor(x(at)) : x(at);
    if (!isFaint && model.hasFailed(event)) failed.push({ left: left - 0.5, top: bottom - place.lane + 1, width: Math.max(2.5, width + 1), height: 4, rank: 0 });
    const mark = { left, top: bottom - height, width, height, rank: isFaint ? -1 : event.kind === "error" ? 9 : RANK[effect] };
    const pixel = left * 64 + lane;
    if (step < 1) {
      const other = pixels.get(pixel);
      if (other && other.rank >= mark.rank) continue;
      if (other) other.height = 0;
      pixels.set(pixel, mark);
    }
    const colour = isFaint ? "faint" : event.kind === "error" ? colours.bad : colours[effect];
    const group = painted.get(colour);
    if (group) group.push(mark);
    else painted.set(colour, [mark]);
  }
  for (const [colour, group] of painted) {
    context.globalAlpha = colour === "faint" ? 0.2 : 1;
    context.fillStyle = colour === "faint" ? colours.none : colour;
    for (const mark of group) if (mark.height > 0) context.fillRect(mark.left, mark.top, mark.width, mark.height);
  }
  context.globalAlpha = 1;
  context.fillStyle = colours.bad;
  for (const { left, top, width, height } of failed) context.fillRect(left, top, width, height);
}

function stages(context: CanvasRenderingContext2D, model: Model, colours: Colours, place: Place, x: (index: number) => number, width: number): void {
  context.font = colours.font;
  context.textBaseline = "top";
  for (const { stage, first, last } of model.run.stages) {
    const found = span(model, first, last);
    if (!found) continue;
    const [left, right] = [Math.max(0, x(found[0])), Math.min(width, x(found[1] + 1))];
    if (right <= 0 || left >= width) continue;
    context.fillStyle = colours.line;
    context.fillRect(left, place.head - 5, 1, 5);
    if (context.measureText(stage).width + 6 > right - left) continue;
    context.fillStyle = colours.quiet;
    context.fillText(stage, left + 2, 1);
  }
}

/** Where the debugger stands and has stood, and what is chosen. */
function standing(context: CanvasRenderingContext2D, model: Model, colours: Colours, place: Place, step: number, x: (index: number) => number, height: number): void {
  const middle = (index: number): number => x(index) + step / 2;
  context.fillStyle = colours.stop;
  for (const index of model.stops) {
    context.beginPath();
    context.arc(middle(index), place.head - 3, 2, 0, 7);
    context.fill();
  }
  context.fillStyle = colours.chosen;
  for (const number of model.cited.steps) {
    const event = model.eventOfStep(number);
    if (event) diamond(context, middle(event.index), place.head - 4);
  }
  context.fillStyle = colours.stop;
  if (place.selected >= 0) {
    context.strokeStyle = colours.chosen;
    context.lineWidth = 2;
    context.strokeRect(x(place.selected) - 1, place.head - 1, Math.max(4, step + 1), height - place.head - 4);
  }
  if (!model.standing) return;
  const at = middle(model.standing.index);
  context.fillRect(at - 1, place.head - 2, 2, height - place.head - 3);
  context.beginPath();
  context.moveTo(at - 5, place.head - 9);
  context.lineTo(at + 5, place.head - 9);
  context.lineTo(at, place.head - 1);
  context.fill();
}

/** A step that an answer cites. */
function diamond(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  context.moveTo(x, y - 4);
  context.lineTo(x + 4, y);
  context.lineTo(x, y + 4);
  context.lineTo(x - 4, y);
  context.fill();
}
