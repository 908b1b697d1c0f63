import assert from "node:assert/strict";
import { test } from "node:test";
import type { DebugSession } from "vscode";
import { SessionTracker } from "../../src/sessions/tracker";

const nothing = (): void => undefined;

/** A tracker whose adapter has answered `initialize`. */
function initialized(isOurs: boolean): SessionTracker {
  const tracker = new SessionTracker({ id: "s" } as DebugSession, { found: nothing, changed: nothing, other: nothing, received: nothing, ended: nothing });
  tracker.onWillReceiveMessage({ type: "request", seq: 1, command: "initialize" });
  tracker.onDidSendMessage({ type: "response", request_seq: 1, success: true, body: { supportsAskRequest: isOurs } });
  return tracker;
}

/** A stop, and how often it was read. */
function stop(): { type: string; event: string; reads: number; readonly body: object } {
  return {
    type: "event",
    event: "stopped",
    reads: 0,
    get body() {
      this.reads++;
      return { reason: "pause" };
    },
  };
}

test("what the sessions of other debug adapters say is not read", () => {
  const [own, foreign] = [stop(), stop()];
  initialized(true).onDidSendMessage(own);
  initialized(false).onDidSendMessage(foreign);
  assert.deepEqual([own.reads, foreign.reads], [1, 0]);
});
