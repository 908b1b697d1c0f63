/** Answers as Markdown, to be copied or kept. No `vscode` here. */

import type { Conversation, Part, Turn } from "../shared/messages";
import type { AskEnded, Evidence, Fix, Usage } from "../shared/protocol";
import { chainOf } from "../shared/valuePath";

/** A file as a reader elsewhere knows it: not by the folders of this machine. */
export type Shorten = (file: string) => string;

/** A whole conversation: every question, answer, step and consent. */
export function conversationMarkdown(conversation: Conversation & { sessionName?: string }, short: Shorten): string {
  const title = conversation.sessionName === undefined ? "# Conversation" : `# Conversation: ${conversation.sessionName}`;
  return [title, ...conversation.turns.map((turn) => turnMarkdown(turn, short, true))].join("\n\n") + "\n";
}

/** One question and its answer. */
export function turnMarkdown(turn: Turn, short: Shorten, withSteps = false): string {
  const question = turn.question.trim() === "" ? "Why did it stop here?" : turn.question.trim();
  const blocks = [`## ${question.replace(/\n+/g, " ")}`];
  if (turn.spot !== undefined) blocks.push(`At \`${turn.spot}\`.`);
  blocks.push(answerOf(turn).trim());
  if (turn.error !== undefined) blocks.push(`**${turn.error}**`);
  const { ended } = turn;
  if (ended) blocks.push(...endingOf(ended, short));
  if (withSteps) blocks.push(stepsOf(turn.parts));
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** What was answered so far. */
export function answerOf(turn: Turn): string {
  if (turn.ended && turn.ended.answer !== "") return turn.ended.answer;
  return turn.parts.map((part) => (part.kind === "answer" ? part.text : "")).join("");
}

function endingOf(ended: AskEnded, short: Shorten): string[] {
  const blocks: string[] = [];
  if (ended.error !== "") blocks.push(`**${ended.error}**`);
  else if (ended.reason === "cancelled") blocks.push("*Stopped by you.*");
  else if (ended.reason === "limit") blocks.push("*A budget ended the answer.*");
  for (const fix of ended.fixes) if (!ended.answer.includes(fix.diff.trim())) blocks.push(fixOf(fix, short));
  const chain = chainOf(ended.path ?? []);
  if (chain !== "") blocks.push(`Path of the value: ${coded(chain)}`);
  if (ended.evidence.length > 0) blocks.push(["Values:", ...ended.evidence.map((each) => valueOf(each, short))].join("\n"));
  blocks.push(usageOf(ended.usage));
  return blocks;
}

function fixOf(fix: Fix, short: Shorten): string {
  const verdict = fix.verified ? `verified: ${fix.result}` : "not verified";
  return `A fix of \`${short(fix.file)}\` (${verdict}):\n\n${fenced(fix.diff, "diff")}`;
}

function valueOf(evidence: Evidence, short: Shorten): string {
  const place = evidence.file === "" ? "" : ` (\`${short(evidence.file)}:${evidence.line}\`)`;
  return `- ${coded(evidence.expression)} = ${coded(evidence.value)}${place}${evidence.confirmed ? ", confirmed" : ""}`;
}

function usageOf(usage: Usage): string {
  const parts = [usage.model === "" ? usage.provider : usage.model, `${usage.seconds.toFixed(1)} s`];
  if (usage.inputTokens > 0) parts.push(`${usage.inputTokens} + ${usage.outputTokens} tokens`);
  if (usage.costUsd > 0) parts.push(`$${usage.costUsd.toFixed(4)}`);
  return `*${parts.filter((part) => part !== "").join(" · ")}*`;
}

function stepsOf(parts: Part[]): string {
  const rows = parts.flatMap((part) => {
    if (part.kind === "step") {
      const { call, result, snapshot } = part.step;
      const where = snapshot ? " (in a snapshot)" : "";
      return [`${coded(call)}${where}${result === undefined || result === "" ? "" : `\n\n${fenced(result)}`}`];
    }
    if (part.kind === "approval") return [`Confirmation of ${coded(part.approval.action)}: ${part.approval.outcome ?? "waits"}`];
    return [];
  });
  return rows.length === 0 ? "" : `### Steps\n\n${rows.join("\n\n")}`;
}

/** A fence that no line of the text ends. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** One line of code in running text, whatever it holds. */
function coded(text: string): string {
  const line = text.replace(/\s*\n\s*/g, " ");
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  if (longest === 0) return `\`${line}\``;
  const fence = "`".repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}
