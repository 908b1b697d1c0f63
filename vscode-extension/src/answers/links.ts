/** Follows the links of an answer: to a line, to a frame of the call stack. */

import * as path from "node:path";
import * as vscode from "vscode";
import { log, textOf } from "../log";
import type { Sessions } from "../sessions/sessions";

/** How long a revealed line stays marked. */
const MARKED_MS = 2000;
/** How long VS Code may take to go one frame up or down; it tells when it has. */
const STEP_MS = 1000;
const MOST_FRAMES = 200;
/** Of one name, to choose from. */
const MOST_FILES = 20;

let mark: vscode.TextEditorDecorationType | undefined;

/** The file that a text of an answer names, if there is just one here. */
export async function resolveFile(file: string, session?: vscode.DebugSession): Promise<vscode.Uri | undefined> {
  const found = await filesNamed(file, session);
  return found.length === 1 ? found[0] : undefined;
}

async function filesNamed(file: string, session?: vscode.DebugSession): Promise<vscode.Uri[]> {
  for (const candidate of candidates(file, session)) {
    const uri = vscode.Uri.file(candidate);
    if (await exists(uri)) return [uri];
  }
  if (isAbsolute(file)) return [];
  // The end of a path is enough, where only one file has it.
  const pattern = `**/${path.posix.normalize(file.replace(/\\/g, "/")).replace(/[[\]{}*?]/g, "[$&]")}`;
  return vscode.workspace.findFiles(pattern, undefined, MOST_FILES);
}

/** One of the files that a text names; where there are several, the user says which. Undefined: the user was told. */
async function chosenFile(file: string, session?: vscode.DebugSession): Promise<vscode.Uri | undefined> {
  const found = await filesNamed(file, session);
  if (found.length === 0) {
    const where = isAbsolute(file) ? "on this machine" : "in this workspace";
    void vscode.window.showWarningMessage(`There is no ${file} ${where}.`);
  }
  if (found.length < 2) return found[0];
  const items = found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  return (await vscode.window.showQuickPick(items, { placeHolder: `Which ${file}?` }))?.uri;
}

/** Shows a line of a file and marks it for a moment. Lines are from 1. `preserveFocus`: who types goes on where he is. */
export async function openLocation(file: string, line: number, session?: vscode.DebugSession, preserveFocus = false): Promise<boolean> {
  const uri = await chosenFile(file, session);
  if (!uri) return false;
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const at = document.lineAt(Math.min(Math.max(line, 1), document.lineCount) - 1);
    const start = new vscode.Position(at.lineNumber, at.firstNonWhitespaceCharacterIndex);
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: columnForCode(),
      preserveFocus,
      selection: new vscode.Range(start, start),
    });
    editor.revealRange(at.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    markLine(editor, at.range);
    return true;
  } catch (error) {
    void vscode.window.showWarningMessage(`${path.basename(file)} cannot be shown: ${textOf(error)}`);
    return false;
  }
}

/**
 * Selects a frame, so that Variables, Watch and the debug console are about it. VS Code has no call for that: its own
 * commands go from frame to frame, and `activeStackItem` says where they have come to. False: it is not in the call
 * stack of the thread that is selected.
 */
export async function selectFrame(sessions: Sessions, sessionId: string, frameId: number): Promise<boolean> {
  const stop = sessions.get(sessionId)?.stop;
  if (stop === undefined) return false;
  if (isSelected(sessionId, frameId)) return true;
  const item = vscode.debug.activeStackItem;
  if (item?.session.id !== sessionId) return false;
  const isTop = "frameId" in item && stop.frames.get(item.threadId)?.[0] === item.frameId;
  // VS Code says nothing of a step that leads nowhere: it would be waited for.
  if (!isTop) await step("workbench.action.debug.callStackTop");
  const first = frameOf(vscode.debug.activeStackItem);
  for (let steps = 0; steps < MOST_FRAMES; steps += 1) {
    if (isSelected(sessionId, frameId)) return true;
    const moved = await step("workbench.action.debug.callStackDown");
    // Below the outermost frame comes the innermost again.
    if (!moved || frameOf(vscode.debug.activeStackItem) === first) return isSelected(sessionId, frameId);
  }
  return false;
}

/** Shows the Variables view, where the values of the selected frame are. */
export async function showVariables(): Promise<void> {
  try {
    await vscode.commands.executeCommand("workbench.debug.action.focusVariablesView");
  } catch (error) {
    log().debug(`the Variables view: ${textOf(error)}`);
  }
}

function isSelected(sessionId: string, frameId: number): boolean {
  const item = vscode.debug.activeStackItem;
  return item?.session.id === sessionId && frameOf(item) === frameId;
}

/** The id of the frame, if it is one that is selected. */
export function frameOf(item: typeof vscode.debug.activeStackItem): number | undefined {
  return item && "frameId" in item ? item.frameId : undefined;
}

/** Of any system: what an answer names may be on another one. */
function isAbsolute(file: string): boolean {
  return path.isAbsolute(file) || path.win32.isAbsolute(file);
}

/** Runs one of VS Code's commands that select frames; whether another frame is selected afterwards. */
export async function step(command: string): Promise<boolean> {
  const before = frameOf(vscode.debug.activeStackItem);
  const moved = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => {
      done(false);
    }, STEP_MS);
    const subscription = vscode.debug.onDidChangeActiveStackItem((item) => {
      if (frameOf(item) !== before) done(true);
    });
    const done = (result: boolean): void => {
      clearTimeout(timer);
      subscription.dispose();
      resolve(result);
    };
  });
  await vscode.commands.executeCommand(command);
  return moved;
}

function candidates(file: string, session?: vscode.DebugSession): string[] {
  if (path.isAbsolute(file)) return [file];
  const { cwd, program } = session?.configuration ?? ({} as Record<string, unknown>);
  const folders = [...(vscode.workspace.workspaceFolders ?? [])].map((folder) => folder.uri.fsPath);
  if (typeof cwd === "string" && path.isAbsolute(cwd)) folders.unshift(cwd);
  if (typeof program === "string" && path.isAbsolute(program)) folders.push(path.dirname(program));
  return folders.map((folder) => path.join(folder, file));
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type !== vscode.FileType.Directory;
  } catch {
    return false;
  }
}

/** Where code is shown: never over an answer in an editor tab. */
function columnForCode(): vscode.ViewColumn {
  const active = vscode.window.tabGroups.activeTabGroup;
  if (!(active.activeTab?.input instanceof vscode.TabInputWebview)) return vscode.ViewColumn.Active;
  const other = vscode.window.visibleTextEditors.find((editor) => editor.viewColumn !== undefined)?.viewColumn;
  return other ?? vscode.ViewColumn.Beside;
}

function markLine(editor: vscode.TextEditor, range: vscode.Range): void {
  mark?.dispose();
  const made = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    borderColor: new vscode.ThemeColor("editor.rangeHighlightBorder"),
  });
  mark = made;
  editor.setDecorations(made, [range]);
  setTimeout(() => {
    made.dispose();
    if (mark === made) mark = undefined;
  }, MARKED_MS).unref();
}
