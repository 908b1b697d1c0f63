/** One reply of a language model of VS Code, as the requests `askModelDelta` and `askModelEnd` to dap_ai. */

import * as vscode from "vscode";
import { messagesOf, toolsOf } from "./lentMessages";
import { log, textOf } from "../log";
import type { AskModel, AskModelBody, AskModelDelta, AskModelEnd, ModelCall, ModelFailure } from "../shared/protocol";

/** Text waits so long for more of it: few messages, however small a model's pieces are. */
const FLUSH_MS = 40;
const JUSTIFICATION = "To explain why the program you are debugging stopped. Its source and values are sent, secrets masked.";
const QUOTA = /quota|rate.?limit|too many requests|\b429\b|exceeded your/i;
const OVERFLOW = /context.?(length|window)|(prompt|message|input|request) (is )?too (long|large)|(exceeds?|over|maximum).{0,40}token|token.{0,20}limit/i;

/** A request `askModel` that is being answered. */
export class Loan {
  private readonly source = new vscode.CancellationTokenSource();
  private readonly calls: ModelCall[] = [];
  private text = "";
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly session: vscode.DebugSession,
    private readonly body: AskModel,
  ) {}

  /** Nobody waits for the reply any more: the model stops, and dap_ai is told nothing. */
  cancel(): void {
    this.source.cancel();
  }

  /** Asks the model and passes its reply on. Never rejects; what `find` rejects with is told as any failure. */
  async run(find: () => Promise<vscode.LanguageModelChat>): Promise<void> {
    try {
      const model = await find();
      if (!this.isOver) await this.read(model);
      await this.end({ calls: this.calls, model: model.name });
    } catch (error) {
      if (!this.isOver) log().warn(`The language model failed: ${textOf(error)}`);
      await this.end({ error: failureOf(error) });
    } finally {
      clearTimeout(this.timer);
      this.source.dispose();
    }
  }

  private get isOver(): boolean {
    return this.source.token.isCancellationRequested;
  }

  private async read(model: vscode.LanguageModelChat): Promise<void> {
    const tools = toolsOf(this.body);
    const options = { justification: JUSTIFICATION, ...(tools.length > 0 ? { tools } : {}) };
    const response = await model.sendRequest(messagesOf(this.body), options, this.source.token);
    for await (const part of response.stream) {
      if (this.isOver) return;
      if (part instanceof vscode.LanguageModelTextPart) this.say(part.value);
      else if (part instanceof vscode.LanguageModelToolCallPart) {
        this.calls.push({ id: part.callId, name: part.name, arguments: part.input });
      }
    }
  }

  private say(text: string): void {
    this.text += text;
    this.timer ??= setTimeout(() => {
      this.flush();
    }, FLUSH_MS);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { text } = this;
    this.text = "";
    if (text === "" || this.isOver) return;
    const delta: AskModelDelta = { requestId: this.body.requestId, text };
    this.session.customRequest("askModelDelta", delta).then(
      (answer: AskModelBody | undefined) => {
        if (answer?.active === false) this.cancel();
      },
      () => {
        this.cancel(); // the session is gone, or dap_ai does not know this request
      },
    );
  }

  private async end(how: Omit<AskModelEnd, "requestId">): Promise<void> {
    this.flush();
    if (this.isOver) return;
    const end: AskModelEnd = { requestId: this.body.requestId, ...how };
    try {
      await this.session.customRequest("askModelEnd", end);
    } catch (error) {
      log().info(`askModelEnd: ${textOf(error)}`);
    }
  }
}

/** An error of a language model in the words of dap_ai's protocol; see ModelTrouble in dap_ai/protocol/wire/ask_messages.py. */
export function failureOf(error: unknown): ModelFailure {
  const message = [...new Set(texts(error))].join(": ");
  const code = error instanceof vscode.LanguageModelError ? error.code : "";
  if (code === "NoPermissions") return { code: "noPermissions", message };
  if (error instanceof vscode.CancellationError) return { code: "cancelled", message };
  if (QUOTA.test(message)) return { code: "quota", message };
  if (OVERFLOW.test(message)) return { code: "overflow", message };
  if (code === "NotFound") return { code: "notFound", message };
  if (code === "Blocked") return { code: "blocked", message };
  return { code: "failed", message };
}

/** What an error says, and what its cause says. */
function texts(error: unknown): string[] {
  const said = textOf(error).trim();
  const own = said === "" ? [] : [said];
  return error instanceof Error && error.cause !== undefined ? [...own, ...texts(error.cause)] : own;
}
