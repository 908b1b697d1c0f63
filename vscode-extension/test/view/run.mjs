// Runs test/view/*.test.ts against the view in a plain headless Chromium. Without one they are skipped, and say so.
//   npm run test:view              all
//   npm run test:view -- markdown  those whose file name holds one of the words
//   DAP_AI_CHROMIUM=path           another browser; DAP_AI_SCREENSHOTS=folder also takes a picture of each state
import { join } from "node:path";

import * as esbuild from "esbuild";

import { root, runTests } from "../bundled.mjs";

const timeout = process.env.DAP_AI_MEASURE ? 3_600_000 : 1_200_000; // of all; page.ts ends a single test that hangs

async function withView(out) {
  await esbuild.build({
    entryPoints: { view: join(root, "src/view/main.ts"), page: join(root, "src/runview/main.ts") },
    outdir: out,
    bundle: true,
    platform: "browser",
    format: "iife",
    target: "es2022",
    logLevel: "warning",
  });
  return { external: ["playwright-core"], logLevel: "warning", define: { __VIEW__: JSON.stringify(out) } };
}

await runTests(join(root, "test", "view"), withView, ["--test-concurrency=1", `--test-timeout=${timeout}`], { together: true }); // one browser
