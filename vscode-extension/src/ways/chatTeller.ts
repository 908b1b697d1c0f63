/**
 * Says an answer in the chat, so that a person sees it.
 *
 * Once a response is complete, VS Code folds everything before its last run of text into "Completed n steps", whatever
 * that is (`updateCompletedResponseDisclosure` in chatListRenderer.ts): a step that is told after text takes the text
 * with it. So steps are told until the first text, and from then on there is text alone.
 */

import * as vscode from "vscode";
import { resolveFile } from "../answers/links";
import type { Part, Turn } from "../shared/messages";
import type { Piece, Place } from "../view/paths";
import { usageWords } from "../view/usage";
import { ChatMarkdown, chatPieces, chatText, placeText } from "./chatMarkdown";

/** One answer. What it is given is text of a model or a program: VS Code reads all of it as Markdown. */
export class ChatTeller {
  private readonly markdown = new ChatMarkdown();
  /** By name. Files are looked for, and what is said stays in its order meanwhile. */
  private readonly files = new Map<string, Promise<vscode.Uri | undefined>>();
  private said: Promise<void> = Promise.resolve();
  private hasText = false;

  constructor(
    private readonly stream: vscode.ChatResponseStream,
    private readonly session: vscode.DebugSession,
    private readonly token: vscode.CancellationToken,
  ) {}

  /** Something of the answer, as it comes. */
  pass(part: Part): void {
    if (part.kind === "answer") {
      this.say(this.markdown.feed(part.text));
      return;
    }
    this.say(this.markdown.end());
    if (part.kind === "status") this.step(chatText(part.text));
    else if (part.kind === "step") this.step(chatText(part.step.call));
    else this.needs(`Waits for your confirmation: ${chatText(part.approval.action)}`);
  }

  /** The answer is complete, or nobody wants it any more. Resolved when all of it was said. */
  async end({ parts, ended }: Turn): Promise<void> {
    this.say(this.markdown.end());
    if (ended && !parts.some((part) => part.kind === "answer")) this.say(chatPieces(ended.answer));
    if (ended) this.then(() => { this.stream.markdown(`\n\n*${chatText(usageWords(ended.usage).join(" · "))}*`); });
    await this.said;
  }

  private step(text: string): void {
    this.then(() => {
      if (!this.hasText) this.stream.progress(text);
    });
  }

  /** What must be seen, wherever it comes. */
  private needs(text: string): void {
    this.then(() => {
      if (this.hasText) this.stream.markdown(`\n\n${text}\n\n`);
      else this.stream.progress(text);
    });
  }

  private say(pieces: Piece[]): void {
    for (const piece of pieces) {
      this.then(async () => {
        if (typeof piece === "string") this.text(piece);
        else await this.place(piece);
      });
    }
  }

  private text(markdown: string): void {
    if (markdown.trim() === "" && !this.hasText) return;
    this.hasText = true;
    this.stream.markdown(markdown);
  }

  private async place(place: Place): Promise<void> {
    const { file, line, text } = place;
    const looking = this.files.get(file) ?? resolveFile(file, this.session);
    this.files.set(file, looking);
    const uri = await looking;
    if (this.token.isCancellationRequested) return;
    if (!uri) this.text(placeText(place));
    else {
      this.hasText = true;
      this.stream.anchor(locationOf(uri, line), text);
    }
  }

  /** After all that came before. VS Code closes the stream of a question that is cancelled. */
  private then(say: () => void | Promise<void>): void {
    this.said = this.said.then(() => (this.token.isCancellationRequested ? undefined : say()));
  }
}

/** A line of a file, from 1. */
export function locationOf(uri: vscode.Uri, line: number): vscode.Location {
  return new vscode.Location(uri, new vscode.Position(Math.max(line, 1) - 1, 0));
}
