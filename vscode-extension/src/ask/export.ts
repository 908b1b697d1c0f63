/** Takes an answer elsewhere: to the clipboard, to a file, or to an editor. */

import * as vscode from "vscode";

/** A file of the workspace by its path in there, with several folders by that folder's name first; another as it is. */
export function inWorkspace(file: string): string {
  return vscode.workspace.asRelativePath(file);
}

/** Copies Markdown. */
export async function copy(markdown: string): Promise<void> {
  await vscode.env.clipboard.writeText(markdown);
  vscode.window.setStatusBarMessage("Copied as Markdown.", 3000);
}

/** Writes Markdown to a file that the user names, and shows it. */
export async function keep(markdown: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog({
    title: "Export the conversation",
    filters: { Markdown: ["md"] },
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, "conversation.md") } : {}),
  });
  if (!uri) return;
  await vscode.workspace.fs.writeFile(uri, Buffer.from(markdown));
  await vscode.window.showTextDocument(uri);
}
