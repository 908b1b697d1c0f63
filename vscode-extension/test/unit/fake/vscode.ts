/** As much of `vscode` as the unit tests need. Nothing here does more than remember. */

import { asking, askingDebug, askingEnv, askingWorkspace } from "./asking";
import { editor, editorCommands, editorWindow, editorWorkspace, toolsOfModels } from "./editor";
import { lm as models } from "./languageModels";

export { FileType, WorkspaceEdit } from "./asking";
export {
  chat,
  CodeLens,
  LanguageModelToolResult,
  languages,
  Location,
  ProcessExecution,
  TabInputTextDiff,
  TabInputWebview,
  Task,
  TaskPanelKind,
  tasks,
  TaskRevealKind,
  TaskScope,
  TextEditorRevealType,
  ViewColumn,
} from "./editor";
export * from "./languageModels";

type Listener<T> = (event: T) => unknown;

export class Disposable {
  constructor(private readonly call: () => unknown) {}

  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const each of all) each.dispose();
    });
  }

  dispose(): void {
    this.call();
  }
}

export class EventEmitter<T> {
  private readonly listeners = new Set<Listener<T>>();

  readonly event = (listener: Listener<T>): Disposable => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };

  fire(event: T): void {
    for (const listener of this.listeners) listener(event);
  }

  dispose(): void {
    this.listeners.clear();
  }
}

export class CancellationError extends Error {}

export class CancellationTokenSource {
  private readonly cancelled = new EventEmitter<undefined>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.cancelled.event };

  cancel(): void {
    this.token.isCancellationRequested = true;
    this.cancelled.fire(undefined);
  }

  dispose(): void {
    this.cancelled.dispose();
  }
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class ThemeIcon {
  constructor(readonly id: string) {}
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}
}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
    readonly query = "",
  ) {}

  static file(path: string): Uri {
    return new Uri("file", path);
  }

  static parse(text: string): Uri {
    const [scheme = "", ...rest] = text.split(":");
    return new Uri(scheme, rest.join(":").replace(/^\/\//, ""));
  }

  static joinPath(uri: Uri, ...parts: string[]): Uri {
    return new Uri(uri.scheme, [uri.path, ...parts].join("/"));
  }

  get fsPath(): string {
    return this.path;
  }

  with(change: { path?: string; scheme?: string; query?: string }): Uri {
    return new Uri(change.scheme ?? this.scheme, change.path ?? this.path, change.query ?? this.query);
  }

  toString(): string {
    return `${this.scheme}://${this.path}${this.query === "" ? "" : `?${this.query}`}`;
  }
}

export class DebugAdapterServer {
  constructor(
    readonly port: number,
    readonly host?: string,
  ) {}
}

export enum ConfigurationTarget {
  Global = 1,
  Workspace = 2,
  WorkspaceFolder = 3,
}

export enum StatusBarAlignment {
  Left = 1,
  Right = 2,
}

export enum QuickPickItemKind {
  Separator = -1,
  Default = 0,
}

export enum DebugConfigurationProviderTriggerKind {
  Initial = 1,
  Dynamic = 2,
}

/** What tests set, and what the code under test has done. `reset` before each test. */
export const fake = {
  /** By full name: what the user has set. */
  settings: new Map<string, unknown>(),
  /** Messages that were shown. */
  shown: [] as string[],
  /** Fires with each of them. */
  showing: new EventEmitter<string>(),
  /** The buttons of the last of them. */
  buttons: [] as string[],
  /** The button that the next message's user chooses. */
  choose: undefined as string | undefined,
  /** Commands that were executed: name and arguments. */
  executed: [] as unknown[][],
  logged: [] as string[],
  /** The text of the status-bar item that was shown last; empty: it was hidden. */
  statusBar: "",
  folders: [] as { uri: Uri; name: string; index: number }[],
  isTrusted: true,
  started: new EventEmitter<unknown>(),
  ended: new EventEmitter<unknown>(),
  configured: new EventEmitter<{ affectsConfiguration(name: string): boolean }>(),
  reset(): void {
    this.settings.clear();
    this.shown.length = this.executed.length = this.logged.length = this.folders.length = 0;
    this.buttons = [];
    this.choose = undefined;
    this.statusBar = "";
    this.isTrusted = true;
    asking.ends = endSession;
    askingDebug.started.length = 0;
    editor.reset();
  },
};

/** As `fake.reset`. */
export function resetFake(): void {
  fake.reset();
}

/** The user sets `name`; those who listen are told. */
export function changeSetting(name: string, value: unknown): void {
  fake.settings.set(name, value);
  fake.configured.fire({ affectsConfiguration: (asked) => name === asked || name.startsWith(`${asked}.`) });
}

/** A debug session ends. */
export function endSession(session: unknown): void {
  fake.ended.fire(session);
}

const show = (text: string, ...buttons: string[]): Promise<string | undefined> => {
  fake.shown.push(text);
  fake.buttons = buttons;
  fake.showing.fire(text);
  return Promise.resolve(fake.choose);
};
const write = (text: string): number => fake.logged.push(text);

export const window = Object.assign(editorWindow, {
  createOutputChannel: (): unknown => ({
    ...{ info: write, warn: write, error: write, debug: write, trace: write },
    show: () => undefined,
    dispose: () => undefined,
  }),
  createStatusBarItem: (): unknown => {
    const item = { text: "", show: () => (fake.statusBar = item.text), hide: () => (fake.statusBar = ""), dispose: () => undefined };
    return item;
  },
  showErrorMessage: show,
  showWarningMessage: show,
  showInformationMessage: show,
  setStatusBarMessage: write,
});

export const workspace = {
  ...askingWorkspace,
  ...editorWorkspace,
  get workspaceFolders(): unknown {
    return fake.folders.length > 0 ? fake.folders : undefined;
  },
  get isTrusted(): boolean {
    return fake.isTrusted;
  },
  getConfiguration: (section: string): unknown => ({
    get: (name: string): unknown => fake.settings.get(`${section}.${name}`),
    inspect: (name: string): unknown => ({ globalValue: fake.settings.get(`${section}.${name}`) }),
    update: (name: string, value: unknown): Promise<unknown> => Promise.resolve(fake.settings.set(`${section}.${name}`, value)),
  }),
  getWorkspaceFolder: (): unknown => fake.folders[0],
  onDidChangeConfiguration: fake.configured.event,
};

export const extensions = { getExtension: (): unknown => undefined };

export const commands = {
  executeCommand: (...call: unknown[]): Promise<void> => {
    fake.executed.push(call);
    return Promise.resolve();
  },
  ...editorCommands,
};

export const debug = {
  ...askingDebug,
  activeDebugSession: undefined as unknown,
  activeStackItem: undefined as unknown,
  onDidStartDebugSession: fake.started.event,
  onDidTerminateDebugSession: fake.ended.event,
  startDebugging: (...call: [unknown, Record<string, unknown>]): Promise<boolean> => {
    fake.executed.push(["startDebugging", ...call]);
    return askingDebug.startDebugging(...call);
  },
  registerDebugConfigurationProvider: (type: string): Disposable => {
    editor.resolved.push(type);
    return new Disposable(() => undefined);
  },
};

export const env = { ...askingEnv };

/** With tools, which a test takes away for an older VS Code. */
export const lm: Partial<typeof toolsOfModels> = Object.assign(models, toolsOfModels);

export const version = "1.120.0";
