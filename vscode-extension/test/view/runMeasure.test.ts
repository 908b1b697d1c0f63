/**
 * How fast a run of 5,000 events opens, scrolls and zooms, by the browser's own tracing, and what it holds in memory; only
 * with DAP_AI_MEASURE. Prints, and asserts nothing.
 */

import { loadavg } from "node:os";
import { test } from "node:test";

import type { CDPSession } from "playwright-core";

import { View } from "./page";
import { long } from "./runSamples";

const skip = process.env["DAP_AI_MEASURE"] === undefined ? "DAP_AI_MEASURE is not set" : false;
const EVENTS = 5000;

interface Traced {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  args: { frame?: string; data?: { type?: string } };
}

test(`measure a run of ${EVENTS} events`, { skip }, async (context) => {
  const view = await View.open({ place: "run", width: 1200, height: 800, alone: true });
  try {
    const cdp = await view.page.context().newCDPSession(view.page);
    const before = await heap(cdp);
    context.diagnostic(`opens in ${await opened(view)} ms, from the message to the frame in which it is painted; load ${loadavg()[0]?.toFixed(1) ?? ""}`);
    context.diagnostic(`memory: ${before.toFixed(1)} MB before, ${(await heap(cdp)).toFixed(1)} MB after, ${await view.find("*").count()} elements`);
    context.diagnostic(`scrolling: ${await traced(cdp, () => scroll(cdp))}`);
    await view.button("Open all").click();
    await view.find(".list").evaluate((list) => { list.scrollTop = 0; });
    context.diagnostic(`scrolling with every row open: ${await traced(cdp, () => scroll(cdp))}`);
    context.diagnostic(`zooming the strip: ${await traced(cdp, () => zoom(view))}`);
    context.diagnostic(`memory: ${(await heap(cdp)).toFixed(1)} MB at the end`);
  } finally {
    await view.close();
  }
});

async function opened(view: View): Promise<number> {
  return view.page.evaluate((run) => new Promise<number>((resolve) => {
    const from = performance.now();
    window.dispatchEvent(new MessageEvent("message", { data: { type: "run", run, can: {} } }));
    requestAnimationFrame(() => requestAnimationFrame(() => { resolve(Math.round(performance.now() - from)); }));
  }), long(EVENTS));
}

async function heap(cdp: CDPSession): Promise<number> {
  await cdp.send("HeapProfiler.collectGarbage");
  await cdp.send("Performance.enable");
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0) / 1e6;
}

/** By a gesture, as a wheel or a finger makes it. */
async function scroll(cdp: CDPSession): Promise<void> {
  await cdp.send("Input.synthesizeScrollGesture", { x: 400, y: 600, yDistance: -12_000, speed: 4000, gestureSourceType: "mouse" });
}

/** A turn of the wheel each frame. */
async function zoom(view: View): Promise<void> {
  await view.page.evaluate(async () => {
    const canvas = document.querySelector("canvas")!;
    for (let times = 0; times < 180; times++) {
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: times % 120 < 60 ? -40 : 40, clientX: 500, clientY: 80, cancelable: true }));
      await new Promise(requestAnimationFrame);
    }
  });
}

/** Frames that were drawn and dropped while `act` went on, and the longest piece of work of the page. */
async function traced(cdp: CDPSession, act: () => Promise<void>): Promise<string> {
  const events: Traced[] = [];
  const collect = ({ value }: { value: unknown[] }): void => { events.push(...(value as Traced[])); };
  cdp.on("Tracing.dataCollected", collect);
  await cdp.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["devtools.timeline", "disabled-by-default-devtools.timeline.frame"] } });
  await act();
  const complete = new Promise((done) => cdp.once("Tracing.tracingComplete", done));
  await cdp.send("Tracing.end");
  await complete;
  cdp.off("Tracing.dataCollected", collect);
  const drawn = events.filter(({ name }) => name === "DrawFrame").map(({ ts }) => ts / 1000).sort((a, b) => a - b);
  const gaps = drawn.slice(1).map((ts, at) => ts - drawn[at]!).sort((a, b) => a - b);
  const dropped = events.filter(({ name }) => name === "DroppedFrame").length;
  const work = apart(events.filter(({ name }) => ["FunctionCall", "EventDispatch", "FireAnimationFrame", "Layout", "UpdateLayoutTree", "Paint"].includes(name)));
  const at = (share: number): string => (gaps[Math.floor(share * (gaps.length - 1))] ?? 0).toFixed(1);
  const seconds = ((drawn.at(-1) ?? 0) - (drawn[0] ?? 0)) / 1000;
  return `${(drawn.length / seconds).toFixed(1)} frames a second over ${seconds.toFixed(1)} s, ${dropped} dropped; between two frames ${at(0.5)} ms (median), ${at(0.95)} ms (95 %), ${at(1)} ms (longest); of its own work the page has ${(work.reduce((sum, each) => sum + each, 0) / drawn.length).toFixed(1)} ms a frame, the longest piece ${Math.max(0, ...work).toFixed(1)} ms; load ${loadavg()[0]?.toFixed(1) ?? ""}`;
}

/** Milliseconds of each piece that is not within another. */
function apart(events: Traced[]): number[] {
  let end = 0;
  const found: number[] = [];
  for (const { ts, dur = 0 } of events.sort((a, b) => a.ts - b.ts)) {
    if (ts < end) continue;
    end = ts + dur;
    found.push(dur / 1000);
  }
  return found;
}
