// Bundles the test files of a folder for plain Node, and runs them there.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

/** The folder of package.json. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * Runs the files *.test.ts of `folder` whose name holds one of the words of the command line, and ends with their exit
 * code. `prepare` is given the folder of what is bundled, and returns more of esbuild's options; `nodeOptions`: of Node;
 * `together`: in one process, which shares what takes long to start.
 */
export async function runTests(folder, prepare, nodeOptions = [], { together = false } = {}) {
  const words = process.argv.slice(2);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  if (files.length === 0) {
    console.error(`No test file is called so: ${words.join(" ")}`);
    process.exit(1);
  }
  // In the project, so that packages are found from there.
  const out = mkdtempSync(join(root, "node_modules", ".tests-"));
  let status;
  try {
    await esbuild.build({
      ...(together ? { stdin: { contents: files.map((name) => `import "./${name}";`).join("\n"), resolveDir: folder, sourcefile: "all.ts" } } : { entryPoints: files.map((name) => join(folder, name)) }),
      outdir: out,
      outExtension: { ".js": ".cjs" },
      bundle: true,
      platform: "node",
      format: "cjs",
      target: "node20",
      sourcemap: "inline",
      ...(await prepare(out)),
    });
    const bundled = together ? [join(out, "stdin.cjs")] : files.map((name) => join(out, name.replace(/\.ts$/, ".cjs")));
    const options = ["--enable-source-maps", "--test", ...nodeOptions];
    status = spawnSync(process.execPath, [...options, ...bundled], { stdio: "inherit" }).status;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  process.exit(status ?? 1);
}
