/** VS Code's language models, by hand: what is asked of them is kept, and they say what they are given. */

/** Part of a message. */
export class LanguageModelTextPart {
  constructor(readonly value: string) {}
}

export class LanguageModelToolCallPart {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}

export class LanguageModelToolResultPart {
  constructor(
    readonly callId: string,
    readonly content: unknown[],
  ) {}
}

export class LanguageModelChatMessage {
  private constructor(
    readonly role: "user" | "assistant",
    readonly content: unknown[],
  ) {}

  static User(content: string | unknown[]): LanguageModelChatMessage {
    return new LanguageModelChatMessage("user", partsOf(content));
  }

  static Assistant(content: string | unknown[]): LanguageModelChatMessage {
    return new LanguageModelChatMessage("assistant", partsOf(content));
  }
}

function partsOf(content: string | unknown[]): unknown[] {
  return typeof content === "string" ? [new LanguageModelTextPart(content)] : content;
}

export class LanguageModelError extends Error {
  constructor(
    message: string | undefined,
    readonly code: string,
    cause?: Error,
  ) {
    super(message, cause ? { cause } : {});
  }

  static NoPermissions(message?: string): LanguageModelError {
    return new LanguageModelError(message, "NoPermissions");
  }

  static Blocked(message?: string): LanguageModelError {
    return new LanguageModelError(message, "Blocked");
  }

  static NotFound(message?: string): LanguageModelError {
    return new LanguageModelError(message, "NotFound");
  }
}

/** What a model says in one reply: text, parts, an error that is thrown; a function is called and waited for. */
export type Said = string | object | Error | (() => Promise<void>);

/** What a model was asked. */
export interface Request {
  messages: LanguageModelChatMessage[];
  options: { justification?: string; tools?: { name: string; inputSchema?: object }[] };
  token: { readonly isCancellationRequested: boolean };
}

/** One model. Each request takes the next reply. */
export class FakeModel {
  readonly requests: Request[] = [];
  readonly replies: Said[][] = [];
  readonly id: string;

  constructor(
    readonly name: string,
    readonly vendor: string,
    readonly family: string,
  ) {
    this.id = `${family}-id`;
  }

  sendRequest(messages: LanguageModelChatMessage[], options: Request["options"], token: Request["token"]): Promise<unknown> {
    this.requests.push({ messages, options, token });
    const reply = this.replies.shift() ?? [];
    const [first] = reply;
    if (first instanceof Error) return Promise.reject(first);
    return Promise.resolve({ stream: stream(reply) });
  }
}

async function* stream(reply: Said[]): AsyncGenerator {
  for (const said of reply) {
    if (said instanceof Error) throw said;
    if (typeof said === "function") await (said as () => Promise<void>)();
    else yield typeof said === "string" ? new LanguageModelTextPart(said) : said;
  }
}

/** `vscode.lm`; a test puts models into it, and takes `selectChatModels` away for an older VS Code. */
export const lm: {
  models: FakeModel[];
  listeners: (() => void)[];
  selectChatModels?: (selector?: object) => Promise<FakeModel[]>;
  onDidChangeChatModels: (listener: () => void) => { dispose(): void };
} = {
  models: [],
  listeners: [],
  selectChatModels: () => Promise.resolve([...lm.models]),
  onDidChangeChatModels: (listener) => {
    lm.listeners.push(listener);
    return { dispose: () => lm.listeners.splice(lm.listeners.indexOf(listener), 1) };
  },
};
