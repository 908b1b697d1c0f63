/** Runs as the view is given them. */

import type { RunView, ShownEvent, ShownStep } from "../../src/shared/runView";

type Given = Partial<ShownEvent> & Pick<ShownEvent, "kind">;

export const HOSTILE = "</script><img src=x onerror=\"document.title='pwned'\"> <!-- ";

/** Events in their order. */
export function events(...given: Given[]): ShownEvent[] {
  return given.map((each, index) => ({ index, agent: "main", cycle: 0, step: 0, said: (each.text ?? "").split("\n")[0]!, text: "", place: `run.jsonl:${index + 1}`, ...each }));
}

export function runOf(shown: ShownEvent[], steps: ShownStep[] = [], more: Partial<RunView> = {}): RunView {
  return {
    version: 1, name: "shop.json", path: "/runs/shop.json", format: "hand-made", title: "Fix total().", task: "Fix total().\nAll tests have to pass.", verdict: "failed", words: "reward 0",
    agents: [{ name: "main", model: "gpt-x" }], total: shown.length, step_count: steps.length, started: "", seconds: 9.5, cost_usd: 0.03, masked: false, followed: false, known: "",
    stages: [{ stage: "inspection", first: 1, last: 2 }, { stage: "patching", first: 3, last: 3 }], patterns: [{ name: "never-verified", steps: [3], text: "The last change was never checked" }],
    onset: { step: 3, first: 3, last: 3, type: "incorrect hypothesis", text: "Step 3 changed total() wrongly", confidence: 0.6, chain: [[3, "it was left so"]], evidence: [[3, "return 2"]] },
    alternatives: [{ step: 2, first: 1, last: 2, type: "unproductive looping", text: "It repeats itself", confidence: 0.3 }], why_not: "", problems: ["line 12 is no JSON"], first: 0, events: shown, steps, ...more,
  };
}

/** Three steps of one agent, the second a check that fails, the third the onset; and an answer. */
export function shop(): RunView {
  return runOf(
    events(
      { kind: "task", text: "Fix total()." },
      { kind: "query", cycle: 1 },
      { kind: "response", cycle: 1, text: "I look first.", input_tokens: 1000, output_tokens: 30, cost_usd: 0.01, took_s: 2 },
      { kind: "call", cycle: 1, step: 1, tool: "bash", text: "cat shop.py", arguments: { command: "cat shop.py" } },
      { kind: "result", cycle: 1, step: 1, tool: "bash", text: "def total(items):\n    return 1", status: "ok", exit_code: 0 },
      { kind: "query", cycle: 2 },
      { kind: "response", cycle: 2, text: "I run the tests.", reasoning: "hm", input_tokens: 1500, output_tokens: 40 },
      { kind: "call", cycle: 2, step: 2, tool: "bash", text: "pytest -q", arguments: { command: "pytest -q" } },
      { kind: "result", cycle: 2, step: 2, tool: "bash", text: "1 failed in 0.1s", status: "error", exit_code: 1 },
      { kind: "query", cycle: 3 },
      { kind: "response", cycle: 3, text: `I change it. ${HOSTILE}` },
      { kind: "call", cycle: 3, step: 3, tool: "edit", text: "", said: "shop.py", arguments: { path: "shop.py", old_str: "return 1", new_str: "return 2" } },
      { kind: "result", cycle: 3, step: 3, tool: "edit", text: "edited", status: "ok" },
      { kind: "change", text: "M shop.py", commit: "0123456789abcdef", diff: ["-    return 1", "+    return 2"] },
      { kind: "response", cycle: 3, step: 4, text: "Done: total() is right." },
      { kind: "end", text: "submitted" },
    ),
    [
      { step: 1, effect: "explore", intent: "look first", outcome: "def total(items):" },
      { step: 2, effect: "verify", intent: "run the tests", outcome: "failed: 1 failed", ok: false, failed: true },
      { step: 3, effect: "change", intent: "change it", outcome: "edited", writes: [{ path: "shop.py", how: "edit", diff: ["@@ -1 +1 @@", "-return 1", "+return 2"] }] },
      { step: 4, effect: "message", intent: "Done: total() is right.", outcome: "" },
    ],
  );
}

/** A main agent and one below it. */
export function team(): RunView {
  const shown = events(
    { kind: "task", text: "Review it." },
    { kind: "response", cycle: 1, text: "I delegate." },
    { kind: "call", cycle: 1, step: 1, tool: "delegate", text: "review" },
    { kind: "response", cycle: 1, agent: "reviewer", text: "I test." },
    { kind: "call", cycle: 1, step: 2, agent: "reviewer", tool: "bash", text: "pytest" },
    { kind: "result", cycle: 1, step: 2, agent: "reviewer", text: "2 passed" },
    { kind: "result", cycle: 1, step: 1, text: "reviewer: fine" },
  );
  const steps: ShownStep[] = [{ step: 1, effect: "run", intent: "delegate", outcome: "fine" }, { step: 2, effect: "verify", intent: "test", outcome: "ok", ok: true }];
  return runOf(shown, steps, { agents: [{ name: "main" }, { name: "reviewer", parent: "main", model: "small" }], onset: null, why_not: "the run records that it was solved", patterns: [], alternatives: [] });
}

/** As long as wanted: a query, an answer, a call and its result after the other. */
export function long(count: number): RunView {
  const kinds = ["query", "response", "call", "result"] as const;
  const effects = ["explore", "verify", "change", "run", "explore"] as const;
  const shown = events(...Array.from({ length: count }, (_, index): Given => {
    const [kind, cycle] = [kinds[index % 4]!, Math.floor(index / 4) + 1];
    const text = { query: "", response: `Cycle ${cycle}: I look at how discounts are applied, and in which order. `.repeat((cycle % 6) + 1), call: `grep -n discount shop/orders_${cycle}.py`, result: `${cycle}: total -= discount\n`.repeat((cycle % 40) + 3) }[kind];
    return { kind, cycle, text, said: text.slice(0, 120), step: kind === "call" || kind === "result" ? cycle : 0, ...(kind === "call" ? { tool: "bash", arguments: { command: text } } : {}), ...(kind === "response" ? { input_tokens: 900 + 40 * cycle, output_tokens: 80 } : {}), ...(kind === "result" && cycle % 7 === 0 ? { status: "error" as const } : {}) };
  }));
  const steps = Array.from({ length: Math.floor(count / 4) }, (_, at): ShownStep => ({ step: at + 1, effect: effects[at % 5]!, intent: `look at orders ${at + 1}`, outcome: at % 7 === 6 ? "failed: 1 failed" : "ok", ...(at % 7 === 6 ? { failed: true } : {}) }));
  return runOf(shown, steps, { stages: [], patterns: [], onset: null, alternatives: [] });
}
