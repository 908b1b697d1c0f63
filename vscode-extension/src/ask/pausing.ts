/** Stopping a program that does not end, to ask why. */

import type { Sessions, Tracked } from "../sessions/sessions";

/** What is asked then. */
export const HANGS = "Why does it hang?";
/** A program that stands in a call of the system's stops when that returns, if it does. */
const PAUSE_MS = 10_000;

/** Resolves once the program has stopped and VS Code has read where. Rejects if it does not stop. */
export async function paused(sessions: Sessions, tracked: Tracked, ms = PAUSE_MS): Promise<void> {
  const { threads } = (await tracked.session.customRequest("threads")) as { threads: { id: number }[] };
  const stopped = untilStopped(sessions, tracked, ms);
  await tracked.session.customRequest("pause", { threadId: threads[0]?.id ?? 1 });
  await stopped;
}

function untilStopped(sessions: Sessions, tracked: Tracked, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error): void => {
      listening.dispose();
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    };
    const timer = setTimeout(() => {
      // It stands, but VS Code has not asked where.
      done(tracked.stop ? undefined : new Error("The program has not stopped yet. It may wait for something outside."));
    }, ms);
    const listening = sessions.onDidChange(() => {
      if (tracked.stop?.top) done();
    });
  });
}
