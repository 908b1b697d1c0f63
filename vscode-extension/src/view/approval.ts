/** A request for confirmation: what would be done, why, and three answers to it. */

import type { Approval } from "../shared/messages";
import type { ViewContext } from "./context";
import { h, setText } from "./dom";
import { codeSpans } from "./findings";
import { icon, type IconName } from "./icons";

const OUTCOMES: Record<NonNullable<Approval["outcome"]>, string> = {
  allowed: "Allowed once",
  allowedForSession: "Allowed for this session",
  denied: "Denied",
  over: "Answered elsewhere, or not in time",
};

/** One request; it ends with an outcome, from the user or by time. */
export class ApprovalCard {
  readonly element: HTMLElement;
  private readonly foot = h("div", { class: "approval-foot" });
  private readonly left = h("span", { class: "countdown", role: "timer" });
  private readonly title: HTMLElement;
  private timer: ReturnType<typeof setInterval> | undefined;
  private done = false;
  private sent = false;

  constructor(
    private readonly context: ViewContext,
    private readonly approval: Approval,
  ) {
    const id = `approval-${approval.approvalId}`;
    const reason = approval.reason.trim();
    const now = approval.now ?? "";
    this.title = h("div", { class: "approval-title" }, icon("shield"), h("h3", { id }, "Allow this in your program?"), this.left);
    this.element = h("section", { class: "approval", role: "group", "aria-labelledby": id, tabindex: -1 },
      this.title,
      h("pre", { class: "code action", tabindex: 0, "aria-label": "Action" }, h("code", {}, approval.action)),
      now !== "" && h("p", { class: "approval-now" }, h("span", { class: "muted" }, "Now it is "), h("code", {}, now)),
      reason !== "" && h("p", { class: "approval-reason" }, h("span", { class: "muted" }, "The model’s reason: "), "“", codeSpans(reason, context), "”"),
      this.foot);
    if (approval.outcome) this.set(approval.outcome);
    else this.ask();
  }

  get waiting(): boolean {
    return !this.done;
  }

  set(outcome: NonNullable<Approval["outcome"]>): void {
    if (this.done) return;
    this.done = true;
    clearInterval(this.timer);
    const hadFocus = this.foot.contains(document.activeElement);
    const good = outcome === "allowed" || outcome === "allowedForSession";
    this.element.classList.add("answered", good ? "allowed" : "denied");
    const name: IconName = good ? "check" : outcome === "over" ? "clock" : "error";
    this.title.replaceChildren(icon(name), h("h3", { id: `approval-${this.approval.approvalId}` }, OUTCOMES[outcome]));
    this.foot.remove();
    if (hadFocus) this.element.focus();
  }

  /** The conversation is shown no more. */
  dispose(): void {
    clearInterval(this.timer);
  }

  private ask(): void {
    this.foot.replaceChildren(h("div", { class: "buttons" },
      this.button("Allow once", "primary", true, false),
      this.button("Allow for this session", "secondary", true, true),
      this.button("Deny", "secondary", false, false)));
    this.context.announce(`Your permission is needed: ${this.approval.action}`, true);
    const deadlines = this.context.kept().deadlines ?? {};
    const deadline = deadlines[this.approval.approvalId] ?? Date.now() + 1000 * this.approval.timeoutS;
    this.context.keep({ deadlines: { ...deadlines, [this.approval.approvalId]: deadline } });
    this.tick(deadline);
    this.timer = setInterval(() => {
      this.tick(deadline);
    }, 1000);
  }

  private button(text: string, kind: string, allow: boolean, remember: boolean): HTMLButtonElement {
    const title = remember ? `Every action of the kind “${this.approval.kind}”, until the session ends` : undefined;
    return h("button", {
      class: `button ${kind}`,
      title,
      onClick: () => {
        if (this.sent) return;
        this.sent = true;
        // Not `disabled`: that would take the focus away.
        for (const each of this.foot.querySelectorAll("button")) each.setAttribute("aria-disabled", "true");
        this.context.post({ type: "approve", approvalId: this.approval.approvalId, allow, remember });
      },
    }, text);
  }

  private tick(deadline: number): void {
    const left = Math.max(0, Math.ceil((deadline - Date.now()) / 1000));
    setText(this.left, left >= 120 ? `${Math.ceil(left / 60)} min left` : `${left} s left`);
    this.left.classList.toggle("soon", left <= 10);
    if (left === 0) clearInterval(this.timer);
  }
}
