/** A command line that runs in a terminal, where the user sees it. */

import { homedir } from "node:os";
import * as vscode from "vscode";

const EXIT_CODE_MS = 500;

/** Its exit code; undefined: it was closed, or has not even begun. Rejects where VS Code runs no tasks. */
export async function runTask(
  name: string,
  [program, ...args]: [string, ...string[]],
  folder: vscode.WorkspaceFolder | undefined,
): Promise<number | undefined> {
  const task = new vscode.Task(
    { type: "process" },
    folder ?? vscode.TaskScope.Workspace,
    name,
    "dap-ai",
    new vscode.ProcessExecution(program, args, { cwd: homedir() }),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Shared };
  const execution = await vscode.tasks.executeTask(task);
  return new Promise((resolve) => {
    const done = (exitCode: number | undefined): void => {
      vscode.Disposable.from(...subscriptions).dispose();
      resolve(exitCode);
    };
    const subscriptions = [
      vscode.tasks.onDidEndTaskProcess((end) => {
        if (end.execution === execution) done(end.exitCode);
      }),
      // A task without a process ends, too. The exit code, where there is one, may be told a little later.
      vscode.tasks.onDidEndTask((end) => {
        if (end.execution === execution) setTimeout(done, EXIT_CODE_MS, undefined);
      }),
    ];
  });
}
