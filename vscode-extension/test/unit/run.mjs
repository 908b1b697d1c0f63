// Runs test/unit/*.test.ts in plain Node, with the fake `vscode` in place of the real one.
//   npm run test:unit            all
//   npm run test:unit -- python  those whose file name holds one of the words
import { join } from "node:path";

import { root, runTests } from "../bundled.mjs";

const folder = join(root, "test", "unit");
await runTests(folder, () => ({
  logLevel: "error", // the fake lacks most of `vscode`, which is worth no warning
  alias: { vscode: join(folder, "fake", "vscode.ts") },
  define: { __ROOT__: JSON.stringify(root) },
}));
