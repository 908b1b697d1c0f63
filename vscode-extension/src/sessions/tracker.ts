/** Reads the messages of one debug session as they pass. It sends nothing: the adapter has no more work for it. */

import type * as vscode from "vscode";
import { canTakeOver } from "../launch/takeOver";
import type { AskCaught } from "../shared/protocol";

/** A frame and where it is. */
export interface Position {
  frameId: number;
  frame: string;
  /** Absent for a frame without a source file. */
  file?: string;
  /** From 1. */
  line: number;
}

/** Where a session stands. */
export interface Stop {
  threadId?: number;
  reason: string;
  /** What the adapter says of it beside that: `ZeroDivisionError: division by zero`. */
  cause?: string;
  /** The frame that VS Code shows: the first with a source file. Absent until VS Code has read the stack. */
  top?: Position;
  /** By thread, the ids of its frames from the innermost on. */
  frames: Map<number, number[]>;
}

/** A session behind dap_ai. */
export interface Tracked {
  readonly session: vscode.DebugSession;
  stop?: Stop;
  /** An error that something caught, while it has stopped at none. */
  caught?: AskCaught;
  /** What the program itself ended with; absent where the user has ended it. */
  exitCode?: number;
  /** The end of what the program wrote. */
  output: string;
  /** By ask id, the questions that were asked in the debug console. */
  readonly consoleQuestions: Map<string, string>;
}

/** An event `ask...`. */
export interface AskEvent {
  session: vscode.DebugSession;
  event: string;
  body: unknown;
}

/** Who is told. */
export interface TrackerListener {
  found(tracked: Tracked): void;
  changed(): void;
  /** The session of another debug adapter, which dap-ai could take over, has stopped or gone on. */
  other(tracked: Tracked): void;
  received(event: AskEvent): void;
  ended(error?: string): void;
}

/** What is read of a message; all of it may be missing. */
interface Message {
  type?: string;
  seq?: number;
  command?: string;
  arguments?: { threadId?: number; startFrame?: number; expression?: string };
  request_seq?: number;
  success?: boolean;
  event?: string;
  body?: Body;
}

interface Body {
  category?: string;
  output?: string;
  supportsAskRequest?: boolean;
  exitCode?: number;
  threadId?: number;
  allThreadsContinued?: boolean;
  reason?: string;
  text?: string;
  description?: string;
  result?: string;
  stackFrames?: RawFrame[];
}

interface RawFrame {
  id: number;
  name: string;
  line: number;
  presentationHint?: string;
  source?: { path?: string; presentationHint?: string };
}

const RESUMING = new Set([
  ...["continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "goto", "restartFrame", "restart"],
]);
const MAX_OUTPUT_CHARS = 8000;
const CONSOLE_ASK = /^(dap-ai-ask-\S+): ([\s\S]*)$/;

/** The tracker of one session. */
export class SessionTracker implements vscode.DebugAdapterTracker {
  private readonly tracked: Tracked;
  private isOurs = false;
  /** Another adapter has answered `initialize`, and dap-ai cannot take its place: nothing more of it is read. */
  private isForeign = false;
  private error: string | undefined;
  /** The user ends it, or another process follows: how this one ends says nothing. */
  private isLeft = false;
  /** Requests whose response says something: by their number. */
  private readonly open = new Map<number, { request: Message; before?: Stop }>();

  constructor(
    session: vscode.DebugSession,
    private readonly listener: TrackerListener,
  ) {
    this.tracked = { session, consoleQuestions: new Map(), output: "" };
  }

  onWillReceiveMessage(message: Message): void {
    const { seq, command } = message;
    if (this.isForeign) return;
    if (seq === undefined || command === undefined) return;
    if (command === "disconnect" || command === "terminate" || command === "restart") this.isLeft = true;
    if (RESUMING.has(command)) {
      this.open.set(seq, this.tracked.stop ? { request: message, before: this.tracked.stop } : { request: message });
      this.moved(undefined);
    } else if (command === "stackTrace" || command === "evaluate" || command === "initialize") {
      this.open.set(seq, { request: message });
    }
  }

  onDidSendMessage(message: Message): void {
    if (this.isForeign) return;
    if (message.type === "event") this.event(message.event ?? "", message.body);
    else if (message.type === "response") this.response(message);
  }

  onError(error: Error): void {
    this.error = error.message;
  }

  onExit(): void {
    this.listener.ended(this.error);
  }

  private event(event: string, body: Body = {}): void {
    if (this.isOurs && event.startsWith("ask")) this.ask(event, body);
    else if (event === "stopped") this.stopped(body);
    else if (event === "initialized") delete this.tracked.caught;
    else if (event === "output") this.wrote(body);
    else if (event === "terminated") this.moved(undefined);
    else if (event === "process") this.isLeft = false;
    else if (event === "exited" && body.exitCode !== undefined && !this.isLeft) this.tracked.exitCode = body.exitCode;
    else if (event === "continued" && this.isAllOf(body)) this.moved(undefined);
  }

  private ask(event: string, body: Body): void {
    this.listener.received({ session: this.tracked.session, event, body });
    if (event !== "askCaught") return;
    this.tracked.caught = body as AskCaught;
    this.listener.changed();
  }

  private wrote({ category, output = "" }: Body): void {
    if (category !== "stdout" && category !== "stderr") return;
    const all = this.tracked.output + output;
    this.tracked.output = all.length > 2 * MAX_OUTPUT_CHARS ? all.slice(-MAX_OUTPUT_CHARS) : all;
  }

  private isAllOf(body: Body): boolean {
    return body.allThreadsContinued !== false || body.threadId === this.tracked.stop?.threadId;
  }

  private stopped(body: Body): void {
    const stop: Stop = { reason: body.reason ?? "pause", frames: new Map() };
    // From then on dap-ai knows of none that was caught.
    if (body.reason === "exception") delete this.tracked.caught;
    if (body.threadId !== undefined) stop.threadId = body.threadId;
    const cause = causeOf(body);
    if (cause !== "") stop.cause = cause;
    this.moved(stop);
  }

  private response(message: Message): void {
    const opened = this.open.get(message.request_seq ?? -1);
    if (!opened) return;
    this.open.delete(message.request_seq ?? -1);
    const { request, before } = opened;
    const body = message.body ?? {};
    if (message.success === false) {
      // It did not go on after all.
      if (before && !this.tracked.stop) this.moved(before);
    } else if (request.command === "initialize") {
      this.isOurs = body.supportsAskRequest === true;
      this.isForeign = !this.isOurs && !canTakeOver(this.tracked.session);
      if (this.isOurs) this.listener.found(this.tracked);
    } else if (request.command === "stackTrace") {
      this.stack(request, body.stackFrames ?? []);
    } else if (request.command === "evaluate") {
      const [, askId, question] = CONSOLE_ASK.exec(body.result ?? "") ?? [];
      if (askId !== undefined) this.tracked.consoleQuestions.set(askId, question ?? "");
    }
  }

  private stack(request: Message, frames: RawFrame[]): void {
    const { threadId, startFrame = 0 } = request.arguments ?? {};
    const stop = this.tracked.stop;
    if (!stop || threadId === undefined) return;
    const ids = stop.frames.get(threadId) ?? [];
    frames.forEach((frame, index) => (ids[startFrame + index] = frame.id));
    stop.frames.set(threadId, ids);
    if (threadId !== (stop.threadId ?? threadId) || (stop.top?.file !== undefined && startFrame > 0)) return;
    const top = frames.find(isShown) ?? (stop.top ? undefined : frames[0]);
    if (!top || stop.top?.frameId === top.id) return;
    stop.top = positionOf(top);
    this.moved(stop);
  }

  private moved(stop: Stop | undefined): void {
    if (!stop && !this.tracked.stop) return;
    if (stop) this.tracked.stop = stop;
    else delete this.tracked.stop;
    if (this.isOurs) this.listener.changed();
    else if (!this.isForeign) this.listener.other(this.tracked);
  }
}

/** On one line, without debugpy's hint for a stack that is shown beside it. */
function causeOf({ text, description }: Body): string {
  const words = [text, description].map((each) => (each ?? "").replace(/\s*\(note: full exception trace [^]*$/, "").replace(/\s+/g, " ").trim());
  return [...new Set(words.filter((each) => each !== "" && each !== "exception: no description"))].join(": ").slice(0, 200);
}

function isShown(frame: RawFrame): boolean {
  const hint = frame.source?.presentationHint ?? frame.presentationHint;
  return frame.source?.path !== undefined && hint !== "deemphasize" && hint !== "subtle" && hint !== "label";
}

function positionOf(frame: RawFrame): Position {
  const position: Position = { frameId: frame.id, frame: frame.name, line: frame.line };
  if (frame.source?.path !== undefined) position.file = frame.source.path;
  return position;
}
