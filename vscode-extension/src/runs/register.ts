/** The commands about runs as pictures. What they do is loaded when one is used. */

import * as vscode from "vscode";
import type { Sessions } from "../sessions/sessions";
import type { Runs } from "./runs";

/** Registers them. `ownEnvironment`: of an environment of our own; see ../proxy/install.ts. */
export function registerRuns(context: vscode.ExtensionContext, sessions: Sessions, ownEnvironment: string): void {
  let made: Promise<Runs> | undefined;
  const runs = (): Promise<Runs> =>
    (made ??= import("./runs").then(({ Runs }) => {
      const all = new Runs(context.extensionUri, sessions, ownEnvironment);
      context.subscriptions.push(all);
      return all;
    }));
  const commands: Record<string, (...args: unknown[]) => unknown> = {
    "dapAi.showRun": async (path) => (await runs()).show(typeof path === "string" ? path : undefined),
    "dapAi.runGallery": async () => { (await runs()).gallery(); },
    "dapAi.recordAgent": async () => (await runs()).record(),
  };
  for (const [name, run] of Object.entries(commands)) context.subscriptions.push(vscode.commands.registerCommand(name, run));
}
