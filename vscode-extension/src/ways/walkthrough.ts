/** Ticks the steps of the walkthrough that were done before its page was opened: VS Code sees only what changes after that. */

import * as vscode from "vscode";

/** VS Code reads the steps when the page opens; a key that is set by then does not tick any. */
const READ_MS = 1000;

/** Sets the key `dapAi.walkthroughShown`, which ticks steps together with others, some time after the page was opened. */
export function registerWalkthrough(): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (timer || !vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isWalkthrough))) return;
    timer = setTimeout(() => void vscode.commands.executeCommand("setContext", "dapAi.walkthroughShown", true), READ_MS);
  };
  look();
  return vscode.Disposable.from(vscode.window.tabGroups.onDidChangeTabs(look), {
    dispose: () => {
      clearTimeout(timer);
    },
  });
}

/** VS Code says no more of its page than the title. */
function isWalkthrough({ input, label }: vscode.Tab): boolean {
  return input === undefined && /^(Welcome|Walkthrough)/.test(label);
}
