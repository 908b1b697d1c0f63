/** Fixes of an answer: shown as a diff, applied, and taken back. */

import * as path from "node:path";
import * as vscode from "vscode";
import { resolveFile } from "./links";
import { applyPatch, difference, parsePatch, PatchError, reversed, type FilePatch } from "./patch";
import type { Fix } from "../shared/protocol";

/** Of the documents that show a file with a fix in it. */
export const FIX_SCHEME = "dap-ai-fix";

/** A fix and where it comes from. */
export interface FixOfTurn {
  /** Names it among all turns. */
  key: string;
  fix: Fix;
  /** Also by an earlier window of VS Code. */
  isApplied: boolean;
  session?: vscode.DebugSession;
}

/** One file, before and after. */
interface Change {
  uri: vscode.Uri;
  before: string;
  after: string;
}

/** Previews, applies and takes back fixes. Whatever cannot be done is thrown with words for a person. */
export class Fixes implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly applied = new Map<string, Change[]>();
  private readonly previews = new Map<string, string>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor() {
    this.subscriptions = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(FIX_SCHEME, this),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.scheme === FIX_SCHEME) this.previews.delete(document.uri.toString());
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.applied.clear();
    this.previews.clear();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.previews.get(uri.toString()) ?? "";
  }

  /**
   * Shows the file beside itself with the fix in it; after it was applied, what it was before beside what it is. Both
   * sides are texts of our own: in the file itself VS Code draws the stopped line and the exception over the change.
   */
  async preview(fix: FixOfTurn): Promise<void> {
    const done = await this.done(fix);
    for (const change of done ?? (await changesOf(fix))) {
      const name = path.basename(change.uri.fsPath);
      const left = this.made(fix.key, "before", change.uri, change.before);
      const right = this.made(fix.key, "after", change.uri, change.after);
      const title = done ? `${name}: before the fix ↔ now` : `${name}: now ↔ with the fix`;
      await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: true, viewColumn: columnOf(change.uri) });
    }
  }

  private made(key: string, side: "before" | "after", file: vscode.Uri, text: string): vscode.Uri {
    const uri = file.with({ scheme: FIX_SCHEME, query: `${key}#${side}` });
    this.previews.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }

  /**
   * Puts the fix into its files. A file that had no unsaved changes is saved, so that the next run has it; the preview
   * has shown what there was to see, and closes.
   */
  async apply(fix: FixOfTurn): Promise<void> {
    if (this.applied.has(fix.key)) throw new PatchError("This fix is applied already.");
    const changes = await changesOf(fix);
    await replace(changes.map(({ uri, before, after }) => ({ uri, from: before, to: after })));
    this.applied.set(fix.key, changes);
    await closePreview(fix.key);
  }

  /** Takes it out again, if nothing else has changed in its files since. */
  async undo(fix: FixOfTurn): Promise<void> {
    const changes = await this.done(fix);
    if (!changes) throw new PatchError("This fix is not applied.");
    for (const { uri, after } of changes) {
      const document = await vscode.workspace.openTextDocument(uri);
      if (document.getText() === after) continue;
      const name = path.basename(uri.fsPath);
      throw new PatchError(`${name} was edited after the fix. Take it back by hand: the preview shows what it was.`);
    }
    await replace(changes.map(({ uri, before, after }) => ({ uri, from: after, to: before })));
    this.applied.delete(fix.key);
  }

  /** What it has changed; undefined, where it is not applied. */
  private async done(fix: FixOfTurn): Promise<Change[] | undefined> {
    const known = this.applied.get(fix.key);
    if (known || !fix.isApplied) return known;
    const changes = (await changesOf(fix, reversed)).map(({ uri, before, after }) => ({ uri, before: after, after: before }));
    this.applied.set(fix.key, changes);
    return changes;
  }
}

async function closePreview(key: string): Promise<void> {
  const isOurs = ({ scheme, query }: vscode.Uri): boolean => scheme === FIX_SCHEME && query.startsWith(`${key}#`);
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const ours = tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff && isOurs(input.modified));
  if (ours.length > 0) await vscode.window.tabGroups.close(ours, true);
}

/** Where the file itself is, or else code: not the narrow column of the answers. */
function columnOf(uri: vscode.Uri): vscode.ViewColumn {
  const editors = vscode.window.visibleTextEditors.filter((editor) => editor.viewColumn !== undefined);
  const editor = editors.find((each) => each.document.uri.toString() === uri.toString()) ?? editors[0];
  return editor?.viewColumn ?? vscode.ViewColumn.One;
}

async function changesOf({ fix, session }: FixOfTurn, turned = (patch: FilePatch): FilePatch => patch): Promise<Change[]> {
  const patches = parsePatch(fix.diff).map(turned);
  const changes: Change[] = [];
  for (const patch of patches) {
    // The headers may be shortened; `file` names the first in full.
    const names = [...(patches.length === 1 ? [fix.file] : []), patch.file, fix.file.endsWith(patch.file) ? fix.file : ""];
    const uri = await firstThatIs(names, session);
    if (!uri) throw new PatchError(`There is no ${patch.file || fix.file} in this workspace.`);
    const document = await vscode.workspace.openTextDocument(uri);
    const before = document.getText();
    changes.push({ uri, before, after: applyPatch(before, patch) });
  }
  return changes;
}

async function firstThatIs(names: string[], session?: vscode.DebugSession): Promise<vscode.Uri | undefined> {
  for (const name of names) {
    const uri = name === "" ? undefined : await resolveFile(name, session);
    if (uri) return uri;
  }
  return undefined;
}

async function replace(changes: { uri: vscode.Uri; from: string; to: string }[]): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const saved: vscode.TextDocument[] = [];
  for (const { uri, from, to } of changes) {
    const document = await vscode.workspace.openTextDocument(uri);
    const { start, end, text } = difference(from, to);
    edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
    if (!document.isDirty) saved.push(document);
  }
  if (!(await vscode.workspace.applyEdit(edit))) throw new PatchError("VS Code did not take the change: is the file read-only?");
  for (const document of saved) {
    if (!(await document.save())) throw new PatchError(`${path.basename(document.uri.fsPath)} is changed, but could not be saved.`);
  }
}
