/** The switch: configurations of other extensions run through dap-ai as they are, where the user has said so. */

import * as vscode from "vscode";
import { isOfChild } from "./completing";
import { adapterOf, understood, whyNot } from "./owners";
import { log } from "../log";
import { THIS_TIME } from "./takeOver";
import type { Proxies } from "../proxy/proxies";
import { FOREIGN_TYPES, isEnabledFor, type ForeignType } from "../settings";

/**
 * Sends the sessions of one other type to a proxy. The owner's own resolver runs as well: an extension cannot take the
 * place of another's adapter, but `debugServer` comes before it.
 */
export class SwitchedConfigurations implements vscode.DebugConfigurationProvider {
  /** What was said of configurations that stay as they are: each is said once. */
  private readonly said = new Set<string>();

  constructor(
    private readonly type: ForeignType,
    private readonly proxies: Pick<Proxies, "through">,
  ) {}

  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
    cancelled?: vscode.CancellationToken,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const { [THIS_TIME]: isTaken, ...rest } = configuration;
    if (isTaken === true) configuration = rest;
    else if (!isEnabledFor(this.type, folder?.uri)) return configuration;
    if (configuration["noDebug"] === true) return configuration;
    if (isOfChild(configuration)) return configuration; // it is told the address of a listener of the parent's proxy
    const reason = whyNot(this.type, configuration, folder);
    if (reason !== undefined) {
      this.say(`"${configuration.name}" runs without dap-ai: ${reason}.`);
      return configuration;
    }
    const wanted = { ...adapterOf(this.type, configuration, folder), otherwise: "runs without dap-ai" };
    // Without dap-ai the session is what it was before: that is better than none.
    return (await this.proxies.through(folder, understood(this.type, configuration), wanted, cancelled)) ?? configuration;
  }

  private say(text: string): void {
    log().info(text);
    if (!this.said.has(text)) void vscode.window.showInformationMessage(text);
    this.said.add(text);
  }
}

/** Registers the switch for all types that it knows. */
export function registerSwitch(proxies: Proxies): vscode.Disposable {
  return vscode.Disposable.from(
    ...FOREIGN_TYPES.map((type) =>
      vscode.debug.registerDebugConfigurationProvider(type, new SwitchedConfigurations(type, proxies)),
    ),
  );
}

/** For types that debug the same programs and cannot run through dap-ai as they are: what to do instead. */
const INSTEAD: Record<string, string> = {
  python: 'Change their type to "debugpy".',
  lldb: 'Write one of type "dap-ai" with "backend": "lldb", or the path of codelldb.',
  cppdbg: 'Write one of type "dap-ai" with "backend": "gdb" or "lldb".',
};

/** What the launch configurations of this folder have that the switch does not cover, for a person. */
export function notCovered(folder: vscode.WorkspaceFolder | undefined): string[] {
  const found = vscode.workspace.getConfiguration("launch", folder?.uri ?? null).get<unknown>("configurations");
  const types = new Set((Array.isArray(found) ? found : []).map((each) => String((each as { type?: unknown } | null)?.type)));
  return Object.entries(INSTEAD)
    .filter(([type]) => types.has(type))
    .map(([type, instead]) => `Configurations of type "${type}" stay without dap-ai. ${instead}`);
}
