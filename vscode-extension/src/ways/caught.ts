/** An error at which nothing stopped, since something caught it: what can be done about it, until the next start. */

import * as path from "node:path";
import * as vscode from "vscode";
import type { Talk } from "../ask/conversations";
import type { Host } from "../ask/host";
import { configurationOf, rootOf } from "../launch/again";
import type { Stops } from "../launch/stops";
import type { Tracked } from "../sessions/sessions";
import { WHY_CAUGHT } from "../shared/messages";
import type { AskCaught } from "../shared/protocol";

const NEXT_TIME = "Stop at This Error Next Time";
const AGAIN = "Run Again and Stop There";
const ASK = "Ask";
const SHOW = "dapAi.showCaught";

interface View {
  focus(): Promise<void>;
}

/** What is offered now. */
interface Offered {
  session: vscode.DebugSession;
  caught: AskCaught;
  tracked: Tracked | undefined;
  /** Once it was asked about after its end. */
  talk?: Talk;
}

/** Registers it, and the command that takes the choice back. */
export function registerCaught(host: Host, view: View, stops: Stops): vscode.Disposable {
  const offer = new CaughtOffer(host, view, stops);
  return vscode.Disposable.from(
    offer,
    vscode.commands.registerCommand(SHOW, () => offer.show()),
    vscode.commands.registerCommand("dapAi.forgetStops", async () => {
      const text = stops.isEmpty ? "No configuration stops at caught errors." : "No configuration stops at caught errors any more.";
      await stops.forget();
      void vscode.window.showInformationMessage(text);
    }),
  );
}

/** The last such error: one notification, which the status bar brings back. */
class CaughtOffer implements vscode.Disposable {
  private offered: Offered | undefined;
  private readonly item = vscode.window.createStatusBarItem("dapAi.caught", vscode.StatusBarAlignment.Right, 89);
  /** By run, the errors that the user was told of: each process of a pool may report the same. */
  private readonly told = new Map<string, Set<string>>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly host: Host,
    private readonly view: View,
    private readonly stops: Stops,
  ) {
    this.item.name = "dap-ai: caught error";
    this.item.command = SHOW;
    this.item.tooltip = "Nothing stopped at this error, because it was caught. Click to see what can be done.";
    this.subscriptions = [
      this.item,
      host.sessions.onDidReceive(({ session, event, body }) => {
        if (event === "askCaught") this.tell(session, body as AskCaught);
      }),
      host.sessions.onDidEnd(({ session }) => this.told.delete(session.id)),
      host.sessions.onDidChange(() => {
        const { tracked } = this.offered ?? {};
        // It has stopped at an error since: dap_ai is asked about that one.
        if (tracked && !tracked.caught) this.offer(undefined);
      }),
      vscode.debug.onDidStartDebugSession((session) => {
        if (this.offered && !session.parentSession && session.id !== rootOf(this.offered.session).id) this.offer(undefined);
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** Offers again what can still be done. */
  async show(): Promise<void> {
    const { offered } = this;
    if (!offered) return;
    const { session, caught } = offered;
    const isOver = caught.ended || !this.host.sessions.get(rootOf(session).id);
    const text = `Nothing stopped at this error, because something caught it: ${said(caught)}.`;
    const chosen = await vscode.window.showInformationMessage(text, isOver ? AGAIN : NEXT_TIME, ASK);
    if (chosen === ASK) return this.ask(offered);
    if (chosen === undefined) return;
    if (this.offered === offered) this.offer(undefined);
    await this.stops.add(configurationOf(session).name, caught.filter);
    if (chosen === AGAIN) await vscode.debug.startDebugging(session.workspaceFolder, configurationOf(session));
    // One that has ended meanwhile takes no request: the next one stops.
    else await Promise.resolve(session.customRequest("askStopAt", { filter: caught.filter })).catch(() => undefined);
  }

  private tell(session: vscode.DebugSession, caught: AskCaught): void {
    const run = rootOf(session).id;
    const told = this.told.get(run) ?? new Set();
    const key = JSON.stringify([caught.type, caught.file, caught.line, caught.ended]);
    if (told.has(key)) return;
    this.told.set(run, told.add(key));
    this.offer({ session, caught, tracked: this.host.sessions.get(session.id) });
    void this.show();
  }

  private offer(offered: Offered | undefined): void {
    this.offered = offered;
    void vscode.commands.executeCommand("setContext", "dapAi.caught", offered !== undefined);
    this.item.text = offered ? `$(bug) ${said(offered.caught)}` : "";
    if (offered) this.item.show();
    else this.item.hide();
  }

  /** Of a program that runs it knows more than of one that has ended; of that, one answer is enough. */
  private async ask(offered: Offered): Promise<void> {
    const { session, caught, tracked } = offered;
    const goesOn = !caught.ended && this.host.sessions.get(session.id) !== undefined;
    if (goesOn && !this.host.ask(WHY_CAUGHT, { sessionId: session.id })) return;
    if (!goesOn && offered.talk) this.host.show(offered.talk);
    else if (!goesOn) offered.talk = this.host.askCaught(session, caught, tracked?.output ?? "");
    await this.view.focus();
  }
}

function said({ type, file, line }: AskCaught): string {
  return `${type} at ${path.basename(file)}:${line}`;
}
