/** What the buttons of a fix do, and what the view is told of it. */

import type * as vscode from "vscode";
import { Fixes } from "./fixes";
import { textOf } from "../log";
import type { HostMessage, Turn } from "../shared/messages";

/** The buttons. */
export type FixAction = "previewFix" | "applyFix" | "undoFix";

/** Does them. */
export class FixActions implements vscode.Disposable {
  private readonly fixes = new Fixes();

  constructor(
    private readonly post: (message: HostMessage) => void,
    /** A fix is in its file, or no more. */
    private readonly changed: { applied(turn: Turn, index: number): void; forget(turn: Turn, index: number): void },
  ) {}

  dispose(): void {
    this.fixes.dispose();
  }

  async run(action: FixAction, turn: Turn, index: number, session: vscode.DebugSession | undefined): Promise<void> {
    const fix = turn.ended?.fixes[index];
    if (!fix) return;
    const key = `${turn.id}/${index}`;
    const isApplied = turn.fixes?.[index] === "applied";
    const named = { key, fix, isApplied, ...(session ? { session } : {}) };
    try {
      if (action === "previewFix") {
        await this.fixes.preview(named);
        return;
      }
      if (action === "applyFix") await this.fixes.apply(named);
      else await this.fixes.undo(named);
      if (action === "applyFix") this.changed.applied(turn, index);
      else this.changed.forget(turn, index);
      this.outcome(turn, index, action === "applyFix" ? "applied" : "undone");
    } catch (error) {
      this.outcome(turn, index, "failed", textOf(error));
    }
  }

  private outcome(turn: Turn, index: number, outcome: "applied" | "undone" | "failed", error?: string): void {
    const fixes = (turn.fixes ??= []);
    // A fix that could not be taken back is still in the file.
    if (outcome !== "failed" || fixes[index] !== "applied") fixes[index] = outcome;
    const message: HostMessage = { type: "fix", turnId: turn.id, index, outcome };
    this.post(error === undefined ? message : { ...message, error });
  }
}
