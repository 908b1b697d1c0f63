/** The list of earlier conversations: VS Code's own, which can be searched. */

import * as vscode from "vscode";
import type { Talk } from "./conversations";

const DEFAULT_QUESTION = "Why did it stop here?";

/** The id of the one that the user chooses. */
export async function chooseConversation(talks: readonly Talk[]): Promise<string | undefined> {
  const items = talks.map((talk) => ({ ...row(talk), id: talk.id }));
  const options = { title: "Earlier conversations", placeHolder: "Search by question, cause, place or time", matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.id;
}

/** What was asked first; why and where the program stood; when, and in which session. */
export function row({ turns, sessionName }: Talk): { label: string; description: string; detail: string } {
  const [first] = turns;
  const question = (first?.question ?? "").replace(/\s+/g, " ").trim();
  const at = first?.at === undefined ? [] : [new Date(first.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })];
  const count = turns.length === 1 ? "1 question" : `${turns.length} questions`;
  return {
    label: plain(question === "" ? DEFAULT_QUESTION : question),
    description: [first?.cause, first?.spot].filter((each) => each !== undefined).join(" · "),
    detail: [...at, sessionName, count].join(" · "),
  };
}

/** A label makes icons of `$(name)`: what a user or a program has written is to be seen as it is. */
function plain(text: string): string {
  return text.replaceAll("$(", "$\u200b(");
}
