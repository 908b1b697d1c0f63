/** Why an answer is not an ordinary one, and what to do. */

import type { AskEnded } from "../shared/protocol";
import type { ViewContext } from "./context";
import { h, type Child } from "./dom";
import { icon, type IconName } from "./icons";
import { withLocations } from "./tokens";

/** What stands between an answer and its findings. */
export function endBanners(context: ViewContext, turnId: string, ended: AskEnded): HTMLElement[] {
  const banners: HTMLElement[] = [];
  if (ended.reason === "cancelled") {
    banners.push(banner("info", "stop", ended.answer.trim() ? "Stopped. This is what was known by then." : "Stopped before anything was known.", [again(context, turnId), start(context)]));
  } else if (ended.reason === "limit") {
    banners.push(banner("warning", "clock", "A budget ended this answer: it may be incomplete. Ask a narrower question, or raise the budget in the settings.", [again(context, turnId), start(context)]));
  } else if (ended.reason === "notStopped") {
    banners.push(banner("warning", "play", "The program continued before anything was read. Ask again at its next stop.", [again(context, turnId), start(context)]));
  } else if (ended.reason === "failed") {
    banners.push(errorBanner(context, turnId, ended.error || "The answer could not be made. The dap-ai output channel says more.", ended.trouble));
  }
  if (ended.stale && ended.reason !== "notStopped") {
    banners.push(banner("warning", "clock", "The program went on meanwhile: this speaks of a stop that is over.", []));
  }
  return banners;
}

/** A question that failed: why, and what can be done. */
export function errorBanner(context: ViewContext, turnId: string, error: string, trouble?: AskEnded["trouble"]): HTMLElement {
  const buttons = [again(context, turnId), start(context)];
  if (trouble === "key") {
    buttons.unshift(h("button", {
      class: "button primary",
      onClick: () => {
        context.post({ type: "setKey" });
      },
    }, "Set the key"));
  }
  if (context.state.answerer?.kind !== "offline") {
    buttons.push(h("button", {
      class: "button secondary for-session",
      onClick: () => {
        context.post({ type: "chooseAnswerer" });
      },
    }, "Choose who answers"));
  }
  const text = h("span", {});
  text.appendChild(withLocations(error, context.open));
  return banner("error", "error", text, buttons);
}

/** The answer without its first paragraph where that is the error, which the banner shows. */
export function withoutError({ answer, error }: AskEnded): string {
  const [head = "", ...rest] = answer.split("\n\n");
  const isError = error !== "" && plain(head).includes(plain(error));
  return isError ? rest.join("\n\n") : answer;
}

function plain(text: string): string {
  return text.replace(/[`*\s]+/g, " ").trim();
}

function banner(kind: string, name: IconName, text: Child, buttons: HTMLElement[]): HTMLElement {
  return h("div", { class: `banner ${kind}` }, icon(name),
    h("div", { class: "banner-body" }, h("p", {}, text), buttons.length > 0 && h("div", { class: "buttons" }, ...buttons)));
}

/** Without any session nothing can be asked again: the style shows this instead. */
function start(context: ViewContext): HTMLElement {
  return h("button", {
    class: "button primary for-none",
    onClick: () => {
      context.post({ type: "command", command: "start" });
    },
  }, "Start debugging");
}

function again(context: ViewContext, turnId: string): HTMLElement {
  return h("button", {
    class: "button secondary for-session",
    onClick: () => {
      context.post({ type: "retry", turnId });
    },
  }, "Ask again");
}
