/** The status-bar item: whether dap-ai is ready, who answers, whether it is asked just now. */

import * as vscode from "vscode";
import type { Answerer } from "./shared/messages";

/** What the item shows. */
export interface Status {
  /** The version that was found; undefined: none was, or nobody has looked yet. */
  version?: string | undefined;
  /** It was looked for in vain. */
  isMissing?: boolean;
  answerer?: Answerer | undefined;
  /** How many questions are being answered. */
  asking?: number;
  /** The session of another debug adapter, in the foreground, that stands at a failure. */
  elsewhere?: string | undefined;
}

/** The item; a click opens the menu. */
export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private status: Status = {};

  constructor() {
    this.item = vscode.window.createStatusBarItem("dapAi.status", vscode.StatusBarAlignment.Right, 90);
    this.item.name = "dap-ai";
    this.update({});
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }

  /** Changes what is given and keeps the rest. */
  update(changes: Status): void {
    this.status = { ...this.status, ...changes };
    const { text, tooltip, isWarning } = shown(this.status);
    const { elsewhere } = this.status;
    this.item.command = elsewhere === undefined ? "dapAi.menu" : { title: text, command: "dapAi.takeOver", arguments: [elsewhere] };
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: tooltip.replaceAll("\n", " "), role: "button" };
    this.item.backgroundColor = isWarning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  }
}

/** What a status looks like. */
export function shown({ version, isMissing, answerer, asking, elsewhere }: Status): {
  text: string;
  tooltip: string;
  isWarning: boolean;
} {
  if (isMissing) {
    return { text: "$(warning) dap-ai", tooltip: "dap-ai is not installed. Click for what to do.", isWarning: true };
  }
  if (elsewhere !== undefined) {
    const tooltip = "This program was started without dap-ai. Click to start it again with dap-ai and ask why it fails.";
    return { text: "$(debug-restart) Restart with dap-ai to ask why", tooltip, isWarning: false };
  }
  const who = answerer ? `: ${answerer.name}` : "";
  const lines = [
    asking ? "dap-ai is answering" : `dap-ai${version === undefined ? "" : ` ${version} is ready`}`,
    ...(answerer ? [`${answerer.name}. ${answerer.leaves}`] : []),
  ];
  const icon = asking ? "$(loading~spin)" : "$(comment-discussion)";
  return { text: `${icon} dap-ai${who}`, tooltip: lines.join("\n"), isWarning: false };
}
