/** What the models of VS Code are to a question: nothing of how they answer (../models/models.ts). */

import type * as vscode from "vscode";
import type { Answerer } from "../shared/messages";
import type { AskOfferArguments } from "../shared/protocol";

/** Lends the models of VS Code (../models/models.ts). */
export interface Lender {
  /** For `providers` of `ask`. */
  offered(): string[];
  /** For `lentModel` of `ask`: what the model is called. */
  lentModel?(): string | undefined;
  /** The event `askModel`: dap_ai wants a reply of the model. `model`: the one that the question itself has brought. */
  onAskModel(session: vscode.DebugSession, body: unknown, model?: vscode.LanguageModelChat): void;
  /** The event `askModelEnded`: nobody waits for that reply any more. */
  onAskModelEnded?(session: vscode.DebugSession, body: unknown): void;
  /** Who answers next, before an answer has said it. */
  answerer?(): Answerer | undefined;
  /** While sessions are told of another choice; a question waits for it. Undefined: they know. */
  ready?(): Promise<void> | undefined;
  /** Somebody else was chosen. */
  readonly onDidChange?: vscode.Event<undefined>;
}

/** What is lent, as `ask` and `askOffer` say it. `model`: this one instead of the chosen one. */
export function offerOf(lender: Lender | undefined, model?: vscode.LanguageModelChat): AskOfferArguments {
  const providers = lender?.offered() ?? [];
  const lentModel = model?.name ?? lender?.lentModel?.();
  if (providers.length === 0) return {};
  return lentModel === undefined ? { providers } : { providers, lentModel };
}
