/** Proposed changes: a diff, whether it was tried, and what the user can do with it. */

import type { Rerun } from "../shared/messages";
import { outputDifference } from "../shared/outputs";
import type { Fix } from "../shared/protocol";
import { keepOpen, type ViewContext } from "./context";
import { h } from "./dom";
import { codeSpans } from "./findings";
import { diffLines } from "./highlight";
import { icon, type IconName } from "./icons";
import { reachableIfScrolled } from "./scroll";

const APPLIED = "Applied. Restart the program to see whether it helps.";
const ICONS: Record<string, IconName> = { failed: "error", again: "error", elsewhere: "warning", running: "play" };

export type FixOutcome = "applied" | "undone" | "failed";

/** One proposed change. */
export class FixCard {
  readonly element: HTMLDetailsElement;
  private readonly buttons = h("div", { class: "buttons" });
  private readonly note = h("p", { class: "fix-note", role: "status" });
  private readonly output = h("div", { class: "fix-output" });
  private outcome: FixOutcome | undefined;

  constructor(
    private readonly context: ViewContext,
    private readonly turnId: string,
    private readonly index: number,
    private readonly fix: Fix,
    open: boolean,
  ) {
    const pre = h("pre", { class: "code diff", "data-label": "Difference" }, h("code", {}, diffLines(withoutOnlyHunk(body(fix.diff)))));
    reachableIfScrolled(pre);
    const name = `${context.short(fix.file)}${lineOf(fix.diff)}`;
    const details = h("details", { class: "fix" },
      h("summary", {},
        icon("chevron"),
        icon("diff"),
        h("h3", {}, `Fix ${index + 1}`),
        h("span", { class: "fix-file", title: fix.file }, name),
        changed(fix.diff)),
      pre, verdict(fix, context), this.buttons, this.note, this.output);
    keepOpen(context, details, `${turnId}.fix.${index}`, open);
    this.element = details;
    this.showButtons();
  }

  /** What became of it. */
  set(outcome: FixOutcome, error?: string): void {
    const before = this.outcome;
    this.outcome = outcome;
    this.output.replaceChildren();
    const hadFocus = this.buttons.contains(document.activeElement);
    this.showButtons();
    if (hadFocus) this.buttons.querySelector<HTMLElement>("button.primary, button")?.focus();
    if (outcome === "applied") this.say(APPLIED, "applied");
    else if (outcome === "undone") this.say("Undone: the file is as it was.", "undone");
    else this.say(error ?? (before === "applied" ? "It could not be undone: the file has changed since." : "It could not be applied: the file has changed since. Open the preview and copy what you want."), "failed");
    if (outcome === "failed" && before === "applied") {
      this.outcome = "applied";
      this.showButtons();
    }
  }

  /** What became of the program with it; undefined: nothing is known. */
  setRerun(rerun: Rerun | undefined): void {
    if (this.outcome !== "applied") return;
    if (!rerun) this.say(APPLIED, "applied");
    else this.say(rerun.text, rerun.state);
    this.element.classList.toggle("fixed", rerun?.state === "fixed");
    this.output.replaceChildren(...(rerun?.output ? outputsOf(rerun.output) : []));
  }

  /** Brings it into sight, with the focus on what can be done with it. */
  show(): void {
    this.element.open = true;
    const around = this.element.parentElement?.closest("details");
    if (around) around.open = true;
    this.element.scrollIntoView({ block: "start" });
    this.buttons.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
  }

  private say(text: string, kind: string): void {
    this.note.className = `fix-note ${kind}`;
    this.note.replaceChildren(icon(ICONS[kind] ?? "check"), h("span", {}, text));
  }

  private showButtons(): void {
    const { turnId, index, outcome } = this;
    const preview = this.button("Preview", "previewFix", "secondary");
    const main = outcome === "applied"
      ? this.button("Undo", "undoFix", "secondary")
      : this.button(outcome === "failed" ? "Try again" : outcome === "undone" ? "Apply again" : "Apply", "applyFix", "primary");
    main.dataset.fix = `${turnId}.${index}`;
    const both = this.fix.verified && outcome !== "applied";
    if (both) main.classList.replace("primary", "secondary");
    const next = outcome === "applied" ? [this.restart()] : both ? [this.button("Apply and Rerun", "applyAndRerun", "primary")] : [];
    this.buttons.replaceChildren(preview, main, ...next);
  }

  private restart(): HTMLButtonElement {
    return h("button", {
      class: "button primary",
      title: "Start the program again, with the fix",
      onClick: () => {
        this.context.post({ type: "restart", turnId: this.turnId });
      },
    }, "Restart");
  }

  private button(text: string, type: "previewFix" | "applyFix" | "undoFix" | "applyAndRerun", kind: string): HTMLButtonElement {
    const { turnId, index } = this;
    return h("button", {
      class: `button ${kind}`,
      "aria-label": `${text} fix ${index + 1} in ${this.context.short(this.fix.file)}`,
      onClick: () => {
        this.context.post({ type, turnId, index });
      },
    }, text);
  }
}

/** What the program wrote until it stopped beside what it has written with the fix. */
function outputsOf({ before, after }: NonNullable<Rerun["output"]>): HTMLElement[] {
  const difference = outputDifference(before, after);
  if (difference === "") return after.trim() === "" ? [] : [h("p", { class: "muted" }, "What it wrote is the same as before.")];
  const pre = h("pre", { class: "code diff", "data-label": "Output before and after" }, h("code", {}, diffLines(difference)));
  reachableIfScrolled(pre);
  return [h("h4", {}, "Output, before and with the fix"), pre];
}

/** The file is named above the diff already. */
function body(diff: string): string {
  return diff.replace(/^(?:(?:diff |index )[^\n]*\n)*--- [^\n]*\n\+\+\+ [^\n]*\n/, "");
}

/** Where its first change is: `:12`. */
function lineOf(diff: string): string {
  const [head = "", ...lines] = body(diff).split("\n");
  const first = Number(/^@@ -(\d+)/.exec(head)?.[1] ?? 0);
  const before = lines.findIndex((line) => /^[+-]/.test(line));
  return first > 0 && before >= 0 ? `:${first + before}` : "";
}

/** With one place of change, the line beside the file's name says where. */
function withoutOnlyHunk(text: string): string {
  return text.match(/^@@ /gm)?.length === 1 ? text.replace(/^@@ [^\n]*\n/, "") : text;
}

function changed(diff: string): HTMLElement {
  const lines = body(diff).split("\n");
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  return h("span", { class: "changed", role: "img", "aria-label": `${added} added, ${removed} removed` },
    h("span", { class: "added" }, `+${added}`), h("span", { class: "removed" }, `−${removed}`));
}

function verdict(fix: Fix, context: ViewContext): HTMLElement {
  const text = h("span", {});
  const line = h("p", { class: `verdict ${fix.verified ? "verified" : "unverified"}` }, icon(fix.verified ? "check" : "question"), text);
  if (fix.verified) {
    text.append("Verified in a snapshot: ", codeSpans(fix.result || fix.check || "the failing check passes", context));
    if (fix.result && fix.check && !fix.result.includes(fix.check)) text.append(" ", h("span", { class: "muted" }, "(", codeSpans(fix.check, context), ")"));
  } else {
    const why = fix.result || (fix.check ? `${fix.check} was not run` : "it was not tried in a snapshot");
    text.append("Not verified: ", codeSpans(why, context));
  }
  return line;
}
