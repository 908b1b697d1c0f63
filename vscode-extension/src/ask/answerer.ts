/** Who answers, from the first status line of an answer. No `vscode` here. */

import type { Answerer } from "../shared/messages";

const LENT = /^the model that your editor lends: (.+?); (.+)$/s;
const ENDPOINT = /^(.+?) answers: (.+)$/s;

/** Reads what dap_ai's providers say of themselves; undefined for a status that says something else. */
export function answererOf(notice: string): Answerer | undefined {
  if (notice.startsWith("offline:")) {
    return { kind: "offline", name: "Offline analyst", leaves: "Nothing leaves this machine: no language model is used." };
  }
  if (notice.startsWith("a recording answers")) {
    return { kind: "offline", name: "Recording", leaves: "Nothing leaves this machine: no language model is asked." };
  }
  const lent = LENT.exec(notice);
  const [, name, leaves] = lent ?? ENDPOINT.exec(notice) ?? [];
  if (name === undefined || leaves === undefined) return undefined;
  return { kind: lent ? "editor" : "endpoint", name, leaves: sentence(leaves) };
}

function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
