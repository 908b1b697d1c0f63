/** How long the view works for a long stream; only with DAP_AI_MEASURE. Prints, and asserts nothing. */

import { test } from "node:test";

import { View } from "./page";
import { ANSWER, talk, turn } from "./samples";

const skip = process.env["DAP_AI_MEASURE"] === undefined ? "DAP_AI_MEASURE is not set" : false;

const FENCE = `\`\`\`python\n${"value = compute(value, 12)  # step\n".repeat(5000)}`;
const LIST = "- `rows` is `[]` at `report.py:13`, and so on\n".repeat(4000);

for (const [name, text] of [["an answer", `${ANSWER}\n\n`.repeat(1000)], ["one code block", FENCE], ["one list", LIST]] as const) {
  for (const size of [4_000, 16_000, 48_000]) {
    test(`measure ${name}, ${size} characters in pieces of 8, one each millisecond or so`, { skip }, async (context) => {
      const view = await View.open();
      try {
        await view.post({ type: "state", state: talk(turn()) });
        const result = await view.page.evaluate(stream, text.slice(0, size));
        context.diagnostic(`${result.total} ms in the view's own code, ${result.perThousand} ms per 1000 characters; longest piece of work ${result.longest} ms`);
      } finally {
        await view.close();
      }
    });
  }
}

/** In the browser: plays the pieces, and takes the time of the view's own work. */
async function stream(text: string): Promise<{ total: number; perThousand: number; longest: number }> {
  const times: number[] = [];
  const timed = (run: () => void): void => {
    const from = performance.now();
    run();
    times.push(performance.now() - from);
  };
  const plainFrame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (run) => plainFrame((now) => {
    timed(() => {
      run(now);
      // Layout belongs to it.
      document.body.getBoundingClientRect();
    });
  });
  const turns = new MessageChannel();
  const next = (): Promise<void> => new Promise((done) => {
    turns.port1.onmessage = () => {
      done();
    };
    turns.port2.postMessage(0);
  });
  for (let at = 0; at < text.length; at += 8) {
    const data = { type: "part", turnId: "t1", part: { kind: "answer", text: text.slice(at, at + 8) } };
    timed(() => window.dispatchEvent(new MessageEvent("message", { data })));
    const until = performance.now() + 1;
    while (performance.now() < until) await next();
  }
  turns.port1.close();
  const total = times.reduce((sum, each) => sum + each, 0);
  return { total: Math.round(total), perThousand: Math.round((100 * total * 1000) / text.length) / 100, longest: Math.round(Math.max(...times)) };
}
