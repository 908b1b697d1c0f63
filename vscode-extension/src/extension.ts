/** What VS Code calls: it only registers. */

import * as vscode from "vscode";
import { AdapterFactory } from "./launch/adapterFactory";
import { RUN_TYPE, RunConfigurations } from "./launch/agentRun";
import { registerAsking } from "./ways/asking";
import { registerRuns } from "./runs/register";
import { registerAnswererCommands } from "./models/chooseAnswerer";
import { OwnConfigurations, TYPE } from "./launch/configuration";
import { checkInstallation, registerHostCommands, showInstallation } from "./hostCommands";
import { disposeLog, log } from "./log";
import { choice, Models, secretEnvironment } from "./models/models";
import { configuredAnswerer } from "./proxy/configured";
import { Proxies } from "./proxy/proxies";
import { forgetLaunchers } from "./proxy/python";
import { isPythonExtensionAsleep, onDidSelectInterpreter } from "./proxy/pythonExtension";
import { Stops } from "./launch/stops";
import { STARTING_SETTINGS } from "./settings";
import { StatusBar } from "./statusBar";
import { registerSwitch } from "./launch/switching";

/** VS Code has started the extension. */
export function activate(context: vscode.ExtensionContext): void {
  const statusBar = new StatusBar();
  const ownEnvironment = vscode.Uri.joinPath(context.globalStorageUri, "python").fsPath;
  const stops = new Stops(context.workspaceState);
  const proxies = new Proxies(ownEnvironment, () => secretEnvironment(context), stops);
  const models = new Models(() => proxies.answerBy());
  context.subscriptions.push(
    { dispose: disposeLog },
    statusBar,
    proxies,
    ...registerDebugging(proxies),
    models,
    proxies.onDidStart(({ argv, version, environment }) => {
      showInstallation(version, statusBar);
      if (choice() === "auto") void configuredAnswerer(argv, environment).then(models.setConfigured.bind(models));
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (STARTING_SETTINGS.some((name) => event.affectsConfiguration(`dapAi.${name}`))) proxies.renew();
    }),
    context.secrets.onDidChange(() => void models.apply()),
    registerHostCommands(ownEnvironment, statusBar),
    registerAnswererCommands(context, models),
    ...whenPythonChanges(() => {
      forgetLaunchers();
      void checkInstallation(ownEnvironment, statusBar);
    }),
  );
  const host = registerAsking(context, statusBar, stops, models, proxies);
  registerRuns(context, host.sessions, ownEnvironment);
  log().info(versions(context));
  // Any debug session wakes us; one of another language must not wake the Python extension.
  if (!isPythonExtensionAsleep()) void checkInstallation(ownEnvironment, statusBar);
}

function registerDebugging(proxies: Proxies): vscode.Disposable[] {
  const own = new OwnConfigurations(proxies);
  const runs = new RunConfigurations(proxies);
  const factory = new AdapterFactory(proxies);
  return [
    vscode.debug.registerDebugConfigurationProvider(TYPE, own),
    vscode.debug.registerDebugConfigurationProvider(TYPE, own, vscode.DebugConfigurationProviderTriggerKind.Dynamic),
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, factory),
    vscode.debug.registerDebugConfigurationProvider(RUN_TYPE, runs),
    vscode.debug.registerDebugAdapterDescriptorFactory(RUN_TYPE, factory),
    registerSwitch(proxies),
  ];
}

function whenPythonChanges(changed: () => void): vscode.Disposable[] {
  const names = ["dapAi.python", "python.defaultInterpreterPath"];
  return [
    onDidSelectInterpreter(changed),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (names.some((name) => event.affectsConfiguration(name))) changed();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(changed),
  ];
}

/** For the log: what a report of a fault has to say. */
function versions(context: vscode.ExtensionContext): string {
  const { version } = context.extension.packageJSON as { version: string };
  const where = `${process.platform} ${process.arch}${vscode.env.remoteName === undefined ? "" : `, remote: ${vscode.env.remoteName}`}`;
  return `dap-ai for VS Code ${version}, VS Code ${vscode.version}, Node ${process.versions.node}, ${where}`;
}
