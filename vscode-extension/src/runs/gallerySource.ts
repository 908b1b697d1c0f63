/** The runs of a folder, or of dap_ai's store. Only what is in the store is renamed or deleted. */

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";
import { textOf } from "../log";
import type { GalleryAction, GalleryRow, RunHostMessage, RunViewMessage } from "../shared/runMessages";
import type { Cli } from "./cli";
import type { Source } from "./panel";

export interface GalleryActions {
  show(path: string): Promise<void>;
  debug(path: string): Promise<void>;
  compare(one: string, other: string): void;
  record(): Promise<void>;
}

const EVERY_MS = 300;
const FORMATS: [string, string, string][] = [
  ["html", "A page to read or hand on, secrets masked", "html"], ["markdown", "For an issue or a report, secrets masked", "md"], ["json", "All that dap-ai knows, to be read back", "json"],
  ["atif", "Agent Trajectory Interchange Format", "json"], ["otel", "OpenTelemetry spans", "json"],
];

export class GallerySource implements Source {
  private post: ((message: RunHostMessage) => void) | undefined;
  private place = "";
  private store = "";
  private rows: GalleryRow[] = [];
  private cancel = (): void => undefined;

  constructor(private readonly cli: Cli, private readonly actions: GalleryActions) {}

  dispose(): void {
    this.cancel();
  }

  async begin(post: (message: RunHostMessage) => void): Promise<void> {
    this.post = post;
    const store = (await this.cli.ask("recordings")).trim();
    this.store = existsSync(store) ? realpathSync(store) : store; // as it is listed
    await this.list(this.place || this.store);
  }

  async receive(message: RunViewMessage): Promise<void> {
    if (message.type !== "gallery") return;
    const [path = "", other = ""] = message.paths;
    const isShown = message.paths.every((each) => this.rows.some((row) => row.path === each));
    if (isShown) await this.act(message.action, path, other);
  }

  private async act(action: GalleryAction, path: string, other: string): Promise<void> {
    const { actions } = this;
    const does: Record<GalleryAction, () => unknown> = {
      show: () => actions.show(path),
      debug: () => actions.debug(path),
      compare: () => { actions.compare(path, other); },
      record: () => actions.record(),
      export: () => this.export(path),
      rename: () => this.rename(path),
      delete: () => this.delete(path),
      import: () => this.import(),
      store: () => this.list(this.store),
      refresh: () => this.list(this.place),
      chooseFolder: async () => {
        const picked = await vscode.window.showOpenDialog({ title: "Runs of a folder", canSelectFolders: true, canSelectFiles: false, openLabel: "Show" });
        if (picked?.[0]) await this.list(picked[0].fsPath);
      },
    };
    await does[action]();
  }

  /** A row after the other, as they are found. */
  private async list(place: string): Promise<void> {
    this.cancel();
    this.place = place;
    this.rows = [];
    const isStore = place === this.store;
    let last = 0;
    const tell = (isWhole: boolean): void => {
      if (!isWhole && Date.now() - last < EVERY_MS) return;
      last = Date.now();
      if (this.place === place) this.post?.({ type: "gallery", place, isStore, rows: this.rows, isWhole });
    };
    if (!existsSync(place)) {
      tell(true);
      return;
    }
    tell(false);
    const rows = this.rows;
    const { done, cancel } = await this.cli.lines(["list", place, "--json"], (line) => {
      rows.push(JSON.parse(line) as GalleryRow);
      tell(false);
    });
    this.cancel = cancel;
    await done;
    if (isStore) rows.sort((a, b) => b.path.localeCompare(a.path)); // named by their time: the newest first
    tell(true);
  }

  private async export(path: string): Promise<void> {
    const chosen = await vscode.window.showQuickPick(FORMATS.map(([label, description, ending]) => ({ label, description, ending })), { title: `Export ${basename(path)}` });
    if (!chosen) return;
    const target = await vscode.window.showSaveDialog({ title: `Export ${basename(path)}`, defaultUri: vscode.Uri.file(join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? dirname(path), `${basename(path)}.${chosen.ending}`)) });
    if (!target) return;
    await this.cli.ask("export", path, "--to", chosen.label, "-o", target.fsPath);
    const open = "Open";
    if ((await vscode.window.showInformationMessage(`Exported to ${target.fsPath}`, open)) === open) await (chosen.ending === "html" ? vscode.env.openExternal(target) : vscode.window.showTextDocument(target));
  }

  /** A copy of a run, in the store. */
  private async import(): Promise<void> {
    const picked = await vscode.window.showOpenDialog({ title: "Import a run", canSelectFiles: true, canSelectFolders: true, openLabel: "Import" });
    if (!picked?.[0]) return;
    const target = this.free(basename(picked[0].fsPath));
    await this.cli.ask("show", picked[0].fsPath, "--json"); // rejects what is no run
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(this.store));
    await vscode.workspace.fs.copy(picked[0], vscode.Uri.file(target));
    await this.list(this.store);
  }

  private async rename(path: string): Promise<void> {
    if (!this.isOwn(path)) return;
    const name = await vscode.window.showInputBox({
      title: `Rename ${basename(path)}`, value: basename(path),
      validateInput: (text) => (!/^[^/\\\0]+$/.test(text) || text.startsWith(".") ? "A name of a file, without a slash." : text !== basename(path) && existsSync(join(this.store, text)) ? "There is one of this name." : undefined),
    });
    if (name === undefined || name === basename(path)) return;
    await vscode.workspace.fs.rename(vscode.Uri.file(path), vscode.Uri.file(join(this.store, name)));
    await this.list(this.store);
  }

  private async delete(path: string): Promise<void> {
    if (!this.isOwn(path)) return;
    const yes = "Move to Trash";
    if ((await vscode.window.showWarningMessage(`Delete the recording ${basename(path)}?`, { modal: true, detail: "It is moved to the trash where there is one." }, yes)) !== yes) return;
    const uri = vscode.Uri.file(path);
    try {
      await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: true });
    } catch (error) {
      const forGood = "Delete for Good";
      if ((await vscode.window.showWarningMessage(`There is no trash here: ${textOf(error)}`, { modal: true }, forGood)) !== forGood) return;
      await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: false });
    }
    await this.list(this.store);
  }

  /** Directly in the store, and nowhere else. */
  private isOwn(path: string): boolean {
    return this.store !== "" && dirname(path) === this.store;
  }

  private free(name: string): string {
    for (let number = 1; ; number++) {
      const path = join(this.store, number === 1 ? name : `${name}-${number}`);
      if (!existsSync(path)) return path;
    }
  }
}
