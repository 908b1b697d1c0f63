/** Shows the line at which a program stands, where VS Code has not done so itself. */

import * as vscode from "vscode";
import { frameOf, openLocation, step } from "./links";
import type { Sessions, Tracked } from "../sessions/sessions";

/** VS Code may not have taken in yet what the debug adapter has just told it. */
const TRIES = 3;

/**
 * Selects the frame in which `tracked` stands, if VS Code has selected none. It selects none where the adapter asks it
 * not to change its focus, as debugpy does at each pause (`preserveFocusHint`): nothing is to be seen of the stop then.
 */
export async function showStop(sessions: Sessions, { session, stop }: Tracked): Promise<void> {
  if (stop?.reason !== "pause") return;
  for (let tries = 0; tries < TRIES && frameOf(vscode.debug.activeStackItem) === undefined; tries++) {
    const command = selecting(sessions, session, stop.threadId);
    if (command === undefined) break;
    await step(command);
  }
  const { file, line } = stop.top ?? {};
  const isOver = sessions.get(session.id)?.stop !== stop;
  if (isOver || file === undefined || line === undefined || frameOf(vscode.debug.activeStackItem) !== undefined) return;
  await openLocation(file, line, session, true);
}

/** VS Code's command that would select this thread's innermost frame, and no other; undefined: there is none. */
function selecting(sessions: Sessions, session: vscode.DebugSession, threadId: number | undefined): string | undefined {
  const item = vscode.debug.activeStackItem;
  if (item?.session.id === session.id && item.threadId === threadId) return "workbench.action.debug.callStackTop";
  // Without an argument, which no extension can give: the first session that stands and is no other's child.
  const isOnly = !session.parentSession && [...sessions.all, ...sessions.elsewhere()].every((each) => each.session.id === session.id || !each.stop);
  return isOnly ? "workbench.action.debug.focusProcess" : undefined;
}
