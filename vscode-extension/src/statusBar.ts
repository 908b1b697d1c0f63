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
}

/** The item; a click opens the menu. */
export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private status: Status = {};

  constructor() {
    this.item = vscode.window.createStatusBarItem("dapAi.status", vscode.StatusBarAlignment.Right, 90);
    this.item.name = "dap-ai";
    this.item.command = "dapAi.menu";
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
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: tooltip.replaceAll("\n", " "), role: "button" };
    this.item.backgroundColor = isWarning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  }
}

/** What a status looks like. */
export function shown({ version, isMissing, answerer, asking }: Status): {
  text: string;
  tooltip: string;
  isWarning: boolean;
} {
  if (isMissing) {
    return { text: "$(warning) dap-ai", tooltip: "dap-ai is not installed. Click for what to do.", isWarning: true };
  }
  const who = answerer ? `: ${answerer.name}` : "";
  const lines = [
    asking ? "dap-ai is answering" : `dap-ai${version === undefined ? "" : ` ${version} is ready`}`,
    ...(answerer ? [`${answerer.name}. ${answerer.leaves}`] : []),
  ];
  const icon = asking ? "$(loading~spin)" : "$(comment-discussion)";
  return { text: `${icon} dap-ai${who}`, tooltip: lines.join("\n"), isWarning: false };
}
