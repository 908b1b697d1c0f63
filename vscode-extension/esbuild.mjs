// Makes dist/extension.js (the host) and dist/view.js with dist/view.css (the view). Options: --production, --watch.
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

process.chdir(dirname(fileURLToPath(import.meta.url)));
const isProduction = process.argv.includes("--production");
const common = {
  bundle: true,
  logLevel: "info",
  minify: isProduction,
  sourcemap: isProduction ? false : "linked",
  legalComments: "none",
};

const bundles = [
  {
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
  },
];
if (existsSync("src/view/main.ts")) {
  bundles.push({
    ...common,
    entryPoints: { view: "src/view/main.ts" },
    outdir: "dist",
    platform: "browser",
    format: "iife",
    target: "es2022",
    loader: { ".css": "css" },
  });
}

if (process.argv.includes("--watch")) {
  for (const bundle of bundles) await (await esbuild.context(bundle)).watch();
} else {
  if (isProduction) await rm("dist", { recursive: true, force: true });
  await Promise.all(bundles.map((bundle) => esbuild.build(bundle)));
}
