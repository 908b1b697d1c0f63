/** An editor tab with the view of a run. It shows what its source brings. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { log, textOf } from "../log";
import type { RunHostMessage, RunViewMessage } from "../shared/runMessages";
import { runHtml } from "./runHtml";

/** Where what is shown comes from. */
export interface Source extends vscode.Disposable {
  /** The view is there, for the first time or anew: it is brought everything. */
  begin(post: (message: RunHostMessage) => void): Promise<void>;
  /** What the user did. Rejects with words for the user. */
  receive(message: RunViewMessage): Promise<void>;
  /** It is in sight, or not any more. */
  seen?(isVisible: boolean): void;
}

const TYPE = "dapAi.run";

export class RunPanel implements vscode.Disposable {
  private readonly panel: vscode.WebviewPanel;
  private readonly ended = new vscode.EventEmitter<undefined>();
  readonly onDidEnd = this.ended.event;
  private isOver = false;

  /** `column`: where it is shown. */
  constructor(extensionUri: vscode.Uri, title: string, column: vscode.ViewColumn, private readonly source: Source) {
    const dist = vscode.Uri.joinPath(extensionUri, "dist");
    // What was unfolded and found would be lost each time that another tab is looked at.
    this.panel = vscode.window.createWebviewPanel(TYPE, title, { viewColumn: column, preserveFocus: true }, { enableScripts: true, localResourceRoots: [dist], retainContextWhenHidden: true });
    const { webview } = this.panel;
    webview.onDidReceiveMessage((message: RunViewMessage) => { void this.receive(message); });
    this.panel.onDidChangeViewState(() => this.source.seen?.(this.panel.visible));
    this.panel.onDidDispose(() => {
      this.isOver = true;
      this.source.dispose();
      this.ended.fire(undefined);
      this.ended.dispose();
    });
    const uri = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    webview.html = runHtml({ nonce: randomBytes(16).toString("base64"), scriptUri: uri("page.js"), styleUri: uri("page.css") });
  }

  /** Where the user has it; undefined: not in sight. */
  get column(): vscode.ViewColumn | undefined {
    return this.panel.viewColumn;
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
  }

  dispose(): void {
    this.panel.dispose();
  }

  private async receive(message: RunViewMessage): Promise<void> {
    try {
      if (message.type === "ready") await this.source.begin((each) => { this.post(each); });
      else await this.source.receive(message);
    } catch (error) {
      log().info(`the view of a run: ${textOf(error)}`);
      this.post({ type: "failed", words: textOf(error) });
    }
  }

  private post(message: RunHostMessage): void {
    if (!this.isOver) void this.panel.webview.postMessage(message);
  }
}
