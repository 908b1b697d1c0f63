// Bundles test/unit/*.test.ts, with the fake `vscode` in place of the real one, and runs them in plain Node.
//   npm run test:unit            all
//   npm run test:unit -- python  those whose file name holds one of the words
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const words = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
// In the project, so that packages are found from there.
const out = mkdtempSync(join(root, "node_modules", ".unit-"));
let status;
try {
  await esbuild.build({
    entryPoints: files.map((name) => join(here, name)),
    outdir: out,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    sourcemap: "inline",
    logLevel: "error", // the fake lacks most of `vscode`, which is worth no warning
    alias: { vscode: join(here, "fake", "vscode.ts") },
    define: { __ROOT__: JSON.stringify(root) },
  });
  const bundled = files.map((name) => join(out, name.replace(/\.ts$/, ".cjs")));
  status = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...bundled], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
process.exit(status);
