/** Configurations of type `dap-ai`: what F5 offers, what is filled in, and the proxy that each of them is given. */

import { readFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { backendOf, completeNative, completePython, isOfChild, isWithoutProgram } from "./completing";
import { parseEnvFile } from "./envFile";
import { textOf } from "../log";
import { chooseNativeProgram, isNativeLanguage } from "./nativeProgram";
import type { Proxies } from "../proxy/proxies";
import { selectedInterpreter } from "../proxy/pythonExtension";

export const TYPE = "dap-ai";

const PYTHON_FILE = {
  name: "dap-ai: this file",
  type: TYPE,
  request: "launch",
  program: "${file}",
  console: "integratedTerminal",
};
const OFFERED: vscode.DebugConfiguration[] = [
  PYTHON_FILE,
  { ...PYTHON_FILE, name: "dap-ai: pytest on this file", program: undefined, module: "pytest", args: ["${file}", "-q"] },
  {
    name: "dap-ai: attach to debugpy on port 5678",
    type: TYPE,
    request: "attach",
    connect: { host: "127.0.0.1", port: 5678 },
  },
  {
    name: "dap-ai: native program",
    type: TYPE,
    request: "launch",
    backend: "lldb",
    program: "${workspaceFolder}/a.out",
  },
].map((configuration) => JSON.parse(JSON.stringify(configuration)) as vscode.DebugConfiguration);

/** Resolves configurations of our own type. */
export class OwnConfigurations implements vscode.DebugConfigurationProvider {
  constructor(private readonly proxies: Proxies) {}

  provideDebugConfigurations(): vscode.DebugConfiguration[] {
    return OFFERED;
  }

  /** Before `${...}` is replaced. An empty configuration is F5 without launch.json. */
  async resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | null | undefined> {
    if (isEmpty(configuration)) {
      const made = await fromEditor();
      // Run Without Debugging says so here.
      return made && { ...configuration, ...made };
    }
    configuration.request ||= "launch";
    if (isWithoutProgram(configuration)) {
      refuse('A launch configuration of type "dap-ai" wants "program" or "module".');
      return undefined;
    }
    return configuration;
  }

  /** After `${...}` has been replaced, and before `preLaunchTask`: the proxy starts while that runs. */
  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
    cancelled?: vscode.CancellationToken,
  ): Promise<vscode.DebugConfiguration | null | undefined> {
    if (configuration["debugServer"] !== undefined || isOfChild(configuration)) return configuration;
    const backend = backendOf(configuration);
    const root = (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath;
    const python = backend === "debugpy" ? await selectedInterpreter(folder?.uri) : undefined;
    const complete = backend === "debugpy" ? completePython : completeNative;
    const completed = { ...configuration, ...complete(configuration, root, python) };
    try {
      const behind = await this.proxies.through(folder, await withEnvFile(completed, root), { backend }, cancelled);
      // VS Code then asks the AdapterFactory, and waits for it.
      return behind && { ...behind, debugServer: undefined };
    } catch (error) {
      refuse(textOf(error));
      return undefined;
    }
  }
}

function isEmpty({ type, request, name }: Partial<vscode.DebugConfiguration>): boolean {
  return !type && !request && !name;
}

/** For the file in the editor. Null: VS Code opens launch.json. */
async function fromEditor(): Promise<vscode.DebugConfiguration | null | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId === "python") return { ...PYTHON_FILE };
  if (!document || !isNativeLanguage(document.languageId)) return null;
  const program = await chooseNativeProgram(document.uri);
  return program === undefined
    ? undefined
    : { name: "dap-ai: native program", type: TYPE, request: "launch", backend: "lldb", program };
}

/** The variables of `envFile` in `env`, which wins: no debug adapter reads the file. */
async function withEnvFile(
  configuration: vscode.DebugConfiguration,
  root: string | undefined,
): Promise<vscode.DebugConfiguration> {
  const { envFile, ...rest } = configuration as vscode.DebugConfiguration & { envFile?: unknown };
  if (typeof envFile !== "string" || envFile === "") return configuration;
  const file = path.resolve(root ?? "", envFile);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new Error(`"envFile": ${isMissing ? `there is no file ${file}.` : textOf(error)}`, { cause: error });
  }
  const own = rest["env"] as Record<string, string> | undefined;
  return { ...rest, env: { ...parseEnvFile(text, process.env), ...own } };
}

/** Says why, with a way to launch.json. */
export function refuse(why: string): void {
  void vscode.window.showErrorMessage(why, "Open launch.json").then((chosen) => {
    if (chosen) void vscode.commands.executeCommand("workbench.action.debug.configure");
  });
}
