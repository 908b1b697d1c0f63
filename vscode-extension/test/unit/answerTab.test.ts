import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { TAB_TYPE } from "../../src/answers/answerView";

test("the editor group of the answers is locked: no file that opens at a stop covers them", () => {
  const { contributes } = JSON.parse(readFileSync(join(__ROOT__, "package.json"), "utf8")) as { contributes: { configurationDefaults: Record<string, unknown> } };
  assert.deepEqual(contributes.configurationDefaults["workbench.editor.autoLockGroups"], { [`mainThreadWebview-${TAB_TYPE}`]: true });
});
