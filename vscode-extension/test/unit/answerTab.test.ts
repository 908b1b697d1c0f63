import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";

import type { Memento, WebviewView } from "vscode";
import { AnswerView, TAB_TYPE, VIEW_ID } from "../../src/answers/answerView";
import { fake, resetFake, Uri } from "./fake/vscode";
import { settled } from "./fake/host";

const manifest = JSON.parse(readFileSync(join(__ROOT__, "package.json"), "utf8")) as {
  contributes: { configurationDefaults: Record<string, unknown>; viewsContainers: { secondarySidebar: { id: string }[] } };
};

beforeEach(resetFake);

/** A view that says what its page would say; `kept` is what is remembered over windows. */
function shown(kept: Map<string, unknown>): (message: unknown) => Promise<void> {
  const memory = { get: (key: string) => kept.get(key), update: (key: string, value: unknown) => Promise.resolve(kept.set(key, value)) };
  const host = { state: () => ({}), onMessage: () => undefined, onDidPost: () => ({ dispose: () => undefined }) };
  const view = new AnswerView(Uri.file("/e") as never, host as never, memory as unknown as Memento);
  let say: (message: unknown) => void = () => undefined;
  const webview = { onDidReceiveMessage: (listener: typeof say) => (say = listener), asWebviewUri: String, postMessage: () => undefined };
  view.resolveWebviewView({ webview, onDidChangeVisibility: () => undefined, onDidDispose: () => undefined } as unknown as WebviewView);
  return async (message) => {
    say(message);
    await settled();
  };
}

test("a view that is too low moves to our place in the secondary side bar, once: then it is where the user has it", async () => {
  const kept = new Map<string, unknown>();
  const [{ id }] = manifest.contributes.viewsContainers.secondarySidebar as [{ id: string }];
  const wanted = ["vscode.moveViews", { viewIds: [VIEW_ID], destinationId: `workbench.view.extension.${id}` }];
  const say = shown(kept);
  await say({ type: "command", command: "makeRoom" });
  await say({ type: "command", command: "makeRoom" });
  await shown(kept)({ type: "command", command: "makeRoom" }); // another window
  assert.deepEqual(fake.executed, [wanted]);
});

test("the editor group of the answers is locked: no file that opens at a stop covers them", () => {
  assert.deepEqual(manifest.contributes.configurationDefaults["workbench.editor.autoLockGroups"], { [`mainThreadWebview-${TAB_TYPE}`]: true });
});
