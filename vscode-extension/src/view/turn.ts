/** A question and its answer: parts in the order in which they came, then what the answer rests on. */

import type { Part, Rerun, Turn } from "../shared/messages";
import type { AskEnded } from "../shared/protocol";
import { ApprovalCard } from "./approval";
import type { ViewContext } from "./context";
import { add, h } from "./dom";
import { endBanners, errorBanner, withoutError } from "./banners";
import { codeSpans, evidenceList, section, suspectList } from "./findings";
import { FixCard, type FixOutcome } from "./fixes";
import { foldEvidence } from "./folding";
import { gistOf } from "./gist";
import { icon } from "./icons";
import { placeFixes } from "./fixPlaces";
import { MarkdownStream } from "./markdown";
import { StepList } from "./steps";
import { withLocations } from "./tokens";
import { verdictFirst, verdictOf } from "./verdict";
import { usageDetails, usageWords } from "./usage";
import { valuePath } from "./valuePath";
import { Working } from "./working";

/** What an empty question means. */
export const DEFAULT_QUESTION = "Why did it stop here?";

/** One turn of a conversation. */
export class TurnView {
  readonly element: HTMLElement;
  private readonly before = h("div", { class: "before" });
  private readonly parts = h("div", { class: "parts" });
  private readonly findings = h("div", { class: "findings" });
  private readonly foot = h("div", { class: "turn-foot" });
  private readonly working: Working;
  private readonly moved = h("span", { class: "badge moved", title: "The program has continued since this question: its frames and values may have changed" }, "earlier stop");
  private streams: MarkdownStream[] = [];
  private stream: MarkdownStream | undefined;
  private steps: StepList | undefined;
  private readonly stepLists: StepList[] = [];
  private readonly approvals = new Map<string, ApprovalCard>();
  private fixes: FixCard[] = [];
  private over = false;
  private stale = false;
  private isMoved = false;

  constructor(
    private readonly context: ViewContext,
    readonly turn: Turn,
    number: number,
  ) {
    const id = `question-${turn.id}`;
    this.working = new Working(context);
    this.element = h("article", { class: "turn running", "aria-labelledby": id, "data-turn": turn.id },
      h("header", { class: "question" },
        h("h2", { id }, h("span", { class: "hidden" }, `Question ${number}: `), codeSpans(turn.question.trim() || DEFAULT_QUESTION, context)),
        this.spot()),
      this.before, this.parts, this.working.element, this.findings, this.foot);
    for (const part of turn.parts) this.addPart(part);
    // At once: where the user was reading must be there to be scrolled to.
    this.stream?.flush();
    if (turn.ended) this.end(turn.ended);
    else if (turn.error !== undefined) this.fail(turn.error);
    turn.fixes?.forEach((outcome, index) => {
      // An array made by index may have holes.
      if ((outcome as FixOutcome | undefined) !== undefined) this.setFix(index, outcome);
    });
    turn.reruns?.forEach((rerun, index) => {
      // What was kept has `null` for it.
      if (rerun) this.setRerun(index, rerun);
    });
  }

  /** The answer is being made. */
  get running(): boolean {
    return !this.over;
  }

  addPart(part: Part): void {
    this.working.goesOn(part);
    switch (part.kind) {
      case "answer":
        this.answer().append(part.text);
        return;
      case "step":
        this.stepList().addStep(part.step);
        return;
      case "status":
        if (part.text.trim() !== "") this.stepList().addStatus(part.text.trim());
        return;
      case "approval": {
        this.closeSegments();
        const card = new ApprovalCard(this.context, part.approval);
        this.approvals.set(part.approval.approvalId, card);
        this.parts.appendChild(card.element);
      }
    }
  }

  setApproval(approvalId: string, outcome: "allowed" | "allowedForSession" | "denied" | "over"): void {
    this.approvals.get(approvalId)?.set(outcome);
    this.working.goesOn();
  }

  /**
   * The whole answer is there; what was streamed stays unless it was another text. `isRead`: the user is somewhere in it,
   * and nothing is folded under their eyes.
   */
  end(ended: AskEnded, isRead = false): void {
    if (this.over) return;
    this.finish(ended.reason);
    this.stale = ended.stale;
    const streamed = this.streams.map((each) => each.text).join("");
    const answer = withoutError(ended);
    if (words(streamed) !== words(answer)) this.replaceAnswer(answer);
    // Why another than the chosen one has answered comes before that answer.
    const isInstead = ended.reason === "failed" && ended.answer.trim() !== "";
    add(isInstead ? this.before : this.findings, ...endBanners(this.context, this.turn.id, ended));
    const verdict = verdictOf(this.parts);
    const path = ended.path && valuePath(this.context, `${this.turn.id}.path`, ended.path);
    add(this.findings, path);
    const evidence = this.showFindings(ended, verdict === undefined);
    // The offline analyst shows all that it has found; a model chooses what to say.
    foldEvidence(this.context, this.parts, `${this.turn.id}.part`, isRead || ended.usage.provider !== "offline");
    add(this.before, gistOf(this.context, ended, this.fixes[0]));
    if (verdict && !isRead) {
      const seen = [this.fixes[0]?.element, path, evidence];
      add(this.before, verdictFirst(this.context, this.parts, verdict, seen, `${this.turn.id}.rest`, false));
    }
    this.showFoot(ended);
    this.setMoved(this.isMoved);
  }

  /** The request itself failed. */
  fail(error: string): void {
    if (this.over) return;
    this.finish("failed");
    add(this.findings, errorBanner(this.context, this.turn.id, error));
  }

  setFix(index: number, outcome: FixOutcome, error?: string): void {
    this.fixes[index]?.set(outcome, error);
  }

  /** What became of the program with a fix. */
  setRerun(index: number, rerun: Rerun | undefined): void {
    this.fixes[index]?.setRerun(rerun);
  }

  /** The program stands somewhere else than when this was asked. */
  setMoved(moved: boolean): void {
    this.isMoved = moved;
    // What was asked while the program ran was asked at no stop.
    const shown = this.turn.spot !== undefined && (moved || this.stale);
    this.moved.hidden = !shown;
    this.element.classList.toggle("is-moved", shown);
  }

  /** A newer turn follows. */
  fold(): void {
    for (const list of this.stepLists) list.fold();
    this.element.classList.add("older");
  }

  dispose(): void {
    this.working.dispose();
    for (const card of this.approvals.values()) card.dispose();
    for (const stream of this.streams) stream.flush();
  }

  private spot(): HTMLElement {
    const place = h("span", { class: "spot" });
    if (this.turn.spot !== undefined) place.appendChild(withLocations(this.turn.spot, this.context.open));
    this.moved.hidden = true;
    return h("div", { class: "question-foot" }, place, this.moved);
  }

  private answer(): MarkdownStream {
    if (this.stream) return this.stream;
    this.steps?.fold();
    this.steps = undefined;
    this.stream = new MarkdownStream(this.context.open);
    this.streams.push(this.stream);
    this.parts.appendChild(this.stream.element);
    return this.stream;
  }

  private stepList(): StepList {
    if (this.steps) return this.steps;
    this.closeSegments();
    this.steps = new StepList(this.context, `${this.turn.id}.steps.${this.stepLists.length}`);
    this.stepLists.push(this.steps);
    this.parts.appendChild(this.steps.element);
    return this.steps;
  }

  private closeSegments(): void {
    this.stream?.flush();
    this.stream = undefined;
    this.steps = undefined;
  }

  private finish(reason: AskEnded["reason"]): void {
    this.closeSegments();
    this.over = true;
    this.working.dispose();
    this.working.element.remove();
    this.element.classList.remove("running");
    this.element.classList.add(reason);
    for (const stream of this.streams) stream.flush();
    for (const card of this.approvals.values()) if (card.waiting) card.set("over");
  }

  private replaceAnswer(answer: string): void {
    for (const stream of this.streams) stream.element.remove();
    this.streams = [];
    if (answer.trim() === "") return;
    const stream = new MarkdownStream(this.context.open);
    stream.replace(answer);
    this.streams.push(stream);
    this.parts.appendChild(stream.element);
  }

  /** Returns the list of cited values. `open`: whether all else is open, too. */
  private showFindings(ended: AskEnded, open: boolean): HTMLElement | undefined {
    const { context, turn } = this;
    const key = turn.id;
    const current = (): boolean => !this.stale && !this.isMoved;
    const evidence = ended.evidence.length > 0 ? evidenceList(context, `${key}.evidence`, ended.evidence, current) : undefined;
    add(this.findings, evidence);
    if (ended.suspects.length > 0) add(this.findings, suspectList(context, `${key}.suspects`, ended.suspects, open));
    this.fixes = ended.fixes.map((fix, index) => new FixCard(context, key, index, fix, index === 0));
    // With a verdict the first one stands right below it.
    const rest = placeFixes(this.parts, ended.fixes, this.fixes).filter((card) => open || card !== this.fixes[0]);
    if (rest.length > 0) {
      const title = rest.length < this.fixes.length ? "More fixes" : "Fixes";
      const cards = h("div", { class: "fix-list" }, ...rest.map((each) => each.element));
      add(this.findings, section(context, `${key}.fixes`, "diff", title, rest.length, open && rest.length === this.fixes.length, cards));
    }
    return evidence;
  }

  private showFoot(ended: AskEnded): void {
    const masked = ended.masked.reduce((sum, each) => sum + each.times, 0);
    const rules = ended.masked.map((each) => `${each.placeholder} (${each.rule})`).join("\n");
    const id = this.turn.id;
    const usage = h("span", { class: "usage-words" });
    for (const words of usageWords(ended.usage)) usage.appendChild(h("span", {}, words));
    add(this.foot,
      masked > 0 && h("p", { class: "masked", title: rules }, icon("lock"), h("span", {}, masked === 1 ? "1 secret was masked" : `${masked} secrets were masked`)),
      h("div", { class: "turn-bar" },
        h("span", { class: "usage", title: usageDetails(ended.usage) }, usage),
        h("span", { class: "turn-actions" },
          this.action("copy", "Copy answer as Markdown", () => {
            this.context.post({ type: "copyTurn", turnId: id });
          }),
          this.action("retry", "Ask again", () => {
            this.context.post({ type: "retry", turnId: id });
          }))));
  }

  private action(name: "copy" | "retry", label: string, run: () => void): HTMLElement {
    return h("button", { class: "icon-button", title: label, "aria-label": label, onClick: run }, icon(name));
  }
}

/** A text without regard to how it is spaced: steps may have come between its parts. */
function words(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
