/** An agent is run, recorded and held: its command is all that is asked. */

import * as vscode from "vscode";
import { RUN_TYPE } from "../launch/agentRun";

const STOPS = [
  { label: "Before its first query", stop: { stopOnEntry: true }, description: "step from there, with breakpoints at tools, queries, patterns" },
  { label: "Only where a breakpoint or a filter says so", stop: {}, description: "Breakpoints view: before a query, tool error, loop, ..." },
  { label: "There, and once it has ended", stop: { stopAt: "end" }, description: "its run stays open to be looked at" },
];

/** Undefined: the user has thought better of it. */
export async function recordAgent(): Promise<boolean | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  const command = await vscode.window.showInputBox({
    title: "Record an agent (1/2)",
    prompt: `The agent's command, as in a shell: NAME=value may stand before it${folder ? `; it runs in ${folder.name}` : ""}`,
    placeHolder: 'mini -t "fix the failing test" -y',
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? "An agent's command is wanted." : undefined),
  });
  if (command === undefined) return undefined;
  const stop = await vscode.window.showQuickPick(STOPS, { title: "Record an agent (2/2)", placeHolder: "Where is it held?", ignoreFocusOut: true });
  if (stop === undefined) return undefined;
  const name = command.trim().split(/\s+/).find((word) => !/^\w+=/.test(word)) ?? "agent";
  return vscode.debug.startDebugging(folder, { name, type: RUN_TYPE, request: "launch", command: command.trim(), ...stop.stop });
}
