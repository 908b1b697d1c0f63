/** Starts the view. */

import type { HostMessage } from "../shared/messages";
import { App, type Host } from "./app";
import "./style.css";
import "./valuePath.css";

declare function acquireVsCodeApi(): Host;

const root = document.getElementById("app");
if (root) {
  const host = acquireVsCodeApi();
  const app = new App(root, host);
  window.addEventListener("message", (event: MessageEvent<HostMessage>) => {
    app.receive(event.data);
  });
  host.postMessage({ type: "ready" });
}
