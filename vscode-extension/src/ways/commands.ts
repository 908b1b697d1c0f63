/** The commands about questions; each works from its menus, the palette and a key. */

import * as vscode from "vscode";
import { OPEN_TAB_COMMAND } from "../answers/answerView";
import type { Host } from "../ask/host";
import type { About } from "../ask/questions";
import { takeOver } from "../launch/takeOver";
import { pointedFrameOf, pointedOf, whyFrame, whySelection, whyValue, type Pointed } from "../ask/why";

/** Where answers are shown. */
interface View {
  focus(question?: string): Promise<void>;
}

/** Registers them. */
export function registerCommands(host: Host, view: View): vscode.Disposable {
  /** Asks and shows the answer. */
  const ask = async (question: string, about: About = {}): Promise<void> => {
    if (host.ask(question, about)) await view.focus();
  };
  const commands: Record<string, (...args: unknown[]) => unknown> = {
    "dapAi.why": (...args) => ask("", aboutOf(host, args)),
    "dapAi.takeOver": async (sessionId) => {
      const all = host.sessions.elsewhere();
      const wanted = typeof sessionId === "string" ? sessionId : vscode.debug.activeDebugSession?.id;
      const other = all.find(({ session }) => session.id === wanted) ?? all.at(-1);
      if (other) await takeOver(other.session);
    },
    "dapAi.pauseAndAsk": async () => {
      if (await host.pauseAndAsk()) await view.focus();
    },
    "dapAi.ask": (question) => (typeof question === "string" && question !== "" ? ask(question) : view.focus()),
    "dapAi.askValue": async (argument) => {
      const pointed = pointedOf(argument) ?? (await typed());
      if (pointed) await ask(whyValue(pointed), pointed.sessionId === undefined ? {} : { sessionId: pointed.sessionId });
    },
    "dapAi.askSelection": async () => {
      const question = selectedQuestion();
      if (question === undefined) void vscode.window.showInformationMessage("Select what you want to ask about.");
      else await ask(question);
    },
    "dapAi.askFrame": (...args) => ask(whyFrame(pointedFrameOf(args[1]).spot), aboutOf(host, args)),
    "dapAi.openView": () => view.focus(),
    "dapAi.openEditor": () => vscode.commands.executeCommand(OPEN_TAB_COMMAND),
    "dapAi.newConversation": async () => {
      host.newConversation();
      await view.focus();
    },
    "dapAi.forgetConversations": () => {
      host.forgetConversations();
    },
    "dapAi.history": () => host.chooseConversation(),
    "dapAi.stop": () => {
      host.stopAll();
    },
    "dapAi.copyConversation": () => host.copyConversation(),
    "dapAi.exportConversation": () => host.exportConversation(),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

/** The session, thread and frame of a row of the call stack; VS Code hands them over as the second argument. */
function aboutOf(host: Host, [, context]: unknown[]): About {
  const pointed = pointedFrameOf(context);
  const about: About = {};
  if (pointed.sessionId === undefined) return about;
  about.sessionId = pointed.sessionId;
  if (pointed.threadId === undefined) return about;
  about.threadId = pointed.threadId;
  const frames = host.sessions.get(pointed.sessionId)?.stop?.frames.get(pointed.threadId);
  const frameId = pointed.index === undefined ? undefined : frames?.[pointed.index];
  if (frameId !== undefined) about.frameId = frameId;
  return about;
}

async function typed(): Promise<Pointed | undefined> {
  const editor = vscode.window.activeTextEditor;
  const value = editor ? editor.document.getText(editor.selection) : "";
  const expression = await vscode.window.showInputBox({
    title: "Ask why this value",
    prompt: "A variable or an expression of the selected frame",
    value: value.includes("\n") ? "" : value,
  });
  return expression === undefined || expression.trim() === "" ? undefined : { expression: expression.trim() };
}

function selectedQuestion(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
  const selected = range ? document.getText(range) : "";
  if (!range || selected.trim() === "") return undefined;
  return whySelection(selected, `${vscode.workspace.asRelativePath(document.uri)}:${range.start.line + 1}`);
}
