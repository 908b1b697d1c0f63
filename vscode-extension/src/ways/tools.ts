/** Tools for VS Code's agent mode: they read the stopped program through dap_ai, under the policy of answers. */

import * as vscode from "vscode";
import type { Host } from "../ask/host";
import { AGENT_TOOLS, type AskToolArguments, type ToolName } from "../shared/protocol";

/** Registers them, where VS Code has such tools. */
export function registerTools(host: Host): vscode.Disposable {
  const lm = (vscode as { lm?: typeof vscode.lm }).lm;
  if (typeof lm?.registerTool !== "function") return { dispose: () => undefined };
  return vscode.Disposable.from(
    ...Object.entries(AGENT_TOOLS).map(([name, tool]) => lm.registerTool(name, new AskTool(host, tool))),
  );
}

/** One of them. */
class AskTool implements vscode.LanguageModelTool<object> {
  constructor(
    private readonly host: Host,
    private readonly tool: ToolName,
  ) {}

  prepareInvocation({ input }: { input: object }): vscode.PreparedToolInvocation {
    const { expression } = input as { expression?: unknown };
    const what = typeof expression === "string" ? `${this.tool} ${expression}` : this.tool;
    return { invocationMessage: `Reading the stopped program: ${what}` };
  }

  async invoke(
    { input }: vscode.LanguageModelToolInvocationOptions<object>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const text = await this.call(input, token);
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  }

  /** What went wrong is the result, too: the model can do something about it. */
  private call(input: object, token: vscode.CancellationToken): Promise<string> {
    const tracked = this.host.session();
    if (!tracked) return Promise.resolve("Nothing is being debugged with dap-ai: ask the user to start the program with it.");
    if (!tracked.stop) return Promise.resolve("The program is running: it can be read when it has stopped.");
    const { session } = tracked;
    const args: AskToolArguments = { name: this.tool, arguments: input, level: "compute", ...this.host.sessions.chosen(session.id) };
    return new Promise((resolve, reject) => {
      const asking = this.host.questions.asks.tool(session, args, {
        output: () => undefined,
        approval: () => undefined,
        ended: ({ answer, error, reason }) => {
          done([answer, error, `It has no result: ${reason}.`].find((text) => text !== "") ?? "");
        },
        failed: (error) => {
          done(error);
        },
      });
      const cancel = (): void => {
        subscription.dispose();
        asking.cancel();
        reject(new vscode.CancellationError());
      };
      const subscription = token.onCancellationRequested(cancel);
      if (token.isCancellationRequested) cancel();
      const done = (text: string): void => {
        subscription.dispose();
        resolve(text);
      };
    });
  }
}
