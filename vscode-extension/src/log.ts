/** The output channel `dap-ai`: what the extension does, and what the proxies write to stderr. */

import * as vscode from "vscode";

let channel: vscode.LogOutputChannel | undefined;

/** The output channel, made at its first use. */
export function log(): vscode.LogOutputChannel {
  channel ??= vscode.window.createOutputChannel("dap-ai", { log: true });
  return channel;
}

/** Closes the channel; `context.subscriptions` calls it. */
export function disposeLog(): void {
  channel?.dispose();
  channel = undefined;
}

/** An error's text for a person. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
