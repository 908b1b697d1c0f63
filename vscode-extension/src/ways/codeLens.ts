/** "Why?" above the line at which a program has stopped. */

import * as vscode from "vscode";
import type { Sessions } from "../sessions/sessions";
import { setting } from "../settings";

const LATER_MS = [500, 2000, 6000];

/** Registers it. */
export function registerCodeLens(sessions: Sessions): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const later = new Later(() => {
    changed.fire();
  });
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: (document) => lenses(sessions, document),
  };
  return vscode.Disposable.from(
    changed,
    vscode.languages.registerCodeLensProvider({ scheme: "file" }, provider),
    whenPlacesChange(sessions, () => {
      changed.fire();
      later.set();
    }),
    later,
    vscode.window.onDidChangeVisibleTextEditors(() => {
      later.set();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("dapAi.codeLens")) changed.fire();
    }),
  );
}

/** Again a little later, and later again on a busy machine: VS Code drops a change that comes while it opens the file or asks for its lenses. */
class Later implements vscode.Disposable {
  private timers: NodeJS.Timeout[] = [];

  constructor(private readonly call: () => void) {}

  set(): void {
    this.dispose();
    this.timers = LATER_MS.map((ms) => setTimeout(this.call, ms));
  }

  dispose(): void {
    this.timers.forEach(clearTimeout);
  }
}

/** Calls when another line is concerned: not with every change of a session. */
function whenPlacesChange(sessions: Sessions, call: () => void): vscode.Disposable {
  let known = "";
  return sessions.onDidChange(() => {
    const places = JSON.stringify([
      sessions.list().map(({ id, stop }) => stop && [id, stop.file, stop.line]),
      sessions.elsewhere().map(({ session, stop }) => [session.id, stop?.top?.file, stop?.top?.line]),
    ]);
    if (places === known) return;
    known = places;
    call();
  });
}

function lenses(sessions: Sessions, document: vscode.TextDocument): vscode.CodeLens[] {
  if (setting<boolean>("codeLens") === false) return [];
  const here = sessions.list().filter(({ stop }) => stop?.file !== undefined && isSame(stop.file, document.uri.fsPath));
  const own = here.flatMap(({ id, name, stop }) => {
    const at = rangeOf(document, stop?.line);
    if (!at || !stop) return [];
    const isAlone = here.filter((other) => other.stop?.line === stop.line).length === 1;
    const title = isAlone ? "$(lightbulb) Why?" : `$(lightbulb) Why? (${name})`;
    const tooltip = "Ask dap-ai why the program stopped here";
    // The shape of a row of the call stack, as the command knows it.
    const command = { title, tooltip, command: "dapAi.why", arguments: [null, { sessionId: id }] };
    return [new vscode.CodeLens(at, command)];
  });
  return [...own, ...restarts(sessions, document)];
}

/** Above the line at which a program has failed under another debug adapter. */
function restarts(sessions: Sessions, document: vscode.TextDocument): vscode.CodeLens[] {
  return sessions.elsewhere().flatMap(({ session, stop }) => {
    const { file, line } = stop?.top ?? {};
    const at = rangeOf(document, line);
    if (!at || file === undefined || !isSame(file, document.uri.fsPath)) return [];
    const title = "$(debug-restart) Restart with dap-ai to ask why";
    const tooltip = "Start the same program again, so that dap-ai can be asked where it fails";
    return [new vscode.CodeLens(at, { title, tooltip, command: "dapAi.takeOver", arguments: [session.id] })];
  });
}

/** Of a line, from 1; undefined: the file has become shorter. */
function rangeOf(document: vscode.TextDocument, line: number | undefined): vscode.Range | undefined {
  return line === undefined || line > document.lineCount ? undefined : document.lineAt(Math.max(line, 1) - 1).range;
}

function isSame(one: string, other: string): boolean {
  return process.platform === "win32" ? one.toLowerCase() === other.toLowerCase() : one === other;
}
