/** The commands that choose who answers, and that keep the endpoint's key. */

import * as vscode from "vscode";
import { allModels, choice, type Choice, idOf, keepKey, keyOf, languageModels, type Models } from "./models";
import { setting, type Setting } from "../settings";

interface Entry extends vscode.QuickPickItem {
  choose?: () => Promise<boolean>;
}

/** Registers `dapAi.chooseAnswerer`, `dapAi.setApiKey` and `dapAi.clearApiKey`. */
export function registerAnswererCommands(context: vscode.ExtensionContext, models: Models): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand("dapAi.chooseAnswerer", () => chooseAnswerer(context, models)),
    vscode.commands.registerCommand("dapAi.setApiKey", () => askForKey(context, models)),
    vscode.commands.registerCommand("dapAi.clearApiKey", async () => {
      await keepKey(context, undefined);
      await told(models, "The key of the endpoint is forgotten.");
    }),
  );
}

async function chooseAnswerer(context: vscode.ExtensionContext, models: Models): Promise<void> {
  const entry = await vscode.window.showQuickPick(entries(context), {
    title: "Who answers?",
    placeHolder: "What leaves this machine depends on it",
    matchOnDescription: true,
  });
  if (await entry?.choose?.()) await told(models);
}

/** Running sessions know of it by now; where one cannot, the user is told. */
async function told(models: Models, text = ""): Promise<void> {
  await models.ready();
  const behind = "The running dap-ai is too old to be told: its session continues unchanged, and the choice applies to the next one.";
  const all = [text, models.isBehind ? behind : ""].filter((each) => each !== "").join(" ");
  if (all !== "") void vscode.window.showInformationMessage(all);
}

async function entries(context: vscode.ExtensionContext): Promise<Entry[]> {
  const now = choice();
  const url = setting<string>("endpoint.baseUrl") ?? "";
  const chosenModel = setting<string>("editor.model") ?? "";
  const models = unique(await allModels());
  const lent = models.map((model, index): Entry => {
    const isNow = now === "editor" && (chosenModel === idOf(model) || (chosenModel === "" && index === 0));
    return {
      label: marked(model.name, isNow),
      description: idOf(model),
      choose: () => keep("editor", [["editor.model", idOf(model)]]),
    };
  });
  const none = languageModels()
    ? "VS Code has no language model just now: GitHub Copilot, for one, brings some"
    : "This version of VS Code has no language models";
  return [
    {
      label: marked("Offline analyst", now === "offline"),
      description: "program analysis, no language model: nothing leaves this machine",
      choose: () => keep("offline"),
    },
    {
      label: marked("Automatic", now === "auto"),
      description: "as dap-ai itself is configured: its file, DAP_AI_* and OPENAI_* variables; else offline",
      choose: () => keep("auto"),
    },
    separator("Language models of VS Code: questions, source and values go to their providers"),
    ...(lent.length > 0 ? lent : [{ label: "$(info) None", description: none }]),
    separator("An endpoint of your own: questions, source and values go there"),
    {
      label: marked("Endpoint...", now === "endpoint"),
      description: url === "" ? "Ollama, vLLM, LM Studio, OpenAI, or anything that speaks Chat Completions" : url,
      choose: () => chooseEndpoint(context),
    },
  ];
}

/** Asks for the URL, the model and the key. Given up half-way, nothing changes. */
async function chooseEndpoint(context: vscode.ExtensionContext): Promise<boolean> {
  const baseUrl = await vscode.window.showInputBox({
    title: "Endpoint (1/3): its URL",
    value: setting<string>("endpoint.baseUrl") ?? "",
    placeHolder: "http://localhost:11434/v1",
    prompt: "Empty: OPENAI_BASE_URL, else OpenAI's",
    validateInput: wrongUrl,
    ignoreFocusOut: true,
  });
  if (baseUrl === undefined) return false;
  const model = await vscode.window.showInputBox({
    title: "Endpoint (2/3): the model",
    value: setting<string>("endpoint.model") ?? "",
    prompt: "Empty: the only one of the endpoint, or a small one at OpenAI",
    ignoreFocusOut: true,
  });
  if (model === undefined) return false;
  const hasKey = (await keyOf(context)) !== undefined;
  const key = await inputKey("Endpoint (3/3): its key", hasKey ? "Empty: the key that is already stored" : "Empty: none is needed, or OPENAI_API_KEY is set");
  if (key === undefined) return false;
  if (key !== "") await keepKey(context, key);
  return keep("endpoint", [["endpoint.baseUrl", baseUrl.trim()], ["endpoint.model", model.trim()]]);
}

async function askForKey(context: vscode.ExtensionContext, models: Models): Promise<void> {
  const key = await inputKey("The key of the endpoint", "It is stored in VS Code's secret storage, not in a setting or a log");
  if (key === undefined || key === "") return;
  await keepKey(context, key);
  if (choice() === "endpoint") {
    await told(models, "The key is stored, and used from the next question on.");
    return;
  }
  const answer = await vscode.window.showInformationMessage("The key is stored, but the endpoint is not selected.", "Choose Who Answers");
  if (answer) await chooseAnswerer(context, models);
}

async function inputKey(title: string, prompt: string): Promise<string | undefined> {
  return (await vscode.window.showInputBox({ title, prompt, password: true, ignoreFocusOut: true }))?.trim();
}

/** Settings are the user's own: a workspace must not choose where its program's values go. */
async function keep(kind: Choice, values: [Setting, string][] = []): Promise<boolean> {
  const configuration = vscode.workspace.getConfiguration("dapAi");
  for (const [name, value] of [...values, ["model", kind] as const]) {
    await configuration.update(name, value === "" ? undefined : value, vscode.ConfigurationTarget.Global);
  }
  return true;
}

/** Why this is no URL of an endpoint, for a person. A key in it would stand in the settings and in the log. */
export function wrongUrl(text: string): string | undefined {
  const url = text.trim();
  if (url === "") return undefined;
  const isGood = URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
  if (!isGood) return "A URL that begins with http:// or https://";
  const { username, password } = new URL(url);
  return username + password === "" ? undefined : "Leave the key out of the URL: it is asked for next";
}

function marked(label: string, isNow: boolean): string {
  return isNow ? `$(check) ${label}` : label;
}

function separator(label: string): Entry {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Versions of a model under one name are one choice. */
function unique(models: vscode.LanguageModelChat[]): vscode.LanguageModelChat[] {
  return [...new Map(models.map((model) => [idOf(model), model])).values()];
}
