/**
 * The chat participant `@dap-ai`: the conversation of the panel, in the chat view. The model that is picked there answers
 * where VS Code's models do (`dapAi.model`), and no model of `dapAi.editor.model` was named.
 */

import * as vscode from "vscode";
import type { Host } from "../ask/host";
import { resolveFile } from "../answers/links";
import { isModelNamed } from "../models/models";
import type { Tracked } from "../sessions/sessions";
import type { Part, Turn } from "../shared/messages";
import { isOpen } from "../ask/turns";
import { ChatMarkdown, chatMarkdown, chatText } from "./chatMarkdown";

/** Of package.json. */
const PARTICIPANT = "dapAi.chat";

/** Registers it, where VS Code has chat. */
export function registerChat(host: Host): vscode.Disposable {
  // Forks of VS Code may lack it, whatever their version.
  const chat = (vscode as { chat?: typeof vscode.chat }).chat;
  if (typeof chat?.createChatParticipant !== "function") return { dispose: () => undefined };
  const participant = chat.createChatParticipant(PARTICIPANT, (request, context, stream, token) =>
    answer(host, request, context, stream, token),
  );
  participant.iconPath = new vscode.ThemeIcon("debug-alt");
  participant.followupProvider = { provideFollowups: (result) => followups(result) };
  const actions = (["previewFix", "applyFix"] as const).map((type) =>
    vscode.commands.registerCommand(`dapAi.chat.${type}`, (turnId: string, index: number) => {
      host.onMessage({ type, turnId, index });
    }),
  );
  return vscode.Disposable.from(participant, ...actions);
}

async function answer(
  host: Host,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const tracked = host.session();
  if (!tracked) {
    stream.markdown("Nothing is being debugged with dap-ai. Start a program with it, and ask when it has stopped.");
    stream.button({ command: "workbench.action.debug.start", title: "Start Debugging" });
    return {};
  }
  const isNew = request.command === "new" || context.history.length === 0;
  const question = request.command === "why" && request.prompt.trim() === "" ? "" : request.prompt;
  const about = { sessionId: tracked.session.id, isNew };
  const turn = host.ask(question, isModelNamed() ? about : { ...about, model: request.model });
  if (!turn) return {};
  await streamed(host, turn, stream, token);
  // VS Code has closed the stream by then.
  return token.isCancellationRequested ? {} : finished(host, turn, stream, tracked);
}

/** Passes on what has come and what comes, until the answer has ended or nobody wants it any more. */
function streamed(
  host: Host,
  turn: Turn,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<void> {
  const markdown = new ChatMarkdown();
  for (const part of turn.parts) pass(part, stream, markdown);
  return new Promise((resolve) => {
    if (!isOpen(turn)) {
      say(markdown.end(), stream);
      resolve();
      return;
    }
    const done = (): void => {
      vscode.Disposable.from(...subscriptions).dispose();
      if (!token.isCancellationRequested) say(markdown.end(), stream); // else VS Code has closed the stream
      resolve();
    };
    const cancel = (): void => {
      done();
      host.questions.stop(turn.id);
    };
    const subscriptions = [
      token.onCancellationRequested(cancel),
      host.questions.onDidPost((message) => {
        if (!("turnId" in message) || message.turnId !== turn.id) return;
        if (message.type === "part") pass(message.part, stream, markdown);
        else if (message.type === "ended" || message.type === "failed") done();
      }),
    ];
    if (token.isCancellationRequested) cancel();
  });
}

/** All of it is text of a model or a program: VS Code reads each of these as Markdown. */
function pass(part: Part, stream: vscode.ChatResponseStream, markdown: ChatMarkdown): void {
  say(part.kind === "answer" ? markdown.feed(part.text) : markdown.end(), stream);
  if (part.kind === "status") stream.progress(chatText(part.text));
  else if (part.kind === "step") stream.progress(chatText(part.step.call));
  else if (part.kind === "approval") stream.progress(`Waits for your consent: ${chatText(part.approval.action)}`);
}

function say(markdown: string, stream: vscode.ChatResponseStream): void {
  if (markdown !== "") stream.markdown(markdown);
}

async function finished(
  host: Host,
  turn: Turn,
  stream: vscode.ChatResponseStream,
  { session }: Tracked,
): Promise<vscode.ChatResult> {
  const { ended, error } = turn;
  if (!ended) {
    const tracked = host.sessions.get(session.id);
    if (tracked && !tracked.stop) stream.button({ command: "workbench.action.debug.pause", title: "Pause" });
    return { errorDetails: { message: chatText(error ?? "") } };
  }
  if (ended.answer !== "" && !turn.parts.some((part) => part.kind === "answer")) say(chatMarkdown(ended.answer), stream);
  await references(turn, stream, session);
  ended.fixes.forEach((fix, index) => {
    const name = ended.fixes.length > 1 ? ` ${index + 1}` : "";
    const badge = fix.verified ? " (verified)" : "";
    stream.button({ command: "dapAi.chat.previewFix", title: `Preview Fix${name}${badge}`, arguments: [turn.id, index] });
    stream.button({ command: "dapAi.chat.applyFix", title: `Apply Fix${name}`, arguments: [turn.id, index] });
  });
  const result: vscode.ChatResult = { metadata: { turnId: turn.id, suspects: ended.suspects.length } };
  return ended.error === "" ? result : { ...result, errorDetails: { message: chatText(ended.error) } };
}

async function references({ ended }: Turn, stream: vscode.ChatResponseStream, session: vscode.DebugSession): Promise<void> {
  const places = [...(ended?.suspects ?? []), ...(ended?.evidence ?? [])];
  const known = new Set<string>();
  for (const { file, line } of places) {
    if (file === "" || known.has(`${file}:${line}`)) continue;
    known.add(`${file}:${line}`);
    const uri = await resolveFile(file, session);
    if (uri) stream.reference(new vscode.Location(uri, new vscode.Position(Math.max(line, 1) - 1, 0)));
  }
}

function followups(result: vscode.ChatResult): vscode.ChatFollowup[] {
  const { suspects } = (result.metadata ?? {}) as { suspects?: number };
  if (suspects === undefined) return [];
  return [
    ...(suspects > 0 ? [{ prompt: "How can I fix it?" }] : []),
    { prompt: "Where do the wrong values come from?" },
  ];
}
