/** Starts the view: over the run that the page holds, or with a host that brings one. */

import { h } from "../view/dom";
import type { RunsView, RunView } from "../shared/runView";
import type { Abilities, RunHostMessage, RunViewMessage } from "../shared/runMessages";
import { RunApp } from "./app";
import { Gallery } from "./gallery";
import { pairOf } from "./pair";
import "./style.css";

declare function acquireVsCodeApi(): { postMessage: (message: RunViewMessage) => void };

/** Messages that come by the way, and leave a notice where it is. */
const QUIET = new Set<RunHostMessage["type"]>(["standing", "event", "edited", "cited"]);

class Root {
  private app: RunApp | undefined;
  private gallery: Gallery | undefined;
  private readonly notice = h("p", { class: "notice", role: "status", hidden: true });
  private readonly place = h("div", { class: "place-of-view" });

  constructor(root: HTMLElement, private readonly send: (message: RunViewMessage) => void) {
    root.append(this.notice, this.place);
    document.addEventListener("keydown", (event) => { if (!event.defaultPrevented) this.app?.press(event); });
  }

  receive(message: RunHostMessage): void {
    if (!QUIET.has(message.type)) this.tell(message.type === "busy" || message.type === "failed" ? message.words : "", message.type === "failed");
    switch (message.type) {
      case "run":
        if (this.app?.path === message.run.path) this.app.take(message.run, message.can);
        else this.begin(message.run, message.can);
        break;
      case "standing":
        this.app?.stand(message.standing, message.can);
        break;
      case "event":
        this.app?.learn(message.event);
        break;
      case "edited":
        this.app?.edited(message.index, message.name, message.value);
        break;
      case "cited":
        this.app?.cite(message.steps, message.words);
        break;
      case "both":
        this.both(message.both);
        break;
      case "gallery":
        if (!this.gallery) {
          this.gallery = new Gallery((action, paths) => { this.send({ type: "gallery", action, paths }); });
          this.place.replaceChildren(this.gallery.element);
        }
        this.gallery.show(message);
        break;
      case "busy":
      case "failed":
        break;
    }
  }

  private begin(run: RunView, can: Abilities): void {
    this.app = new RunApp(run, can, this.send);
    this.place.replaceChildren(this.app.element);
  }

  both(both: RunsView): void {
    this.place.replaceChildren(pairOf(both));
  }

  private tell(words: string, isBad: boolean): void {
    this.notice.textContent = words;
    this.notice.hidden = words === "";
    this.notice.classList.toggle("bad", isBad);
  }
}

const root = document.getElementById("app");
const given = document.getElementById("run")?.textContent;
if (root && given !== undefined) {
  const run = JSON.parse(given) as RunView | RunsView;
  const view = new Root(root, () => undefined);
  if ("runs" in run) view.both(run);
  else view.receive({ type: "run", run, can: {} });
} else if (root) {
  const host = acquireVsCodeApi();
  const view = new Root(root, (message) => { host.postMessage(message); });
  window.addEventListener("message", (event: MessageEvent<RunHostMessage>) => { view.receive(event.data); });
  host.postMessage({ type: "ready" });
}
