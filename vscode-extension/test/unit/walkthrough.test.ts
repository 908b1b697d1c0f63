import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { registerWalkthrough } from "../../src/ways/walkthrough";
import { editorWindow } from "./fake/editor";
import { fake, resetFake } from "./fake/vscode";

beforeEach(resetFake);

test("steps that were done before are ticked once the page of the walkthrough has been read, and not by another page", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const registration = registerWalkthrough();
  t.after(() => {
    registration.dispose();
  });
  const { tabGroups } = editorWindow;
  tabGroups.open({ input: undefined, label: "Extension: dap-ai" });
  t.mock.timers.tick(5000);
  assert.deepEqual(fake.executed, []);
  tabGroups.open({ input: undefined, label: "Welcome" });
  assert.deepEqual(fake.executed, []);
  t.mock.timers.tick(5000);
  assert.deepEqual(fake.executed, [["setContext", "dapAi.walkthroughShown", true]]);
});
