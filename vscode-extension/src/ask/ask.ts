/** Sends `ask` and `askTool`, and gives each the events that are its own. */

import * as vscode from "vscode";
import { log, textOf } from "../log";
import { offerOf, type Lender } from "./lender";
import type { AskEvent, Sessions } from "../sessions/sessions";
import type {
  AskApproval,
  AskApproveArguments,
  AskArguments,
  AskEnded,
  AskOutput,
  AskResponseBody,
  AskToolArguments,
} from "../shared/protocol";

/** What becomes of one question. Nothing more comes after `ended` or `failed`. */
export interface AskSink {
  /** dap_ai has taken the question. */
  asked?(body: AskResponseBody): void;
  output(body: AskOutput): void;
  approval(body: AskApproval): void;
  /** An approval no longer waits. */
  settled?(approvalId: string, outcome: ApprovalOutcome): void;
  ended(body: AskEnded): void;
  /** The question was not taken, or its session has ended; for a person. */
  failed(error: string): void;
}

/** What became of an approval. `over`: its time, its question or its stop has ended, or it was answered elsewhere. */
export type ApprovalOutcome = "allowed" | "allowedForSession" | "denied" | "over";

/** A question that was sent. */
export interface Asking {
  cancel(): void;
}

/** Who hears of a question without a request of ours: one that was asked in the debug console. */
export type Adopt = (session: vscode.DebugSession, askId: string, asking: Asking) => AskSink | undefined;

interface Running {
  session: vscode.DebugSession;
  sink: AskSink;
  askId?: string;
  isCancelled: boolean;
  /** Lent to this question instead of the chosen one. */
  model?: vscode.LanguageModelChat | undefined;
  /** Those that wait, by our own id: dap_ai's are the same in every session, and after a restart. */
  waiting: Map<string, NodeJS.Timeout>;
  /** What the user has said to them: what follows from it can come before the response to it. */
  said: Map<string, ApprovalOutcome>;
}

const NOBODY: AskSink = {
  output: () => undefined,
  approval: () => undefined,
  ended: () => undefined,
  failed: () => undefined,
};
const LOST = "The debug session ended before the answer was complete. Start the program again and ask when it has stopped.";

/** All questions that are being answered. */
export class Asks implements vscode.Disposable {
  private readonly running = new Set<Running>();
  /** Events that came before the response that says whose they are. */
  private readonly early: AskEvent[] = [];
  /** Ids of questions that nobody here wants to hear of, or that have ended. */
  private readonly ignored = new Set<string>();
  private approvals = 0;
  private readonly subscriptions: vscode.Disposable[];
  private readonly changed = new vscode.EventEmitter<undefined>();
  /** A question came or ended. */
  readonly onDidChange = this.changed.event;

  constructor(
    sessions: Sessions,
    private readonly adopt: Adopt,
    private readonly lender?: Lender,
  ) {
    this.subscriptions = [
      this.changed,
      sessions.onDidReceive((event) => {
        this.receive(event);
      }),
      sessions.onDidEnd(({ session, error }) => {
        this.endAll(session, error === undefined ? LOST : `${LOST} ${error}`);
      }),
    ];
  }

  /** How many questions are being answered. */
  get count(): number {
    return this.running.size;
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    for (const run of this.running) run.waiting.forEach(clearTimeout);
    this.running.clear();
  }

  /** Asks. The sink hears of every failure, too: nothing is thrown. */
  ask(session: vscode.DebugSession, args: AskArguments, sink: AskSink, model?: vscode.LanguageModelChat): Asking {
    const said = (): AskArguments => ({ progress: false, ...args, ...offerOf(this.lender, model) });
    return this.send(session, "ask", said, sink, model);
  }

  /** Calls one tool under the policy of answers. */
  tool(session: vscode.DebugSession, args: AskToolArguments, sink: AskSink): Asking {
    return this.send(session, "askTool", () => args, sink);
  }

  /** Answers an approval, by the id that the sink was given. */
  async approve(approvalId: string, allow: boolean, remember: boolean): Promise<void> {
    const run = [...this.running].find((each) => each.waiting.has(approvalId));
    if (!run) return;
    const args: AskApproveArguments = { approvalId: theirs(approvalId), allow, remember };
    let outcome: ApprovalOutcome = allow ? (remember ? "allowedForSession" : "allowed") : "denied";
    run.said.set(approvalId, outcome);
    try {
      await run.session.customRequest("askApprove", args);
    } catch (error) {
      log().info(`askApprove: ${textOf(error)}`);
      outcome = "over";
    }
    this.settle(run, approvalId, outcome);
  }

  private send(
    session: vscode.DebugSession,
    command: string,
    args: () => AskArguments | AskToolArguments,
    sink: AskSink,
    model?: vscode.LanguageModelChat,
  ): Asking {
    const run: Running = { session, sink, isCancelled: false, model, waiting: new Map(), said: new Map() };
    this.running.add(run);
    this.changed.fire(undefined);
    const ready = this.lender?.ready?.();
    const sent = ready ? ready.then(() => session.customRequest(command, args())) : session.customRequest(command, args());
    sent.then(
      (body: AskResponseBody) => {
        this.bind(run, body);
      },
      (error: unknown) => {
        this.fail(run, textOf(error));
        this.replay();
      },
    );
    return this.asking(run);
  }

  private asking(run: Running): Asking {
    return {
      cancel: () => {
        run.isCancelled = true;
        this.sendCancel(run);
      },
    };
  }

  private bind(run: Running, body: AskResponseBody): void {
    // The session may have ended while the response was on its way.
    if (!this.running.has(run)) return;
    run.askId = body.askId;
    run.sink.asked?.(body);
    if (run.isCancelled) this.sendCancel(run);
    this.replay();
  }

  private sendCancel(run: Running): void {
    if (run.askId === undefined || !this.running.has(run)) return;
    run.session.customRequest("cancel", { progressId: run.askId }).then(undefined, (error: unknown) => {
      log().info(`cancel: ${textOf(error)}`);
    });
  }

  private replay(): void {
    for (const event of this.early.splice(0)) this.receive(event);
  }

  private receive(event: AskEvent): void {
    const { session, body } = event;
    const { askId } = body as { askId?: unknown };
    if (event.event === "askModel" || event.event === "askModelEnded") {
      if (this.isBinding(session)) this.early.push(event);
      else if (event.event === "askModelEnded") this.lender?.onAskModelEnded?.(session, body);
      else this.lender?.onAskModel(session, body, this.find(session, String(askId))?.model);
      return;
    }
    if (typeof askId !== "string" || this.ignored.has(`${session.id} ${askId}`)) return;
    const run = this.find(session, askId) ?? this.unknown(event, askId);
    if (run) this.deliver(run, event);
  }

  private find(session: vscode.DebugSession, askId: string): Running | undefined {
    return [...this.running].find((run) => run.session.id === session.id && run.askId === askId);
  }

  /** Whether a question was sent whose id is not known yet. */
  private isBinding(session: vscode.DebugSession): boolean {
    return [...this.running].some((run) => run.session.id === session.id && run.askId === undefined);
  }

  private unknown(event: AskEvent, askId: string): Running | undefined {
    const { session } = event;
    if (this.isBinding(session)) {
      this.early.push(event);
      return undefined;
    }
    const run: Running = { session, sink: NOBODY, askId, isCancelled: false, waiting: new Map(), said: new Map() };
    const sink = this.adopt(session, askId, this.asking(run));
    if (!sink) {
      this.ignored.add(`${session.id} ${askId}`);
      return undefined;
    }
    run.sink = sink;
    this.running.add(run);
    this.changed.fire(undefined);
    return run;
  }

  private deliver(run: Running, { event, body }: AskEvent): void {
    if (event === "askOutput") {
      const output = body as AskOutput;
      // The answer waits for one approval at most: when it goes on, that one was answered elsewhere.
      if (output.category !== "status") this.settleAll(run);
      run.sink.output(output);
    } else if (event === "askApproval") {
      this.approval(run, body as AskApproval);
    } else if (event === "askEnded") {
      this.ignored.add(`${run.session.id} ${run.askId ?? ""}`);
      this.over(run);
      run.sink.ended(body as AskEnded);
    }
  }

  private approval(run: Running, body: AskApproval): void {
    const approvalId = `${++this.approvals} ${body.approvalId}`;
    const timer = setTimeout(() => {
      this.settle(run, approvalId, "over");
    }, body.timeoutS * 1000);
    timer.unref();
    run.waiting.set(approvalId, timer);
    run.sink.approval({ ...body, approvalId });
  }

  private settle(run: Running, approvalId: string, outcome: ApprovalOutcome): void {
    clearTimeout(run.waiting.get(approvalId));
    if (run.waiting.delete(approvalId)) run.sink.settled?.(approvalId, outcome);
  }

  private settleAll(run: Running): void {
    for (const approvalId of [...run.waiting.keys()]) this.settle(run, approvalId, run.said.get(approvalId) ?? "over");
  }

  private over(run: Running): void {
    this.settleAll(run);
    if (this.running.delete(run)) this.changed.fire(undefined);
  }

  /** Once: the end of a session and its requests' failures are told in any order. */
  private fail(run: Running, error: string): void {
    if (!this.running.has(run)) return;
    this.over(run);
    run.sink.failed(error);
  }

  /** All questions of a session fail: nothing more comes from it. */
  endAll(session: vscode.DebugSession, error: string): void {
    for (const run of [...this.running].filter((each) => each.session.id === session.id)) this.fail(run, error);
    this.early.splice(0, this.early.length, ...this.early.filter((event) => event.session.id !== session.id));
    for (const key of this.ignored) if (key.startsWith(`${session.id} `)) this.ignored.delete(key);
  }
}

/** dap_ai's own id of an approval. */
function theirs(approvalId: string): string {
  return approvalId.slice(approvalId.indexOf(" ") + 1);
}
