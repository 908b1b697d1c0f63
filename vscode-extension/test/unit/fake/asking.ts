/** What asking needs of `vscode`: debug sessions that a test plays, documents in memory, the clipboard. */

interface Tracker {
  onWillReceiveMessage(message: unknown): void;
  onDidSendMessage(message: unknown): void;
  onError(error: Error): void;
  onExit(): void;
}

type Request = (command: string, args: unknown) => unknown;
interface Disposed {
  dispose(): unknown;
}

/** What a test sees and sets. */
export const asking = {
  trackers: undefined as { createDebugAdapterTracker(session: unknown): Tracker } | undefined,
  documents: new Map<string, FakeDocument>(),
  clipboard: "",
  /** The buttons of the next notifications. */
  answers: [] as string[],
  notifications: [] as string[],
  stackListeners: new Set<() => void>(),
  /** What ends a session; see ./vscode. */
  ends: undefined as ((session: unknown) => void) | undefined,
};

/** A session as VS Code has it, and the adapter's side of it. */
export class FakeSession {
  readonly configuration: Record<string, unknown>;
  parentSession: FakeSession | undefined;
  readonly requests: { command: string; args: Record<string, unknown> }[] = [];
  readonly tracker: Tracker;
  private seq = 0;

  constructor(
    readonly id: string,
    readonly name: string,
    private readonly answer: Request,
    isOurs = true,
    readonly type = "dap-ai",
    configuration: Record<string, unknown> = {},
  ) {
    this.configuration = { type, name, request: "launch", ...configuration };
    if (!asking.trackers) throw new Error("nobody tracks sessions");
    this.tracker = asking.trackers.createDebugAdapterTracker(this);
    this.exchange("initialize", {}, { supportsAskRequest: isOurs });
  }

  async customRequest(command: string, args: Record<string, unknown>): Promise<unknown> {
    this.requests.push({ command, args });
    return await this.answer(command, args);
  }

  /** A request of VS Code's own and its response. */
  exchange(command: string, args: unknown, body: unknown, success = true): void {
    const seq = ++this.seq;
    this.tracker.onWillReceiveMessage({ type: "request", seq, command, arguments: args });
    this.tracker.onDidSendMessage({ type: "response", request_seq: seq, command, success, body });
  }

  event(event: string, body: unknown = {}): void {
    this.tracker.onDidSendMessage({ type: "event", event, body });
  }

  stop(file: string, line: number, reason = "exception"): void {
    this.event("stopped", { reason, threadId: 1 });
    const frames = [{ id: 7, name: "average", line, source: { path: file } }];
    this.exchange("stackTrace", { threadId: 1 }, { stackFrames: frames });
  }
}

/** A document in memory, saved when it is made. */
export class FakeDocument {
  isDirty = false;
  constructor(
    readonly uri: { toString(): string },
    public text: string,
  ) {
    asking.documents.set(uri.toString(), this);
  }

  getText(): string {
    return this.text;
  }

  positionAt(offset: number): number {
    return offset;
  }

  get lineCount(): number {
    return this.text.split("\n").length;
  }

  lineAt(lineNumber: number): { lineNumber: number; firstNonWhitespaceCharacterIndex: number; range: unknown } {
    const line = this.text.split("\n")[lineNumber];
    if (line === undefined) throw new Error("Illegal value for `line`");
    const range = { start: { line: lineNumber, character: 0 }, end: { line: lineNumber, character: line.length } };
    return { lineNumber, firstNonWhitespaceCharacterIndex: line.search(/\S|$/), range };
  }

  save(): Promise<boolean> {
    this.isDirty = false;
    return Promise.resolve(true);
  }
}

/** Replacements by offset: `positionAt` gives those here. */
export class WorkspaceEdit {
  readonly edits: { uri: { toString(): string }; start: number; end: number; text: string }[] = [];

  replace(uri: { toString(): string }, range: { start: unknown; end: unknown }, text: string): void {
    this.edits.push({ uri, start: Number(range.start), end: Number(range.end), text });
  }
}

export enum FileType {
  File = 1,
  Directory = 2,
}

const nothing = (): Disposed => ({ dispose: () => undefined });

/** Of `vscode.debug`. */
export const askingDebug = {
  /** The last one that was registered. */
  registerDebugAdapterTrackerFactory: (_type: string, factory: NonNullable<typeof asking.trackers>): Disposed => {
    asking.trackers = factory;
    return { dispose: () => (asking.trackers = undefined) };
  },
  onDidChangeActiveDebugSession: nothing,
  /** The configurations that were started. */
  started: [] as Record<string, unknown>[],
  startDebugging: (_folder: unknown, configuration: Record<string, unknown>): Promise<boolean> => {
    askingDebug.started.push(configuration);
    return Promise.resolve(true);
  },
  /** As VS Code does: the end is told of apart. */
  stopDebugging: (session: unknown): Promise<void> => {
    setImmediate(() => asking.ends?.(session));
    return Promise.resolve();
  },
  onDidChangeActiveStackItem: (listener: () => void): Disposed => {
    asking.stackListeners.add(listener);
    return { dispose: () => asking.stackListeners.delete(listener) };
  },
};

/** Of `vscode.workspace`. */
export const askingWorkspace = {
  registerTextDocumentContentProvider: nothing,
  onDidCloseTextDocument: nothing,
  fs: {
    stat: (uri: { toString(): string }): Promise<{ type: FileType }> =>
      asking.documents.has(uri.toString()) ? Promise.resolve({ type: FileType.File }) : Promise.reject(new Error("no file")),
  },
  openTextDocument: (what: { toString(): string } | { content: string }): Promise<unknown> => {
    if ("content" in what) return Promise.resolve(new FakeDocument({ toString: () => "untitled:1" }, what.content));
    const document = asking.documents.get(what.toString());
    return document ? Promise.resolve(document) : Promise.reject(new Error("no file"));
  },
  applyEdit: ({ edits }: WorkspaceEdit): Promise<boolean> => {
    for (const { uri, start, end, text } of edits) {
      const document = asking.documents.get(uri.toString());
      if (!document) return Promise.resolve(false);
      document.text = document.text.slice(0, start) + text + document.text.slice(end);
      document.isDirty = true;
    }
    return Promise.resolve(true);
  },
};

/** Of `vscode.env`. */
export const askingEnv = {
  clipboard: {
    writeText: (text: string): Promise<void> => {
      asking.clipboard = text;
      return Promise.resolve();
    },
  },
};
