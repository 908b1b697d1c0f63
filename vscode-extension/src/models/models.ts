/**
 * Who answers: nobody but the offline analyst, a language model that VS Code lends, or an endpoint of the user's own.
 * The model's part is `Models`, a `Lender` (../ask/lender.ts); the endpoint is the proxy's affair: it gets its key here.
 */

import * as vscode from "vscode";
import type { Lender } from "../ask/lender";
import { Loan } from "./lending";
import { log, textOf } from "../log";
import { answererOf } from "../ask/answerer";
import type { Told } from "../proxy/served";
import { ANSWERER_SETTINGS, setting, type Setting } from "../settings";
import type { Answerer } from "../shared/messages";
import type { AskModel, AskModelEnded } from "../shared/protocol";

/** As the setting `dapAi.model` has it. `auto`: as dap_ai itself is configured. */
export type Choice = "auto" | "offline" | "editor" | "endpoint";

const KEY = "dapAi.apiKey";
const OPENAI = "https://api.openai.com/v1";
const SENT = "The question, source and values of the program are sent there, secrets masked.";

/**
 * Secrets for the environment of the proxy: the endpoint's key, and only where the endpoint was chosen. They stand in
 * no setting and no log.
 */
export async function secretEnvironment(context: vscode.ExtensionContext): Promise<Record<string, string>> {
  if (choice() !== "endpoint") return {};
  const key = await keyOf(context);
  return key === undefined ? {} : { OPENAI_API_KEY: key };
}

/** The endpoint's key. */
export async function keyOf(context: vscode.ExtensionContext): Promise<string | undefined> {
  return (await context.secrets.get(KEY)) ?? undefined;
}

/** Keeps the endpoint's key in VS Code's secret storage; undefined forgets it. */
export async function keepKey(context: vscode.ExtensionContext, key: string | undefined): Promise<void> {
  if (key === undefined) await context.secrets.delete(KEY);
  else await context.secrets.store(KEY, key);
}

/** What was chosen. */
export function choice(): Choice {
  return setting<Choice>("model") ?? "auto";
}

/** Whether a certain model of VS Code's was chosen; then no other one answers. */
export function isModelNamed(): boolean {
  return given("editor.model") !== undefined;
}

/** VS Code's language models; undefined: this VS Code has no such thing. */
export function languageModels(): typeof vscode.lm | undefined {
  const { lm } = vscode as Partial<typeof vscode>;
  return typeof lm?.selectChatModels === "function" ? lm : undefined;
}

/** All of them; none, where VS Code has none or cannot tell. */
export async function allModels(): Promise<vscode.LanguageModelChat[]> {
  try {
    return (await languageModels()?.selectChatModels({})) ?? [];
  } catch (error) {
    log().warn(`VS Code's language models cannot be listed: ${textOf(error)}`);
    return [];
  }
}

/** How the setting `dapAi.editor.model` names a model. */
export function idOf(model: vscode.LanguageModelChat): string {
  return `${model.vendor}/${model.family}`;
}

/** The models of VS Code as a lender of dap_ai's questions: give it to the Host, and to `context.subscriptions`. */
export class Models implements Lender, vscode.Disposable {
  private readonly loans = new Map<string, Loan>();
  private readonly subscriptions: vscode.Disposable[];
  private readonly changed = new vscode.EventEmitter<undefined>();
  /** The one that was found last; only its name is used, before another is looked for. */
  private found: vscode.LanguageModelChat | undefined;
  /** Who answers as dap_ai itself is configured. */
  private configured: Answerer | undefined;

  /** While running sessions are told of another choice. */
  private applying: Promise<void> | undefined;
  /** Who goes on answering in a session that could not be told. */
  private behind: Answerer | undefined;
  /** Who answered by the last choice that sessions were told. */
  private last: Answerer | undefined;

  /** Another one answers the next question. */
  readonly onDidChange = this.changed.event;

  /** `tell` tells running sessions who was chosen. */
  constructor(private readonly tell: () => Promise<Told> = () => Promise.resolve({})) {
    const lm = languageModels() as Partial<typeof vscode.lm> | undefined;
    this.subscriptions = [
      this.changed,
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (ANSWERER_SETTINGS.some((name) => event.affectsConfiguration(`dapAi.${name}`))) void this.apply();
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        this.cancelAll(session.id);
        this.behind = undefined;
      }),
    ];
    if (lm?.onDidChangeChatModels) this.subscriptions.push(lm.onDidChangeChatModels(() => void this.refresh()));
    void this.refresh();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    for (const loan of this.loans.values()) loan.cancel();
    this.loans.clear();
  }

  /** Also where no model is there just now: then the answer says so. */
  offered(): string[] {
    return choice() === "editor" ? ["editor"] : [];
  }

  lentModel(): string | undefined {
    return this.found?.name ?? given("editor.model");
  }

  onAskModel(session: vscode.DebugSession, body: unknown, model?: vscode.LanguageModelChat): void {
    const wanted = body as AskModel;
    const key = keyFor(session.id, wanted.requestId);
    const loan = new Loan(session, wanted);
    this.loans.set(key, loan);
    void loan.run(() => this.needed(model)).finally(() => {
      if (this.loans.get(key) === loan) this.loans.delete(key);
    });
  }

  onAskModelEnded(session: vscode.DebugSession, body: unknown): void {
    this.loans.get(keyFor(session.id, (body as AskModelEnded).requestId))?.cancel();
  }

  /** Another choice, or another key: running sessions are told, and only then does anybody read who answers. */
  apply(): Promise<void> {
    const applying = (this.applying ?? Promise.resolve()).then(async () => {
      const { who, isBehind } = await this.tell();
      this.behind = isBehind ? this.last : undefined;
      if (choice() === "auto" && who !== undefined) this.configured = answererOf(who);
      await this.refresh();
    });
    const done = applying.catch((error: unknown) => {
      log().warn(`Who answers: ${textOf(error)}`);
    });
    this.applying = done;
    void done.then(() => {
      if (this.applying === done) this.applying = undefined;
    });
    return done;
  }

  /** Undefined: every session knows who answers. */
  ready(): Promise<void> | undefined {
    return this.applying;
  }

  /** Whether a running session could not be told. */
  get isBehind(): boolean {
    return this.behind !== undefined;
  }

  /** dap_ai has told who answers where nobody was chosen here. */
  setConfigured(answerer: Answerer | undefined): void {
    if (JSON.stringify(answerer) === JSON.stringify(this.configured)) return;
    this.configured = answerer;
    this.changed.fire(undefined);
  }

  /** Who answers the next question; undefined: not known yet. */
  answerer(): Answerer | undefined {
    if (this.behind) return this.behind;
    switch (choice()) {
      case "auto":
        return this.configured;
      case "offline":
        return { kind: "offline", name: "Offline analyst", leaves: "Nothing leaves this machine: no language model is used." };
      case "editor":
        return { kind: "editor", name: this.found?.name ?? "VS Code's model", leaves: SENT };
      case "endpoint":
        return { kind: "endpoint", name: endpointName(), leaves: SENT };
    }
  }

  /** The model that answers: the one of the setting, else the first. A chosen one that is gone is not replaced. */
  private async find(): Promise<vscode.LanguageModelChat | undefined> {
    const wanted = given("editor.model");
    const models = await allModels();
    const found = wanted === undefined ? models[0] : models.find((model) => idOf(model) === wanted || model.id === wanted);
    this.found = found;
    return found;
  }

  private async needed(own?: vscode.LanguageModelChat): Promise<vscode.LanguageModelChat> {
    // It may have been offered before somebody else was chosen.
    if (choice() !== "editor") throw vscode.LanguageModelError.NoPermissions("another one was chosen meanwhile");
    const model = own ?? (await this.find());
    if (model) return model;
    const wanted = given("editor.model");
    throw vscode.LanguageModelError.NotFound(
      wanted === undefined ? "VS Code has no language model" : `VS Code does not list ${wanted}`,
    );
  }

  private async refresh(): Promise<void> {
    if (choice() === "editor") await this.find();
    this.last = this.answerer();
    this.changed.fire(undefined);
  }

  private cancelAll(sessionId: string): void {
    for (const [key, loan] of this.loans) if (key.startsWith(keyFor(sessionId, ""))) loan.cancel();
  }
}

function keyFor(sessionId: string, requestId: string): string {
  return `${sessionId} ${requestId}`;
}

/** The text of a setting; undefined where it is empty. */
function given(name: Setting): string | undefined {
  const text = setting<string>(name)?.trim();
  return text === "" ? undefined : text;
}

/** `qwen3 at localhost:11434`. */
function endpointName(): string {
  const url = given("endpoint.baseUrl") ?? process.env["OPENAI_BASE_URL"] ?? OPENAI;
  const model = given("endpoint.model") ?? "The model";
  return URL.canParse(url) ? `${model} at ${new URL(url).host}` : model;
}
