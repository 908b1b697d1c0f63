import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

interface Manifest {
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string }[];
    menus: Record<string, { command: string }[]>;
    keybindings: { command: string }[];
    views: Record<string, { id: string }[]>;
    configuration: { properties: Record<string, { scope?: string }> };
    debuggers: { type: string; variables: Record<string, string>; configurationSnippets: { body: { type: string } }[] }[];
    walkthroughs: { steps: { description: string; media: { markdown: string } }[] }[];
  };
}

const manifest = JSON.parse(readFileSync(join(__ROOT__, "package.json"), "utf8")) as Manifest;
const source = readdirSync(join(__ROOT__, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(__ROOT__, "src", name), "utf8"))
  .join("\n");
const { commands, menus, keybindings, configuration, debuggers, walkthroughs } = manifest.contributes;
const known = new Set(commands.map(({ command }) => command));

test("each command of a menu, a key or a walkthrough has a title", () => {
  const inMenus = Object.values(menus).flat();
  const inWalkthroughs = walkthroughs.flatMap(({ steps }) =>
    steps.flatMap(({ description }) => [...description.matchAll(/\(command:([\w.]+)\)/g)].map((found) => ({ command: found[1]! }))),
  );
  for (const { command } of [...inMenus, ...keybindings, ...inWalkthroughs]) assert.ok(known.has(command), command);
});

test("each command is registered", () => {
  const variables = debuggers.flatMap((each) => Object.values(each.variables));
  for (const command of [...known, ...variables]) assert.ok(source.includes(`"${command}"`), command);
});

test("each setting that the source reads is described, and each that is described is read", () => {
  const named = configuration.properties;
  for (const [, name] of source.matchAll(/\bsetting<[^(]*\("([\w.]+)"/g)) assert.ok(`dapAi.${name!}` in named, name);
  for (const name of Object.keys(named)) assert.ok(source.includes(`"${name.slice("dapAi.".length)}"`), name);
});

test("each snippet is of our type, and each step of the walkthrough has its page", () => {
  for (const { configurationSnippets, type } of debuggers) {
    for (const { body } of configurationSnippets) assert.equal(body.type, type);
  }
  for (const { media } of walkthroughs.flatMap(({ steps }) => steps)) {
    assert.ok(readFileSync(join(__ROOT__, media.markdown), "utf8").startsWith("## "), media.markdown);
  }
});

test("a repository's settings choose no endpoint, model, level or log file, and a program only in a trusted folder", () => {
  const users = ["application", "machine"];
  const open = Object.entries(configuration.properties).filter(([, { scope }]) => scope === undefined || !users.includes(scope));
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  assert.deepEqual(restricted, ["dapAi.python", "dapAi.enableFor"]);
  assert.deepEqual(
    open.map(([name]) => name).filter((name) => !restricted.includes(name)).sort(),
    ["dapAi.askTimeout", "dapAi.atTheLine", "dapAi.budgetTokens", "dapAi.codeLens", "dapAi.consolePrefix", "dapAi.startTimeout"],
  );
});
