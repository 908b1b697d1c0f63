/** An error at which nothing stopped, since something caught it: one notification says what can be done. */

import * as path from "node:path";
import * as vscode from "vscode";
import type { Host } from "../ask/host";
import { configurationOf, rootOf } from "../launch/again";
import type { Stops } from "../launch/stops";
import { WHY_CAUGHT } from "../shared/messages";
import type { AskCaught } from "../shared/protocol";

const NEXT_TIME = "Stop at This Error Next Time";
const AGAIN = "Run Again and Stop There";
const ASK = "Ask";

interface View {
  focus(): Promise<void>;
}

/** Registers it, and the command that takes the choice back. */
export function registerCaught(host: Host, view: View, stops: Stops): vscode.Disposable {
  /** Errors that the user has been told of in this window: a server may report one at each start. */
  const said = new Set<string>();
  return vscode.Disposable.from(
    host.sessions.onDidReceive(({ session, event, body }) => {
      if (event !== "askCaught") return;
      const caught = body as AskCaught;
      const { name } = rootOf(session);
      const key = JSON.stringify([name, caught.type, caught.file, caught.line, caught.ended]);
      if (said.has(key)) return;
      said.add(key);
      void offer(host, view, stops, session, caught);
    }),
    vscode.commands.registerCommand("dapAi.forgetStops", async () => {
      const text = stops.isEmpty ? "No configuration stops at caught errors." : "No configuration stops at caught errors any more.";
      await stops.forget();
      void vscode.window.showInformationMessage(text);
    }),
  );
}

async function offer(host: Host, view: View, stops: Stops, session: vscode.DebugSession, caught: AskCaught): Promise<void> {
  const where = `${path.basename(caught.file)}:${caught.line}`;
  const text = `Nothing stopped at this error, because something caught it: ${caught.type} at ${where}.`;
  // What has ended can be asked nothing.
  const chosen = await vscode.window.showInformationMessage(text, ...(caught.ended ? [AGAIN] : [NEXT_TIME, ASK]));
  if (chosen === undefined) return;
  if (chosen === ASK) {
    if (host.ask(WHY_CAUGHT, { sessionId: session.id })) await view.focus();
    return;
  }
  await stops.add(configurationOf(session).name, caught.filter);
  if (chosen === AGAIN) {
    await vscode.debug.startDebugging(session.workspaceFolder, configurationOf(session));
    return;
  }
  try {
    await session.customRequest("askStopAt", { filter: caught.filter });
  } catch {
    // It has ended meanwhile: the next one stops.
  }
}
