/** The verdict in a few words at the end of the stopped line, with *Why* and *Fix* in its hover. */

import * as vscode from "vscode";
import type { SessionInfo } from "../shared/messages";
import type { AskEnded } from "../shared/protocol";
import { short } from "../shared/valuePath";

const MOST_CHARS = 90;

/** What stands at a line. */
export interface Told {
  session: SessionInfo;
  ended: AskEnded;
}

/** Draws it in every editor that shows the file. */
export class Ghost implements vscode.Disposable {
  private readonly type = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    after: { margin: "0 0 0 3ch", color: new vscode.ThemeColor("editorCodeLens.foreground"), fontStyle: "italic" },
  });

  dispose(): void {
    this.type.dispose();
  }

  /** Draws all that is told, and nothing else. */
  show(all: readonly Told[]): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const here = all.filter(({ session }) => isSame(session.stop?.file, editor.document.uri));
      editor.setDecorations(this.type, here.flatMap((told) => optionsOf(told, editor.document)));
    }
  }
}

function optionsOf({ session, ended }: Told, document: vscode.TextDocument): vscode.DecorationOptions[] {
  const line = session.stop?.line ?? 0;
  const text = wordsOf(ended);
  if (line < 1 || line > document.lineCount || text === "") return [];
  const { end } = document.lineAt(line - 1).range;
  return [{ range: new vscode.Range(end, end), hoverMessage: hoverOf(session, ended), renderOptions: { after: { contentText: text } } }];
}

/** As a person reads it: without the marks of code. */
export function wordsOf({ gist = "" }: AskEnded): string {
  return short(gist.replace(/`/g, "").replace(/\s+/g, " ").trim(), MOST_CHARS);
}

/** What can be done about it. Text of the program is never markup. */
function hoverOf(session: SessionInfo, ended: AskEnded): vscode.MarkdownString {
  const hover = new vscode.MarkdownString("", true);
  hover.isTrusted = { enabledCommands: ["dapAi.why", "dapAi.fixAtLine"] };
  hover.appendText((ended.gist ?? "").replace(/`/g, ""));
  const fix = ended.fixes.some(({ verified }) => verified) ? ` · ${linkTo("dapAi.fixAtLine", "$(wrench) Fix", "A fix with which the program ends well in a snapshot", session.id)}` : "";
  hover.appendMarkdown(`\n\n${linkTo("dapAi.why", "$(lightbulb) Why", "The whole answer", session.id)}${fix}`);
  return hover;
}

/** The arguments as a row of the call stack has them. */
function linkTo(command: string, title: string, tooltip: string, sessionId: string): string {
  return `[${title}](command:${command}?${encodeURIComponent(JSON.stringify([null, { sessionId }]))} "${tooltip}")`;
}

function isSame(file: string | undefined, uri: vscode.Uri): boolean {
  if (file === undefined || uri.scheme !== "file") return false;
  return process.platform === "win32" ? file.toLowerCase() === uri.fsPath.toLowerCase() : file === uri.fsPath;
}
