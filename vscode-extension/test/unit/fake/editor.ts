/** What the ways to ask, links and installing need of `vscode`: editors, CodeLens, chat, tools, tasks. */

interface Disposed {
  dispose(): unknown;
}

type Run = (...args: never[]) => unknown;
interface End {
  execution: unknown;
  exitCode?: number | undefined;
}

/** What a test sees and sets. */
export const editor = {
  /** By name, the commands that are registered. */
  commands: new Map<string, Run>(),
  /** By name, the tools that are registered. */
  tools: new Map<string, { invoke: Run; prepareInvocation: Run }>(),
  participant: undefined as { handle: Run; followupProvider?: { provideFollowups: Run } } | undefined,
  lenses: undefined as { provideCodeLenses: Run; onDidChangeCodeLenses: (listener: () => void) => Disposed } | undefined,
  /** Types whose configurations somebody resolves. */
  resolved: [] as string[],
  /** What `findFiles` finds, whatever it is asked; and what it was asked. */
  found: [] as unknown[],
  patterns: [] as string[],
  /** The label that the next quick pick's user chooses; what it has offered. */
  pick: undefined as string | undefined,
  offered: [] as string[],
  /** What the user types; the file that the user chooses in a dialog. */
  typed: undefined as string | undefined,
  chosen: undefined as { fsPath: string } | undefined,
  /** Shown documents: the place of the selection, and the column. */
  shown: [] as { path: string; line: number; character: number; column: unknown; preserveFocus?: true }[],
  /** The command lines that tasks have run; how each of them ends. */
  ran: [] as string[][],
  taskEnds: (): number | "closed" | Error => 0,
  reset(): void {
    this.commands.clear();
    this.tools.clear();
    this.found = [];
    this.resolved.length = this.patterns.length = this.offered.length = this.shown.length = this.ran.length = 0;
    this.participant = this.lenses = this.pick = this.typed = this.chosen = undefined;
    this.taskEnds = () => 0;
    editorWindow.activeTextEditor = undefined;
    editorWindow.tabGroups.activeTabGroup.activeTab = undefined;
    editorWindow.tabGroups.all = [{ tabs: [] }];
    editorWindow.visibleTextEditors.length = 0;
  },
};

const nothing = (): Disposed => ({ dispose: () => undefined });

export enum ViewColumn {
  Beside = -2,
  Active = -1,
  One = 1,
  Two = 2,
}

export enum TextEditorRevealType {
  InCenterIfOutsideViewport = 2,
}

export enum TaskScope {
  Workspace = 2,
}

export enum TaskRevealKind {
  Always = 1,
}

export enum TaskPanelKind {
  Shared = 1,
}

export class TabInputTextDiff {
  constructor(
    readonly original: unknown,
    readonly modified: unknown,
  ) {}
}

export class TabInputWebview {
  constructor(readonly viewType: string) {}
}

export class CodeLens {
  constructor(
    readonly range: unknown,
    readonly command: unknown,
  ) {}
}

export class Location {
  constructor(
    readonly uri: unknown,
    readonly range: unknown,
  ) {}
}

export class LanguageModelToolResult {
  constructor(readonly content: { value: string }[]) {}
}

export class ProcessExecution {
  constructor(
    readonly program: string,
    readonly args: string[],
  ) {}
}

export class Task {
  presentationOptions: unknown;
  constructor(
    readonly definition: unknown,
    readonly scope: unknown,
    readonly name: string,
    readonly source: string,
    readonly execution: ProcessExecution,
  ) {}
}

const endings = { process: new Set<(end: End) => void>(), task: new Set<(end: End) => void>() };

function listens(to: Set<(end: End) => void>) {
  return (listener: (end: End) => void): Disposed => {
    to.add(listener);
    return { dispose: () => to.delete(listener) };
  };
}

export const tasks = {
  /** As VS Code does: it ends after the caller was told that it has begun. */
  executeTask: (task: Task): Promise<unknown> => {
    const argv = [task.execution.program, ...task.execution.args];
    editor.ran.push(argv);
    const how = editor.taskEnds();
    if (how instanceof Error) return Promise.reject(how);
    const execution = { task };
    setImmediate(() => {
      if (how !== "closed") for (const listener of endings.process) listener({ execution, exitCode: how });
      for (const listener of endings.task) listener({ execution });
    });
    return Promise.resolve(execution);
  },
  onDidEndTaskProcess: listens(endings.process),
  onDidEndTask: listens(endings.task),
};

export const languages = {
  registerCodeLensProvider: (_selector: unknown, provider: NonNullable<typeof editor.lenses>): Disposed => {
    editor.lenses = provider;
    return nothing();
  },
};

/** `vscode.chat`; a test takes `createChatParticipant` away for a fork without it. */
export const chat: { createChatParticipant?: (id: string, handle: Run) => unknown } = {
  createChatParticipant: (_id, handle) => (editor.participant = Object.assign(nothing(), { handle })),
};

/** Of `vscode.lm`. */
export const toolsOfModels = {
  registerTool: (name: string, tool: { invoke: Run; prepareInvocation: Run }): Disposed => {
    editor.tools.set(name, tool);
    return { dispose: () => editor.tools.delete(name) };
  },
};

interface FakeTab {
  input: unknown;
  label: string;
}

/** Of `vscode.commands`. */
export const editorCommands = {
  registerCommand: (name: string, run: Run): Disposed => {
    editor.commands.set(name, run);
    return { dispose: () => editor.commands.delete(name) };
  },
};

interface ShowOptions {
  viewColumn: unknown;
  preserveFocus?: boolean;
  selection: { start: { line: number; character: number } };
}

/** Of `vscode.window`. */
export const editorWindow = {
  activeTextEditor: undefined as unknown,
  visibleTextEditors: [] as { viewColumn?: ViewColumn }[],
  tabGroups: {
    activeTabGroup: { activeTab: undefined as { input: unknown } | undefined },
    all: [{ tabs: [] as FakeTab[] }],
    listeners: new Set<() => void>(),
    onDidChangeTabs(listener: () => void): Disposed {
      this.listeners.add(listener);
      return { dispose: () => this.listeners.delete(listener) };
    },
    close(tabs: FakeTab[]): Promise<boolean> {
      for (const group of this.all) group.tabs = group.tabs.filter((tab) => !tabs.includes(tab));
      return Promise.resolve(true);
    },
    /** Opens a tab, as the user does. */
    open(tab: FakeTab): void {
      this.all[0]?.tabs.push(tab);
      for (const listener of this.listeners) listener();
    },
  },
  onDidChangeVisibleTextEditors: nothing,
  createTextEditorDecorationType: nothing,
  showQuickPick: async (items: { label: string }[] | Promise<{ label: string }[]>): Promise<unknown> => {
    const all = await items;
    editor.offered.push(...all.map(({ label }) => label));
    return all.find(({ label }) => label === editor.pick);
  },
  showInputBox: (): Promise<string | undefined> => Promise.resolve(editor.typed),
  showOpenDialog: (): Promise<unknown> => Promise.resolve(editor.chosen && [editor.chosen]),
  showTextDocument: (document: { uri: { fsPath: string } }, options?: ShowOptions): Promise<unknown> => {
    const focus = options?.preserveFocus ? { preserveFocus: true as const } : {};
    if (options) editor.shown.push({ path: document.uri.fsPath, ...options.selection.start, column: options.viewColumn, ...focus });
    return Promise.resolve({ revealRange: () => undefined, setDecorations: () => undefined });
  },
};

/** Of `vscode.workspace`. */
export const editorWorkspace = {
  findFiles: (pattern: string): Promise<unknown[]> => {
    editor.patterns.push(pattern);
    return Promise.resolve(editor.found);
  },
  asRelativePath: (file: string | { fsPath: string }): string => (typeof file === "string" ? file : file.fsPath).replace(/^\/w\//, ""),
};
