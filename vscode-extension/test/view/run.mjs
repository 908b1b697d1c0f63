// Bundles the view and test/view/*.test.ts, and runs them against a plain headless Chromium. Without one they are skipped, and say so.
//   npm run test:view              all
//   npm run test:view -- markdown  those whose file name holds one of the words
//   DAP_AI_CHROMIUM=path           another browser; DAP_AI_SCREENSHOTS=folder also takes a picture of each state
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
const out = mkdtempSync(join(root, "node_modules", ".view-"));
let status;
try {
  await esbuild.build({
    entryPoints: { view: join(root, "src/view/main.ts") },
    outdir: out,
    bundle: true,
    platform: "browser",
    format: "iife",
    target: "es2022",
    logLevel: "warning",
  });
  await esbuild.build({
    entryPoints: files.map((name) => join(here, name)),
    outdir: out,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["playwright-core"],
    sourcemap: "inline",
    logLevel: "warning",
    define: { __VIEW__: JSON.stringify(out) },
  });
  const bundled = files.map((name) => join(out, name.replace(/\.ts$/, ".cjs")));
  const options = ["--enable-source-maps", "--test", "--test-concurrency=1", `--test-timeout=${process.env.DAP_AI_MEASURE ? 600_000 : 120_000}`];
  status = spawnSync(process.execPath, [...options, ...bundled], { stdio: "inherit" }).status;
} finally {
  rmSync(out, { recursive: true, force: true });
}
process.exit(status ?? 1);
