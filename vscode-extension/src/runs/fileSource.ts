/** A recorded run without a session: read whole, by `dap-ai run export --to view`. */

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import * as vscode from "vscode";
import type { RunView } from "../shared/runView";
import type { RunHostMessage, RunViewMessage } from "../shared/runMessages";
import { openChange, restore } from "./changes";
import type { Cli } from "./cli";
import type { Source } from "./panel";
import type { Scratch } from "./scratch";

export class FileSource implements Source {
  private view: RunView | undefined;

  constructor(private readonly run: string, private readonly cli: Cli, private readonly scratch: Scratch, private readonly debug: (step: number | undefined) => Promise<void>) {}

  dispose(): void {
    this.view = undefined;
  }

  async begin(post: (message: RunHostMessage) => void): Promise<void> {
    post({ type: "busy", words: "The run is read..." });
    this.view = JSON.parse(await this.cli.ask("export", this.run, "--to", "view")) as RunView;
    post({ type: "run", run: this.view, can: { debug: true, open: true } });
  }

  async receive(message: RunViewMessage): Promise<void> {
    if (!("index" in message) || !this.view) return;
    const event = this.view.events[message.index ?? 0];
    if (!event) return;
    if (message.type === "debug") await this.debug(event.step || undefined);
    else if (message.type === "openChange") await openChange(this.cli, this.scratch, this.run, event);
    else if (message.type === "restore") await restore(this.cli, this.scratch, this.run, event);
    else if (message.type === "openDocument") await this.document(event.index);
  }

  /** As the run has it, in an editor that saves nowhere into the run. */
  private async document(index: number): Promise<void> {
    const event = this.view?.events[index];
    if (!event) return;
    const content = event.kind === "call" ? JSON.stringify({ tool: event.tool, arguments: event.arguments ?? { command: event.text } }, undefined, 2) : event.text;
    const path = this.scratch.folder(`${String(index).padStart(3, "0")}-${event.kind}${event.kind === "call" ? ".json" : ".md"}`);
    mkdirSync(dirname(path), { recursive: true });
    await vscode.workspace.fs.writeFile(vscode.Uri.file(path), Buffer.from(content));
    await vscode.window.showTextDocument(vscode.Uri.file(path), { viewColumn: vscode.ViewColumn.One });
  }
}
