/**
 * The chat participant `@dap-ai`: the conversation of the panel, in the chat view. The model that is picked there answers
 * where VS Code's models do (`dapAi.model`), and no model of `dapAi.editor.model` was named.
 */

import * as vscode from "vscode";
import type { Host } from "../ask/host";
import { resolveFile } from "../answers/links";
import { isModelNamed } from "../models/models";
import type { Tracked } from "../sessions/sessions";
import type { Turn } from "../shared/messages";
import { isOpen } from "../ask/turns";
import { chatText } from "./chatMarkdown";
import { ChatTeller, locationOf } from "./chatTeller";

/** Of package.json. */
const PARTICIPANT = "dapAi.chat";
const CHOOSE = { command: "dapAi.chooseAnswerer", title: "Choose Who Answers" };

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
  if (request.command === "who") return chosen(host, stream);
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
  const teller = new ChatTeller(stream, tracked.session, token);
  await streamed(host, turn, teller, token);
  await teller.end(turn);
  // VS Code has closed the stream by then.
  return token.isCancellationRequested ? {} : finished(host, turn, stream, tracked);
}

/** Lets the user choose who answers, and says who does. */
async function chosen(host: Host, stream: vscode.ChatResponseStream): Promise<vscode.ChatResult> {
  await vscode.commands.executeCommand(CHOOSE.command);
  const { answerer } = host.state();
  if (answerer) stream.markdown(chatText(`${answerer.name}. ${answerer.leaves}`));
  stream.button(CHOOSE);
  return {};
}

/** Passes on what has come and what comes, until the answer has ended or nobody wants it any more. */
function streamed(host: Host, turn: Turn, teller: ChatTeller, token: vscode.CancellationToken): Promise<void> {
  for (const part of turn.parts) teller.pass(part);
  return new Promise((resolve) => {
    if (!isOpen(turn)) {
      resolve();
      return;
    }
    const done = (): void => {
      vscode.Disposable.from(...subscriptions).dispose();
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
        if (message.type === "part") teller.pass(message.part);
        else if (message.type === "ended" || message.type === "failed") done();
      }),
    ];
    if (token.isCancellationRequested) cancel();
  });
}

/** What stands below the answer. No text may follow the buttons: VS Code would fold all that is above them. */
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
  await references(turn, stream, session);
  ended.fixes.forEach((fix, index) => {
    const name = ended.fixes.length > 1 ? ` ${index + 1}` : "";
    const badge = fix.verified ? " (verified)" : "";
    stream.button({ command: "dapAi.chat.previewFix", title: `Preview Fix${name}${badge}`, arguments: [turn.id, index] });
    stream.button({ command: "dapAi.chat.applyFix", title: `Apply Fix${name}`, arguments: [turn.id, index] });
  });
  if (ended.error !== "") {
    if (ended.trouble === "key") stream.button({ command: "dapAi.setApiKey", title: "Set the Key" });
    stream.button(CHOOSE);
  }
  const result: vscode.ChatResult = { metadata: { turnId: turn.id, suspects: ended.suspects.length } };
  // An error stands once: an answer that was made in spite of it begins with it.
  return ended.error === "" || ended.answer.includes(ended.error) ? result : { ...result, errorDetails: { message: chatText(ended.error) } };
}

async function references({ ended }: Turn, stream: vscode.ChatResponseStream, session: vscode.DebugSession): Promise<void> {
  const places = [...(ended?.suspects ?? []), ...(ended?.evidence ?? [])];
  const known = new Set<string>();
  for (const { file, line } of places) {
    if (file === "" || known.has(`${file}:${line}`)) continue;
    known.add(`${file}:${line}`);
    const uri = await resolveFile(file, session);
    if (uri) stream.reference(locationOf(uri, line));
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
