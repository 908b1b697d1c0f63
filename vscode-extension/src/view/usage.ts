/** What an answer cost, in words. */

import type { Usage } from "../shared/protocol";

/** A time for a person: `3 ms`, `2.2 s`, `1 min 5 s`. */
export function seconds(value: number): string {
  if (value < 0.9995) return `${Math.max(1, Math.round(value * 1000))} ms`;
  if (value < 60) return `${value.toFixed(1)} s`;
  return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

function count(value: number, one: string): string {
  return `${value.toLocaleString("en-US")} ${value === 1 ? one : `${one}s`}`;
}

/** Tokens for a person: `830`, `4.1k`. */
function tokens(value: number): string {
  return value < 1000 ? String(value) : `${(value / 1000).toFixed(1)}k`;
}

/** The parts of the line under an answer. */
export function usageWords(usage: Usage): string[] {
  const words: string[] = [];
  const model = usage.model || (usage.provider === "offline" ? "Offline analyst" : usage.provider);
  if (model) words.push(model);
  words.push(seconds(usage.seconds));
  if (usage.inputTokens + usage.outputTokens > 0) {
    words.push(`${tokens(usage.inputTokens)} in, ${tokens(usage.outputTokens)} out`);
  }
  if (usage.costUsd > 0) words.push(`$${usage.costUsd < 0.01 ? usage.costUsd.toFixed(4) : usage.costUsd.toFixed(2)}`);
  return words;
}

/** All of it, for the tooltip. */
export function usageDetails(usage: Usage): string {
  return [
    count(usage.modelCalls, "model call"),
    count(usage.toolCalls, "step"),
    `${count(usage.inputTokens, "token")} sent`,
    `${count(usage.outputTokens, "token")} received`,
    usage.costUsd > 0 ? `$${usage.costUsd.toFixed(4)}` : "no cost reported",
  ].join(", ");
}
