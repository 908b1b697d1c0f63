/** What a host would say: one stopped session, and what dap_ai's offline analyst and a model answer about it. */

import type { Approval, SessionInfo, Step, Turn, ViewState } from "../../src/shared/messages";
import type { AskEnded, Evidence, Fix, PathNode, Suspect } from "../../src/shared/protocol";

export const FILE = "/home/ada/shop/report.py";

export const STOPPED: SessionInfo = {
  id: "s1",
  name: "Python: report.py",
  stop: { reason: "exception", file: FILE, line: 13, frame: "average" },
};
export const RUNNING: SessionInfo = { id: "s1", name: "Python: report.py" };
export const OTHER: SessionInfo = { id: "s2", name: "C: prices", stop: { reason: "breakpoint", file: "/home/ada/shop/prices.c", line: 88, frame: "total" } };

export function state(change: Partial<ViewState> = {}): ViewState {
  return {
    sessions: [STOPPED],
    sessionId: "s1",
    history: [],
    answerer: { kind: "offline", name: "Offline analyst", leaves: "Nothing leaves this machine: no language model is used." },
    workspace: ["/home/ada/shop"],
    ...change,
  };
}

/** A state with a conversation of these turns. */
export function talk(...turns: Turn[]): ViewState {
  return state({ conversation: { id: "c1", sessionId: "s1", turns } });
}

export function turn(change: Partial<Turn> = {}): Turn {
  return { id: "t1", question: "Why did it stop here?", spot: "report.py:13", parts: [], ...change };
}

export function step(change: Partial<Step> = {}): Step {
  return { name: "inspect", call: "inspect 3 frames, 15 expressions", result: "6 variables", seconds: 0.0363, shown: "inspect", ...change };
}

export const STEPS: Step[] = [
  step({ name: "stackTrace", call: "stackTrace", result: "3 rows", seconds: 0.0021 }),
  step(),
  step({ name: "snapshot", call: "snapshot report.py:13 again", result: "ZeroDivisionError: division by zero", seconds: 0.0683, snapshot: true }),
  step({ name: "evaluate", call: "evaluate([row['count'] for row in load('trials.csv')])", result: "[]\nprinted nothing", seconds: 0.0112, snapshot: true }),
];

export const SYMBOL = "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>::operator[](unsigned long)";

export const APPROVAL: Approval = {
  askId: "a1",
  approvalId: "p1",
  action: "rows = load(\"trials.csv\", minimum=2)",
  reason: "I want to see whether the average can be computed when the filter keeps both rows.",
  kind: "execute",
  timeoutS: 60,
};

export const DIFF = `--- a/report.py
+++ b/report.py
@@ -5,3 +5,3 @@
     rows = [{"name": "a", "price": 3.5, "count": 2}, {"name": "b", "price": 1.25, "count": 0}]
-    return [row for row in rows if row["count"] > 2]
+    return [row for row in rows if row["count"] >= 2]
 `;

export const ANSWER = `**What happened.** \`ZeroDivisionError: division by zero\` at \`report.py:13\`, in \`average\`:

\`\`\`python
13  return total / len(rows)
\`\`\`

The divisor \`len(rows)\` is \`0\`, because \`rows\` is \`[]\`.

**Why.** Back from the failing line:

1. \`report.py:18\` in \`main\` passes \`rows\`: \`print("average:", average(rows))\`
2. \`report.py:17\` in \`main\` sets \`rows\`: \`rows = load("trials.csv")\`
3. \`report.py:6\` in \`load\` keeps only rows whose \`count\` is above 2; the largest is 2

**Recommendation.** The comparison leaves out the limit itself:

\`\`\`diff
${DIFF}
\`\`\`
`;

export const EVIDENCE: Evidence[] = [
  { expression: "len(rows)", value: "0", file: FILE, line: 13, frameId: 2, threadId: 1, epoch: 2, confirmed: true },
  { expression: "rows", value: "[]", file: FILE, line: 13, frameId: 2, threadId: 1, epoch: 2, confirmed: true },
  { expression: "row[\"count\"]", value: "2", file: FILE, line: 6, frameId: 3, threadId: 1, epoch: 2, confirmed: false },
];

export const SUSPECTS: Suspect[] = [
  { file: FILE, line: 6, score: 1, reason: "the failing check passes with `>=` here" },
  { file: FILE, line: 13, score: 0.74, reason: "divides by `len(rows)`" },
  { file: FILE, line: 4, score: 0.37, reason: "parameter `path` is never used" },
  { file: FILE, line: 17, score: 0.27, reason: "sets `rows`" },
  { file: FILE, line: 18, score: 0.2, reason: "passes the argument `rows`" },
];

export const FIXES: Fix[] = [
  { file: FILE, diff: DIFF, verified: true, check: "the call at `report.py:21`", result: "the failing check passes with it" },
  {
    file: FILE,
    diff: DIFF.replace(">= 2", "> 2 - 1"),
    verified: false,
    check: "the call at `report.py:21`",
    result: "the copy ran out of time after 10 s",
  },
];

function node(expression: string, value: string, line: number, of: string, change: Partial<PathNode> = {}): PathNode {
  return { expression, value, known: value === "" ? "" : "rerun", file: FILE, line, function: of, step: "set", born: false, note: "", beside: [], ...change };
}

export const PATH: PathNode[] = [
  node("total", "-962.28", 29, "main", { known: "frame" }),
  node("net - abs(net) * rate * -1", "-962.28", 16, "with_tax", { step: "returned", beside: [{ expression: "rate", value: "0.19" }] }),
  node("net", "-1188", 23, "bill", { step: "passed" }),
  node("net", "-1188", 22, "bill"),
  node("reduced", "-1188", 11, "price", { beside: [{ expression: "amount", value: "132" }] }),
  node("discount", "10", 22, "bill", { step: "passed" }),
  node("DISCOUNTS[name]", "10", 3, "", { born: true }),
];

export function ended(change: Partial<AskEnded> = {}): AskEnded {
  return {
    askId: "a1",
    conversationId: "conversation-1",
    reason: "completed",
    stale: false,
    answer: ANSWER,
    usage: { modelCalls: 3, toolCalls: 4, inputTokens: 4120, outputTokens: 612, costUsd: 0.0021, seconds: 6.21, provider: "editor", model: "GPT-5 mini" },
    evidence: EVIDENCE,
    suspects: SUSPECTS,
    fixes: FIXES,
    error: "",
    masked: [],
    ...change,
  };
}

/** A turn that has ended as such turns do. */
export function finished(change: Partial<AskEnded> = {}, of: Partial<Turn> = {}): Turn {
  const end = ended(change);
  const parts: Turn["parts"] = [
    { kind: "status", text: "GPT-5 mini answers: the question, source around the stack and values leave this machine" },
    ...STEPS.map((each) => ({ kind: "step" as const, step: each })),
    { kind: "answer", text: end.answer },
  ];
  return turn({ parts, ended: end, ...of });
}

/** As the offline analyst answers: with all that it has found. */
export const OFFLINE_ANSWER = `**What happened.** \`AssertionError: the interval must have a width\` at \`resampling.py:31\`, in \`main\`:

\`\`\`python
31  assert low < high, "the interval must have a width"
\`\`\`

\`low\` is \`6\`; \`high\` is \`6\`.

- \`low\` = \`6\`
- \`high\` = \`6\`

**Why.** Back from the failing line:

1. \`resampling.py:30\` in \`main\` sets \`low\`: \`low, high = interval(estimates, level=0.95)\` (\`low\` is now \`6\`)
2. \`resampling.py:25\` in \`interval\` returns the result of \`interval\`: \`return low, high\`
3. \`resampling.py:15\` in \`bootstrap\` changes \`estimates\`: \`estimates.append(statistic(values))\`

**Run again.** In a copy of the process, the call at \`resampling.py:36\` fails the same way.

The calls in it:

- \`main()\` raised \`AssertionError: the interval must have a width\`
  - \`bootstrap(values=[2, 3, 3, 4, 4, 4, ... 9 more], rounds=200, seed=7)\` returned \`[6, 6, 6, 6, 6, 6, ... 194 more]\`
  - \`interval(estimates=[6, 6, 6, 6, 6, 6, ... 194 more], level=0.95)\` returned \`(6, 6)\`

**Root cause.** \`resampling.py:15\`: uses \`values\`, while \`resample\`, made from it in line 14, is never used.

\`\`\`python
15  estimates.append(statistic(values))
\`\`\`

**Recommendation.** Change line 15.

\`\`\`diff
${DIFF}
\`\`\`

*No language model was used: this is the offline analyst, and the ranking of lines is a heuristic.*
`;

/** With the verdict first: one sentence. */
export const VERDICT = "`resample` is never used at `resampling.py:15`, so `low` and `high` are both `6` and the interval has no width.";
export const VERDICT_ANSWER = `${VERDICT}\n\n${OFFLINE_ANSWER}`;

export const OFFLINE_USAGE = { ...ended().usage, provider: "offline", model: "", inputTokens: 0, outputTokens: 0, costUsd: 0, seconds: 0.85 };
