/** Takes an answer elsewhere: to the clipboard, to a file, or to an editor. */

import * as vscode from "vscode";

/** Copies Markdown. */
export async function copy(markdown: string): Promise<void> {
  await vscode.env.clipboard.writeText(markdown);
  vscode.window.setStatusBarMessage("Copied as Markdown.", 3000);
}

/** Opens Markdown in an editor without a file: the user saves it where it belongs. */
export async function keep(markdown: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content: markdown });
  await vscode.window.showTextDocument(document);
}
