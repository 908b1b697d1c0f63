// Real VS Code in a headless Chromium, with the packed extension, dap_ai and debug adapters.
//   npm run test:e2e                 all; what is left out is named
//   npm run test:e2e -- consent      the tests whose name holds the word
// DAP_AI_VSIX: this one instead of a new one. DAP_AI_TEST_PYTHON: dap_ai of this Python instead of that of .venv.
// DAP_AI_SCREENSHOTS: a folder for the pictures of all states. DAP_AI_THEME: dark, light or contrast, for all of them.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { findChromium } from "./install.mjs";
import { PYTHON } from "./server.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const missing = [];
if (!findChromium()) missing.push("there is no Chromium (Debian, Ubuntu: `apt install chromium`; else DAP_AI_CHROMIUM names one)");
if (!existsSync(PYTHON)) missing.push(`there is no ${PYTHON} (\`python3 dev.py setup\`)`);
if (missing.length > 0) {
  console.error(`The end-to-end tests cannot run: ${missing.join("; ")}.`);
  process.exit(1);
}
const words = process.argv.slice(2);
const options = ["--test", "--test-reporter=spec", ...words.map((word) => `--test-name-pattern=/${word}/i`)];
const child = spawn(process.execPath, [...options, join(here, "scenarios.test.mjs")], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("close", (code) => process.exit(code ?? 1));
