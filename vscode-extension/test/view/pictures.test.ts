/** A picture of each state, in each theme; only with DAP_AI_SCREENSHOTS, the folder that takes them. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { View, type Options } from "./page";
import { APPROVAL, DIFF, OFFLINE_ANSWER, OFFLINE_USAGE, OTHER, PATH, RUNNING, STEPS, STOPPED, SYMBOL, VERDICT_ANSWER, ended, finished, state, talk, turn } from "./samples";
import type { ThemeName } from "./themes";

const folder = process.env["DAP_AI_SCREENSHOTS"];
const skip = folder === undefined ? "DAP_AI_SCREENSHOTS names no folder" : false;

type Scene = (view: View) => Promise<void>;

const streaming = talk(turn({
  parts: [
    { kind: "status", text: "offline: no language model, nothing leaves this machine" },
    ...STEPS.slice(0, 3).map((each) => ({ kind: "step" as const, step: each })),
    { kind: "answer", text: "**What happened.** `ZeroDivisionError: division by zero` at `report.py:13`, in `average`:\n\n```python\n13  return total / len(rows)\n```\n\nThe divisor `len(rows)` is" },
  ],
}));

const SCENES: Record<string, Scene> = {
  "1-no-session": (view) => view.post({ type: "state", state: state({ sessions: [], sessionId: "" }) }),
  "2-running": (view) => view.post({ type: "state", state: state({ sessions: [RUNNING] }) }),
  "20-caught": (view) => view.post({ type: "state", state: state({ sessions: [{ ...RUNNING, caught: { type: "KeyError", file: "/home/ada/shop/report.py", line: 13 } }] }) }),
  "21-earlier-run": (view) => {
    const { conversation, ...rest } = talk(finished());
    return view.post({ type: "state", state: { ...rest, sessions: [RUNNING], conversation: { ...conversation!, isOver: true } } });
  },
  "22-path": (view) => view.post({ type: "state", state: talk(finished({ answer: VERDICT_ANSWER, usage: OFFLINE_USAGE, path: [...PATH, { ...PATH[0]!, expression: "orders", value: "", known: "", step: "read", note: "an argument: where it was passed is not known" }] })) }),
  "3-stopped": (view) => view.post({ type: "state", state: state() }),
  "4-streaming": (view) => view.post({ type: "state", state: streaming }),
  "5-answer-top": async (view) => {
    await view.post({ type: "state", state: talk(finished({ masked: [{ placeholder: "<secret:3f2a>", rule: "name: password", times: 2 }] })) });
    await view.find(".scroller").evaluate((element) => {
      element.scrollTop = 0;
    });
  },
  "6-answer-end": async (view) => {
    await view.post({ type: "state", state: talk(finished({ masked: [{ placeholder: "<secret:3f2a>", rule: "name: password", times: 2 }] })) });
    await view.post({ type: "fix", turnId: "t1", index: 0, outcome: "applied" });
  },
  "7-step-open": async (view) => {
    await view.post({ type: "state", state: talk(turn({ parts: STEPS.map((each) => ({ kind: "step" as const, step: each })) })) });
    await view.find(".step summary").nth(3).click();
  },
  "8-consent": async (view) => {
    const more = { ...APPROVAL, approvalId: "p0", action: "next", reason: "To see the next value of `total`.", outcome: "allowed" as const };
    await view.post({
      type: "state",
      state: talk(turn({
        parts: [
          { kind: "step", step: STEPS[0]! },
          { kind: "approval", approval: more },
          { kind: "step", step: STEPS[1]! },
          { kind: "approval", approval: APPROVAL },
        ],
      })),
    });
  },
  "9-failed": (view) => view.post({ type: "state", state: talk(turn({ parts: [], error: "The endpoint says 401: the key is not valid. Set another key, or answer offline." })) }),
  "10-follow-up": (view) => view.post({
    type: "state",
    state: {
      ...talk(
        finished({}, { id: "t0", spot: "report.py:11" }),
        finished({ answer: "`rows` is what `load` returned: see `report.py:6` and `report.py:17`.", evidence: [], suspects: [], fixes: [], stale: true, reason: "cancelled" }, { question: "Where does rows come from, and who else uses it?" }),
      ),
      sessions: [STOPPED, OTHER],
      answerer: { kind: "editor", name: "GPT-5 mini (VS Code)", leaves: "The question, source around the stack and values leave this machine." },
      history: [{ id: "c1", title: "Why did it stop here?" }, { id: "c0", title: "What is the largest count that load sees here?" }],
    },
  }),
  "11-menu": async (view) => {
    await view.post({ type: "state", state: { ...talk(finished()), history: [{ id: "c1", title: "Why did it stop here?" }, { id: "c0", title: "What is the largest count that load sees here, and why?" }] } });
    await view.button("More actions").click();
  },
  "13-unreachable": async (view) => {
    const answerer = { kind: "endpoint" as const, name: "qwen3 at localhost:11434", leaves: "The question, source and values of the program are sent there, secrets masked." };
    await view.post({ type: "state", state: { ...talk(finished({ reason: "failed", answer: "", evidence: [], suspects: [], fixes: [], error: "http://localhost:11434/v1 cannot be reached: connection refused. Is it running?" }, { parts: STEPS.slice(0, 2).map((each) => ({ kind: "step", step: each })) })), answerer } });
  },
  "14-session-ended": (view) => view.post({ type: "state", state: { ...talk(turn({ parts: [{ kind: "answer", text: "The divisor `len(rows)` is" }], error: "The debug session ended before the answer was complete. Start the program again and ask when it has stopped." })), sessions: [], sessionId: "" } }),
  "15-queued": async (view) => {
    await view.post({ type: "state", state: talk(turn({ parts: [{ kind: "answer", text: "The divisor `len(rows)` is" }] }), turn({ id: "t2", question: "Who else calls `average`?", parts: [{ kind: "status", text: "Waits for the answer before it." }] })) });
    await view.input.fill("And a third question that is rather long, as they are");
  },
  "16-denied": (view) => view.post({ type: "state", state: talk(finished({ answer: "You did not allow it, so I cannot say more.", evidence: [], suspects: [], fixes: [] }, { parts: [{ kind: "approval", approval: { ...APPROVAL, outcome: "denied" } }, { kind: "approval", approval: { ...APPROVAL, approvalId: "p9", outcome: "over" } }] })) }),
  "17-steps-open": async (view) => {
    await view.post({ type: "state", state: talk(finished()) });
    await view.find(".steps-summary").click();
  },
  "18-offline": (view) => view.post({ type: "state", state: talk(finished({ answer: OFFLINE_ANSWER, usage: OFFLINE_USAGE })) }),
  "19-part-open": async (view) => {
    await view.post({ type: "state", state: talk(finished({ answer: OFFLINE_ANSWER, usage: OFFLINE_USAGE })) });
    await view.find(".part summary").last().click();
  },
  "20-verdict": (view) => view.post({ type: "state", state: talk(finished({ answer: VERDICT_ANSWER, usage: OFFLINE_USAGE })) }),
  "21-fixed": async (view) => {
    await view.post({ type: "state", state: talk(finished({ answer: VERDICT_ANSWER, usage: OFFLINE_USAGE })) });
    await view.post({ type: "fix", turnId: "t1", index: 0, outcome: "applied" });
    await view.post({ type: "rerun", turnId: "t1", index: 0, rerun: { state: "fixed", text: "Fixed: the program ran to its end with it (exit code 0), and did not stop there again." } });
  },
  "22-symbol": (view) => view.post({ type: "state", state: { ...talk(finished({ answer: `\`last\` reads behind a null pointer in \`${SYMBOL}\`.`, fixes: [] })), sessions: [{ ...STOPPED, stop: { ...STOPPED.stop!, frame: SYMBOL } }] } }),
  "12-fix-only": (view) => view.post({ type: "state", state: talk(finished({ answer: "The comparison leaves out the limit itself.", evidence: [], suspects: [], reason: "limit", fixes: [{ file: "/home/ada/shop/report.py", diff: DIFF, verified: false, check: "", result: "" }] })) }),
};

const PLACES: [string, Options][] = [
  ["panel", { width: 340, height: 760 }],
  ["narrow", { width: 220, height: 760 }],
  ["short", { width: 270, height: 150 }],
  ["zoomed", { width: 170, height: 400 }],
  ["tab", { width: 980, height: 820, place: "tab" }],
];

for (const theme of (process.env["THEMES"]?.split(",") ?? ["dark", "light", "contrast"]) as ThemeName[]) {
  for (const [place, options] of PLACES) {
    test(`pictures: ${theme}, ${place}`, { skip }, async () => {
      mkdirSync(join(folder!, theme), { recursive: true });
      const view = await View.open({ ...options, theme });
      try {
        for (const [name, scene] of Object.entries(SCENES)) {
          await view.page.evaluate(() => {
            sessionStorage.clear();
          });
          await view.reload();
          await scene(view);
          await view.page.waitForTimeout(150);
          await view.page.screenshot({ path: join(folder!, theme, `${place}-${name}.png`) });
        }
        await view.assertHarmless();
      } finally {
        await view.close();
      }
    });
  }
}

test("pictures: forced colours", { skip }, async () => {
  const view = await View.open({ theme: "dark", forcedColors: true, width: 340, height: 760 });
  try {
    await view.post({ type: "state", state: talk(turn({ parts: [{ kind: "approval", approval: APPROVAL }], ended: ended() })) });
    await view.page.waitForTimeout(150);
    await view.page.screenshot({ path: join(folder!, "forced-colours.png") });
  } finally {
    await view.close();
  }
});
