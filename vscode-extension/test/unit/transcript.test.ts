import assert from "node:assert/strict";
import test from "node:test";
import { answererOf } from "../../src/ask/answerer";
import type { Turn } from "../../src/shared/messages";
import type { AskEnded } from "../../src/shared/protocol";
import { conversationMarkdown, turnMarkdown } from "../../src/ask/transcript";

const turn: Turn = {
  id: "1",
  question: "",
  spot: "shop.py:5",
  parts: [
    { kind: "status", text: "offline" },
    { kind: "step", step: { name: "evaluate", call: "evaluate `x`", result: "a\n```\nb", snapshot: true, shown: "" } },
    { kind: "answer", text: "Half" },
    { kind: "approval", approval: { askId: "1", approvalId: "1", action: "next", reason: "", kind: "step", timeoutS: 1, outcome: "denied" } },
  ],
};

const ENDED: AskEnded = {
  ...{ askId: "1", conversationId: "c", reason: "completed", stale: false, answer: "Because.", evidence: [], suspects: [], fixes: [], error: "", masked: [] },
  usage: { modelCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, seconds: 1, provider: "offline", model: "" },
};
const short = (file: string): string => file.replace("/home/ada/", "");

test("an answer that broke off is copied with what came and why", () => {
  const text = turnMarkdown({ ...turn, error: "The debug session ended." }, short);
  assert.equal(text, "## Why did it stop here?\n\nAt `shop.py:5`.\n\nHalf\n\n**The debug session ended.**");
});

test("a conversation is exported with its steps, and no text of a program ends a fence", () => {
  const text = conversationMarkdown({ id: "c", sessionId: "s", sessionName: "shop", turns: [turn] }, short);
  assert.match(text, /^# Conversation: shop\n\n## Why/);
  assert.match(text, /`` evaluate `x` `` \(in a snapshot\)\n\n````\na\n```\nb\n````/);
  assert.match(text, /Confirmation of `next`: denied/);
});

test("the files of values and fixes are named without the folders of this machine", () => {
  const [file, line] = ["/home/ada/shop/report.py", 6];
  const value = { expression: "rows", value: "[]", file, line, frameId: 2, threadId: 1, epoch: 1, confirmed: true };
  const fix = { file, diff: "+x = 1", verified: false, check: "", result: "" };
  const text = turnMarkdown({ ...turn, ended: { ...ENDED, evidence: [value], fixes: [fix] } }, short);
  assert.match(text, /A fix of `shop\/report\.py`[\s\S]*- `rows` = `\[\]` \(`shop\/report\.py:6`\), confirmed/);
  assert.ok(!text.includes("/home"));
});

test("who answers is read from the first status", () => {
  assert.equal(answererOf("offline: no language model, nothing leaves this machine")?.kind, "offline");
  assert.deepEqual(answererOf("qwen3 at localhost:11434 answers: the question is sent there"), {
    ...{ kind: "endpoint", name: "qwen3 at localhost:11434", leaves: "The question is sent there." },
  });
  assert.deepEqual(answererOf("the model that your editor lends: GPT-5 mini; values are sent to it, secrets masked"), {
    ...{ kind: "editor", name: "GPT-5 mini", leaves: "Values are sent to it, secrets masked." },
  });
  assert.equal(answererOf("running the failure again in 5 snapshots"), undefined);
});
