/** Makes a turn of what comes for a question, and tells the view each piece of it. */

import type { ApprovalOutcome, AskSink } from "./ask";
import type { HostMessage, Part, Turn } from "../shared/messages";
import type { AskApproval, AskEnded, AskOutput, AskResponseBody } from "../shared/protocol";

/** Who hears of a turn, beside its own parts. */
export interface TurnListener {
  post(message: HostMessage): void;
  asked(body: AskResponseBody): void;
  /** Who answers and what leaves the machine: the first status of a turn. */
  notice(text: string): void;
  approval(body: AskApproval): void;
  /** It has ended, or failed. */
  over(): void;
}

/** The sink of one turn. */
export class TurnSink implements AskSink {
  private hasNotice = false;

  constructor(
    private readonly turn: Turn,
    private readonly listener: TurnListener,
  ) {}

  asked(body: AskResponseBody): void {
    this.listener.asked(body);
  }

  output({ category, output, tool }: AskOutput): void {
    if (category === "answer") {
      const last = this.turn.parts.at(-1);
      if (last?.kind === "answer") last.text += output;
      else this.turn.parts.push({ kind: "answer", text: output });
      this.listener.post({ type: "part", turnId: this.turn.id, part: { kind: "answer", text: output } });
      return;
    }
    if (category === "tool") this.add({ kind: "step", step: { name: "", call: output, ...tool, shown: output } });
    else this.status(output);
  }

  approval(body: AskApproval): void {
    this.add({ kind: "approval", approval: { ...body } });
    this.listener.approval(body);
  }

  settled(approvalId: string, outcome: ApprovalOutcome): void {
    for (const part of this.turn.parts) {
      if (part.kind === "approval" && part.approval.approvalId === approvalId) part.approval.outcome = outcome;
    }
    this.listener.post({ type: "approval", turnId: this.turn.id, approvalId, outcome });
  }

  ended(ended: AskEnded): void {
    this.turn.ended = ended;
    this.listener.post({ type: "ended", turnId: this.turn.id, ended });
    this.listener.over();
  }

  failed(error: string): void {
    this.turn.error = error;
    this.listener.post({ type: "failed", turnId: this.turn.id, error });
    this.listener.over();
  }

  private status(text: string): void {
    this.add({ kind: "status", text });
    if (this.hasNotice) return;
    this.hasNotice = true;
    this.listener.notice(text);
  }

  private add(part: Part): void {
    this.turn.parts.push(part);
    this.listener.post({ type: "part", turnId: this.turn.id, part });
  }
}

/** Whether the answer is still being made. */
export function isOpen(turn: Turn): boolean {
  return turn.ended === undefined && turn.error === undefined;
}
