/** What the agent did between its words: one compact row a step, and quiet lines of status. */

import type { Step } from "../shared/messages";
import { keepOpen, type ViewContext } from "./context";
import { add, h, setText } from "./dom";
import { icon } from "./icons";
import { withLocations } from "./tokens";
import { seconds } from "./usage";

/** A run of steps and statuses with no answer in between. */
export class StepList {
  readonly element: HTMLDetailsElement;
  private readonly rows = h("ul", { class: "step-rows" });
  private readonly title = h("span", { class: "step-title" });
  private status: HTMLElement | undefined;
  private steps = 0;
  private time = 0;

  constructor(
    private readonly context: ViewContext,
    private readonly key: string,
  ) {
    this.element = h("details", { class: "steps", open: true },
      h("summary", { class: "steps-summary", onClick: () => { this.keep(!this.element.open); } }, icon("chevron"), this.title), this.rows);
    this.element.open = !this.isKept(`-${key}`);
  }

  addStep(step: Step): void {
    this.status = undefined;
    this.steps += 1;
    this.time += step.seconds ?? 0;
    this.rows.appendChild(stepRow(step, this.context, `${this.key}.${this.steps}`));
    this.updateTitle();
  }

  /** A status follows a status: only the newer one is of interest. */
  addStatus(text: string): void {
    this.status?.remove();
    this.status = h("li", { class: "status" }, withLocations(text, this.context.open));
    this.rows.appendChild(this.status);
    this.updateTitle();
  }

  /** Words follow, and they are what is read: the rows are folded, unless the user has opened one of them. */
  fold(): void {
    if (this.steps > 1 && !this.isKept(this.key) && !this.rows.querySelector("details[open]")) this.element.open = false;
  }

  private isKept(key: string): boolean {
    return this.context.kept().open?.includes(key) === true;
  }

  private keep(open: boolean): void {
    const { key } = this;
    const others = (this.context.kept().open ?? []).filter((each) => each !== key && each !== `-${key}`);
    this.context.keep({ open: [...others, open ? key : `-${key}`] });
  }

  private updateTitle(): void {
    const count = this.steps === 1 ? "1 step" : `${this.steps} steps`;
    setText(this.title, this.steps === 0 ? "Status" : this.time > 0 ? `${count} · ${seconds(this.time)}` : count);
    this.element.classList.toggle("single", this.steps < 2);
  }
}

function stepRow(step: Step, context: ViewContext, key: string): HTMLElement {
  const result = step.result?.trim() ?? "";
  const first = result.split("\n", 1)[0] ?? "";
  const body = h("div", { class: "step-body" });
  const details = h("details", { class: "step" },
    h("summary", { title: step.call },
      icon("chevron"),
      icon("tool"),
      h("span", { class: "step-line" },
        h("code", { class: "step-call" }, step.call),
        first !== "" && h("span", { class: "step-result" }, h("span", { class: "hidden" }, " returned "), first)),
      step.snapshot === true && h("span", { class: "badge in-copy", title: "Ran in a snapshot, a copy of the process; your program is unchanged" }, icon("camera"), h("span", {}, "snapshot")),
      step.seconds !== undefined && h("span", { class: "step-time" }, seconds(step.seconds))),
    body);
  let filled = false;
  const fill = (): void => {
    if (!details.open || filled) return;
    filled = true;
    add(body, stepBody(step, result, context));
  };
  details.addEventListener("toggle", fill);
  keepOpen(context, details, key);
  fill();
  return h("li", {}, details);
}

function stepBody(step: Step, result: string, context: ViewContext): DocumentFragment {
  const body = document.createDocumentFragment();
  const call = h("pre", { class: "step-full", tabindex: 0, "aria-label": "Call" });
  call.appendChild(withLocations(step.call, context.open));
  body.appendChild(call);
  if (result === "") {
    body.appendChild(h("p", { class: "muted" }, "No result was reported."));
    return body;
  }
  const text = h("pre", { class: "step-full", tabindex: 0, "aria-label": "Result" });
  text.appendChild(withLocations(result, context.open));
  body.appendChild(text);
  return body;
}
