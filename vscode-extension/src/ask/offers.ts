/** Tells each session what is lent to the questions of its debug console: `??` itself cannot say it. */

import type * as vscode from "vscode";
import { log, textOf } from "../log";
import type { Sessions } from "../sessions/sessions";
import { offerOf, type Lender } from "./lender";

/** Sends `askOffer` when a session has stopped for the first time, and when somebody else is to answer. */
export class Offers implements vscode.Disposable {
  /** By session, what it was told. A session that is told nothing lends nothing. */
  private readonly told = new Map<string, string>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly sessions: Sessions,
    private readonly lender: Lender,
  ) {
    const tell = this.tell.bind(this);
    this.subscriptions = [
      sessions.onDidChange(tell),
      sessions.onDidEnd(({ session }) => this.told.delete(session.id)),
      ...(lender.onDidChange ? [lender.onDidChange(tell)] : []),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private tell(): void {
    const offer = offerOf(this.lender);
    const text = JSON.stringify(offer);
    for (const { id } of this.sessions.list()) {
      const tracked = this.sessions.get(id);
      // Before its first stop there is nothing to ask, and the proxy may not know the client yet.
      const known = this.told.get(id);
      if (!tracked || (known ?? "{}") === text || (known === undefined && !tracked.stop)) continue;
      this.told.set(id, text);
      tracked.session.customRequest("askOffer", offer).then(undefined, (error: unknown) => {
        log().info(`askOffer: ${textOf(error)}`); // an older dap_ai
      });
    }
  }
}
