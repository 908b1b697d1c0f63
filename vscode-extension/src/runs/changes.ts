/** States of a recording's workspace in VS Code's own diff editors. The live workspace is read, and never written. */

import { readdir } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { ShownEvent } from "../shared/runView";
import type { Cli } from "./cli";
import type { Scratch } from "./scratch";

type Pair = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];
const MOST_FILES = 300;

/** The files of a commit, before and after it, side by side. */
export async function openChange(cli: Cli, scratch: Scratch, run: string, event: ShownEvent): Promise<void> {
  const short = (event.commit ?? "").slice(0, 10);
  const folder = scratch.folder(`change-${short}`);
  await cli.ask("restore", run, "--event", `${event.index}`, "--change", "-o", folder);
  const [before, after] = [join(folder, "before"), join(folder, "after")];
  const names = [...new Set([...(await filesIn(before)), ...(await filesIn(after))])].sort();
  await show(`Change ${short}`, names.map((name) => pairOf(name, join(before, name), join(after, name))));
}

/** The whole workspace as it was then, in a temporary folder; what differs from now beside it, where there is one. */
export async function restore(cli: Cli, scratch: Scratch, run: string, event: ShownEvent): Promise<void> {
  const folder = scratch.folder(`workspace-at-${event.index + 1}`);
  await cli.ask("restore", run, "--event", `${event.index}`, "-o", folder);
  const live = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const openIt = "Open the Folder";
  const compare = "Compare with This Workspace";
  const chosen = await vscode.window.showInformationMessage(
    `The workspace as it was is in ${folder}. Nothing of the live one was touched; the folder goes when this window closes.`,
    ...(live === undefined ? [openIt] : [compare, openIt]),
  );
  if (chosen === openIt) await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(folder), { forceNewWindow: true });
  if (chosen !== compare || live === undefined) return;
  const names = await filesIn(folder);
  const differing: string[] = [];
  for (const name of names) if (!(await isSame(join(folder, name), join(live, name)))) differing.push(name);
  if (differing.length === 0) void vscode.window.showInformationMessage("All files of that state are the same in this workspace.");
  else await show(`Then and now (${differing.length})`, differing.map((name) => pairOf(name, join(folder, name), join(live, name))));
}

function pairOf(name: string, before: string, after: string): Pair {
  const uri = (path: string): vscode.Uri | undefined => (existsSync(path) ? vscode.Uri.file(path) : undefined);
  return [vscode.Uri.file(name), uri(before), uri(after)];
}

async function show(title: string, pairs: Pair[]): Promise<void> {
  const [first] = pairs;
  if (pairs.length === 1 && first?.[1] && first[2]) await vscode.commands.executeCommand("vscode.diff", first[1], first[2], `${title}: ${first[0].path.slice(1)}`, { preview: true });
  else await vscode.commands.executeCommand("vscode.changes", title, pairs.slice(0, MOST_FILES));
}

async function filesIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name).slice(folder.length + 1)).sort();
}

async function isSame(one: string, other: string): Promise<boolean> {
  if (!existsSync(other)) return false;
  const [a, b] = await Promise.all([one, other].map((path) => vscode.workspace.fs.readFile(vscode.Uri.file(path))));
  return Buffer.compare(Buffer.from(a ?? []), Buffer.from(b ?? [])) === 0;
}
