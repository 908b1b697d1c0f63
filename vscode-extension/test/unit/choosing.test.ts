import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Models } from "../../src/models/models";
import { FakeModel, lm } from "./fake/languageModels";
import { changeSetting, endSession, resetFake } from "./fake/vscode";

beforeEach(() => {
  resetFake();
  lm.models = [new FakeModel("GPT-5 mini", "copilot", "gpt-5-mini")];
  changeSetting("dapAi.model", "editor");
});

test("another choice is told to running sessions before anybody reads who answers, and a question waits for it", async () => {
  const told: (() => void)[] = [];
  const models = new Models(() => new Promise((resolve) => told.push(() => { resolve({ who: "offline: no language model" }); })));
  await new Promise(setImmediate);
  const read: (string | undefined)[] = [];
  models.onDidChange(() => read.push(models.answerer()?.kind));
  assert.equal(models.ready(), undefined);
  changeSetting("dapAi.model", "offline");
  assert.ok(models.ready());
  await new Promise(setImmediate);
  assert.deepEqual(read, []);
  told[0]!();
  await models.ready();
  assert.deepEqual([read, models.ready()], [["offline"], undefined]);
  models.dispose();
});

test("a session that cannot be told goes on as it began, and that is what is said", async () => {
  const models = new Models(() => Promise.resolve({ isBehind: true }));
  await new Promise(setImmediate);
  changeSetting("dapAi.model", "offline");
  await models.ready();
  assert.equal(models.isBehind, true);
  assert.equal(models.answerer()?.kind, "editor");
  endSession({ id: "session-1" });
  assert.equal(models.answerer()?.kind, "offline");
  models.dispose();
});
