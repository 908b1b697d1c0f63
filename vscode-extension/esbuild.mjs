// Makes dist/extension.js (the host), dist/view.js and .css (the answers), dist/page.js and .css (the view of a run).
// Options: --production, --watch; --page makes the page of `dap-ai run export --to html` anew, of the same sources
// (dap_ai/debuggees/runs/export/page: committed, since who installs dap_ai has no Node); --page --check says whether it is.
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
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
const inBrowser = { outdir: "dist", platform: "browser", format: "iife", target: "es2022", loader: { ".css": "css" } };
if (existsSync("src/view/main.ts")) bundles.push({ ...common, ...inBrowser, entryPoints: { view: "src/view/main.ts" } });
const page = { ...common, ...inBrowser, entryPoints: { page: "src/runview/main.ts" } };
bundles.push(page);

async function makePage(isCheck) {
  const { outputFiles } = await esbuild.build({ ...page, write: false, minify: true, sourcemap: false, logLevel: "warning" });
  for (const { path, text } of outputFiles) {
    const committed = join("..", "dap_ai", "debuggees", "runs", "export", "page", path.endsWith(".css") ? "page.css" : "page.js");
    const isSame = existsSync(committed) && (await readFile(committed, "utf8")) === text;
    if (!isSame && isCheck) {
      console.error(`${committed} is not what src/runview makes: node esbuild.mjs --page`);
      process.exitCode = 1;
    } else if (!isSame) {
      await writeFile(committed, text);
      console.log(`written: ${committed} (${text.length} bytes)`);
    }
  }
}

if (process.argv.includes("--page")) {
  await makePage(process.argv.includes("--check"));
} else if (process.argv.includes("--watch")) {
  for (const bundle of bundles) await (await esbuild.context(bundle)).watch();
} else {
  if (isProduction) await rm("dist", { recursive: true, force: true });
  await Promise.all(bundles.map((bundle) => esbuild.build(bundle)));
}
