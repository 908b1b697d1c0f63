/** At the stopped line: the verdict in a few words, *Fix* above it where one was verified, and *Ask why* in hovers. */

import * as vscode from "vscode";
import type { Host } from "../ask/host";
import { pointedFrameOf } from "../ask/why";
import { setting } from "../settings";
import type { AskEnded } from "../shared/protocol";
import { Ghost, type Told } from "./ghost";
import { LineVerdicts } from "./verdicts";

/** Where answers are shown. */
interface View {
  focus(): Promise<void>;
}

const LANGUAGES = ["python", "c", "cpp", "rust"];
/** A name, or a chain of attributes of one. */
const NAME = /[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)*/;

/** Registers it. */
export function registerAtTheLine(host: Host, view: View): vscode.Disposable {
  const isOn = (): boolean => setting<boolean>("atTheLine") !== false;
  const verdicts = new LineVerdicts(host.sessions, isOn);
  const ghost = new Ghost();
  const lenses = new vscode.EventEmitter<void>();
  const draw = (): void => {
    ghost.show(told(host, verdicts));
  };
  return vscode.Disposable.from(
    verdicts,
    ghost,
    lenses,
    verdicts.onDidChange(() => {
      draw();
      lenses.fire();
    }),
    vscode.window.onDidChangeVisibleTextEditors(draw),
    host.questions.asks.onDidChange(() => {
      if (host.questions.asks.count > 0) verdicts.giveUp();
    }),
    host.onDidPost((message) => {
      if (message.type === "ended") answered(host, verdicts, message.turnId, message.ended);
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("dapAi.atTheLine")) verdicts.follow();
    }),
    vscode.languages.registerCodeLensProvider({ scheme: "file" }, {
      onDidChangeCodeLenses: lenses.event,
      provideCodeLenses: (document) => fixLenses(told(host, verdicts), document),
    }),
    vscode.languages.registerHoverProvider(LANGUAGES.map((language) => ({ scheme: "file", language })), {
      provideHover: (document, position) => hover(host, document, position),
    }),
    vscode.commands.registerCommand("dapAi.fixAtLine", async (...args: unknown[]) => {
      const { sessionId } = pointedFrameOf(args[1]);
      if (!host.ask("", sessionId === undefined ? {} : { sessionId })) return;
      await view.focus();
    }),
  );
}

function told(host: Host, verdicts: LineVerdicts): Told[] {
  return host.sessions.list().flatMap((session) => {
    const ended = session.stop && verdicts.of(session.id);
    return ended ? [{ session, ended }] : [];
  });
}

/** Only of the stop at which the session still stands. */
function answered(host: Host, verdicts: LineVerdicts, turnId: string, ended: AskEnded): void {
  const held = host.holding(turnId);
  const now = held && host.sessions.list().find(({ id }) => id === held.talk.sessionId)?.stop;
  if (now && JSON.stringify(now) === JSON.stringify(held.turn.stop)) verdicts.answered(held.talk.sessionId, ended);
}

function fixLenses(all: readonly Told[], document: vscode.TextDocument): vscode.CodeLens[] {
  return all.flatMap(({ session, ended }) => {
    const line = session.stop?.line ?? 0;
    if (session.stop?.file !== document.uri.fsPath || line < 1 || line > document.lineCount) return [];
    if (setting<boolean>("codeLens") === false || !ended.fixes.some(({ verified }) => verified)) return [];
    const command = {
      title: "$(wrench) Fix",
      tooltip: "Show the fix with which the program ends well in a snapshot",
      command: "dapAi.fixAtLine",
      arguments: [null, { sessionId: session.id }],
    };
    return [new vscode.CodeLens(document.lineAt(line - 1).range, command)];
  });
}

/** Where something has stopped, and the pointer is on a name. */
function hover(host: Host, document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
  const range = document.getWordRangeAtPosition(position, NAME);
  const session = host.session();
  if (!range || !session?.stop) return undefined;
  const expression = document.getText(range);
  const argument = encodeURIComponent(JSON.stringify([{ variable: { evaluateName: expression }, sessionId: session.session.id }]));
  const text = new vscode.MarkdownString(`[$(lightbulb) Ask why](command:dapAi.askValue?${argument} "Ask dap-ai why this has the value that it has")`, true);
  text.isTrusted = { enabledCommands: ["dapAi.askValue"] };
  return new vscode.Hover(text, range);
}
