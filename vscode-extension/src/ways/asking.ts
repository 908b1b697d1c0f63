/** All that has to do with questions, registered: the host of the views, commands, CodeLens, chat, context keys. */

import * as vscode from "vscode";
import { registerAnswerView } from "../answers/answerView";
import type { Lender } from "../ask/lender";
import { registerCaught } from "./caught";
import { registerChat } from "./chat";
import { registerCodeLens } from "./codeLens";
import { registerCommands } from "./commands";
import { Host } from "../ask/host";
import { registerAtTheLine } from "../line/atTheLine";
import type { Stops } from "../launch/stops";
import type { StatusBar } from "../statusBar";
import { registerStops } from "../stops/stopsView";
import type { Proxies } from "../proxy/proxies";
import { RevivedSession } from "../proxy/revived";
import { registerTools } from "./tools";
import { registerWalkthrough } from "./walkthrough";

/** Registers it. `lender`: ../models/models.ts. */
export function registerAsking(context: vscode.ExtensionContext, statusBar: StatusBar, stops: Stops, lender: Lender, proxies: Proxies): Host {
  const host = new Host(lender, context.workspaceState, (session, listener) => new RevivedSession(proxies, session, listener));
  const view = registerAnswerView(context, host);
  host.setView(view);
  context.subscriptions.push(
    host,
    registerCommands(host, view),
    registerAtTheLine(host, view), // VS Code shows the lenses of who comes last first: *Why?*, then *Fix*
    registerCodeLens(host.sessions),
    registerStops(host, view, context.globalStorageUri.fsPath),
    registerCaught(host, view, stops),
    registerChat(host),
    registerTools(host),
    registerWalkthrough(),
    ...followState(host, statusBar),
  );
  return host;
}

/** Keeps the context keys of menus, and the status bar, as things are. */
function followState(host: Host, statusBar: StatusBar): vscode.Disposable[] {
  const known = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  };
  const update = (): void => {
    const { asks } = host.questions;
    set("dapAi.active", host.session() !== undefined);
    set("dapAi.stopped", host.session()?.stop !== undefined);
    set("dapAi.asking", asks.count > 0);
    set("dapAi.hasConversations", host.hasConversations);
    const front = vscode.debug.activeDebugSession?.id;
    const elsewhere = host.sessions.elsewhere().find(({ session }) => session.id === front)?.session.id;
    set("dapAi.elsewhere", host.sessions.elsewhere().length > 0);
    statusBar.update({ asking: asks.count, answerer: host.state().answerer, elsewhere });
  };
  update();
  return [
    host.sessions.onDidChange(update),
    host.questions.asks.onDidChange(update),
    host.onDidPost(({ type }) => {
      if (type === "answerer" || type === "turn" || type === "state") update();
    }),
  ];
}
