/** What the view says while there is no conversation: what to do next. */

import type { SessionInfo } from "../shared/messages";
import type { ViewContext } from "./context";
import { h, type Child } from "./dom";
import { spotOf } from "./header";
import { icon, type IconName } from "./icons";
import { withLocations } from "./tokens";
import { WHY_CAUGHT } from "../shared/messages";
import { DEFAULT_QUESTION } from "./turn";

/** The state of the view without turns. */
export function emptyState(context: ViewContext, session: SessionInfo | undefined): HTMLElement {
  if (!session) return noSession(context);
  return session.stop ? stopped(context, session) : running(context, session);
}

/** Questions that help where the program stands. */
export function suggestions(session: SessionInfo): string[] {
  const exception = /exception|error|signal|abort|panic|fault/i.test(session.stop?.reason ?? "");
  return exception
    ? ["How do I fix it?", "Where does the wrong value come from?", "Which of my assumptions is wrong?"]
    : ["What happens next from here?", "Where do these values come from?", "Is anything here wrong?"];
}

function noSession(context: ViewContext): HTMLElement {
  return page("bug", "Nothing is being debugged", [
    h("p", {}, "Start debugging with dap-ai. When your program stops, ask here why."),
    h("button", { class: "button primary wide", onClick: () => { context.post({ type: "command", command: "start" }); } }, icon("play"), h("span", {}, "Start debugging")),
    h("p", { class: "muted small" }, "In the debug console, ", h("code", {}, "??"), " asks the same."),
  ]);
}

function running(context: ViewContext, { caught }: SessionInfo): HTMLElement {
  const pause = h("button", { class: "button secondary wide pause-and-ask", onClick: () => { context.post({ type: "pauseAndAsk" }); } }, icon("pause"), h("span", {}, "Pause and ask"));
  if (!caught) return page("play", "The program runs", [h("p", {}, "Ask when it has stopped. If it hangs:"), pause]);
  const place = h("p", { class: "empty-spot" });
  place.append(withLocations(`${caught.type} at ${context.short(caught.file)}:${caught.line}`, () => { context.open(caught.file, caught.line); }));
  return page("play", "An error was caught", [
    place,
    h("p", {}, "The program went on: no values can be read."),
    h("button", { class: "button primary wide ask-caught", onClick: () => { context.post({ type: "ask", question: WHY_CAUGHT }); } }, h("span", {}, WHY_CAUGHT)),
    pause,
  ]);
}

function stopped(context: ViewContext, session: SessionInfo): HTMLElement {
  const ask = (question: string) => (): void => {
    context.post({ type: "ask", question });
  };
  const spot = spotOf(session, (file) => context.short(file));
  const place = h("p", { class: "empty-spot" });
  if (spot !== undefined) place.append(withLocations(spot, () => {
    const { file, line } = session.stop ?? {};
    if (file !== undefined && line !== undefined) context.open(file, line);
  }));
  return page("sparkle", "Your program has stopped", [
    spot !== undefined && place,
    h("button", { class: "button primary wide ask-why", onClick: ask("") }, h("span", {}, DEFAULT_QUESTION)),
    h("h3", { class: "suggest-title" }, "Or ask"),
    h("ul", { class: "suggestions" }, ...suggestions(session).map((each) => h("li", {}, h("button", { class: "suggestion", onClick: ask(each) }, each)))),
  ]);
}

function page(name: IconName, title: string, children: Child[]): HTMLElement {
  return h("section", { class: "empty", "aria-labelledby": "empty-title" }, h("div", { class: "empty-icon" }, icon(name)), h("h2", { id: "empty-title" }, title), ...children);
}
