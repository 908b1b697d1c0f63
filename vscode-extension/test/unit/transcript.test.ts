import assert from "node:assert/strict";
import test from "node:test";
import { answererOf } from "../../src/ask/answerer";
import type { Turn } from "../../src/shared/messages";
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

test("an answer that broke off is copied with what came and why", () => {
  const text = turnMarkdown({ ...turn, error: "The debug session ended." });
  assert.equal(text, "## Why did it stop here?\n\nAt `shop.py:5`.\n\nHalf\n\n**The debug session ended.**");
});

test("a conversation is exported with its steps, and no text of a program ends a fence", () => {
  const text = conversationMarkdown({ id: "c", sessionId: "s", sessionName: "shop", turns: [turn] });
  assert.match(text, /^# Conversation: shop\n\n## Why/);
  assert.match(text, /`` evaluate `x` `` \(in a snapshot\)\n\n````\na\n```\nb\n````/);
  assert.match(text, /Consent to `next`: denied/);
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
