/** Consent by notification, where no view shows the card. */

import * as vscode from "vscode";
import type { AskApproval } from "../shared/protocol";

const ONCE = "Allow Once";
const SESSION = "Allow for This Session";
const DENY = "Deny";

/** Answers an approval: as `Asks.approve`. */
export type Answer = (approvalId: string, allow: boolean, remember: boolean) => Promise<void>;

/** A notification cuts what is longer; nobody shall allow what cannot be read. */
const LONGEST = 600;

/** Asks by a notification. Closing it answers nothing: the card in the view, the console or the time limit does. */
export async function askByNotification(approval: AskApproval, answer: Answer, show: () => void): Promise<void> {
  const open = "Show";
  const { action, approvalId, now = "" } = approval;
  const whole = now === "" ? action : `${action} (now it is ${now})`;
  const isWhole = whole.length <= LONGEST;
  // A notification makes links of `[text](address)`: the text of a model is to be seen as it is.
  const text = isWhole ? whole.replaceAll("](", "]\u200b(") : "a longer action: read it in the view";
  const buttons = isWhole ? [ONCE, SESSION, DENY, open] : [open, DENY];
  const chosen = await vscode.window.showWarningMessage(`dap-ai wants to do this in the program: ${text}`, ...buttons);
  if (chosen === ONCE) await answer(approvalId, true, false);
  else if (chosen === SESSION) await answer(approvalId, true, true);
  else if (chosen === DENY) await answer(approvalId, false, false);
  else if (chosen === open) show();
}
