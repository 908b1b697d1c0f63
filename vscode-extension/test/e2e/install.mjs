// VS Code for the tests, in .vscode-test: code-server (VS Code as a page) without what no test needs, and its Node.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CODE_SERVER = "4.139.1";
/** What this code-server wants. */
const NODE = "24.21.0";
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const FOLDER = join(ROOT, ".vscode-test");
const CODE = join(FOLDER, "node_modules", "code-server");

/** Three quarters of what VS Code's server brings: Copilot, ripgrep for every platform, remote containers. */
const UNUSED = [
  /^@github\//,
  /^@devcontainers\//,
  /^@microsoft\/mxc/,
  /^@vscode\/(copilot|deviceid|fs-copyfile|native-watchdog|ripgrep|sandbox|sqlite3|vscode-languagedetection|windows)/,
  /^(katex|kerberos|node-addon-api|ssh2|tas-client|zod)$/,
];
/** Of a hundred: what colours the programs of the tests. Each other one costs every window, and its host, a little. */
const EXTENSIONS = ["cpp", "json", "markdown-basics", "python", "theme-defaults", "theme-modern-icons", "theme-seti"];

/** Installs it once. Returns the command line that starts code-server. */
export async function installVsCode() {
  const stamp = join(FOLDER, "stamp");
  const wanted = `${CODE_SERVER} ${NODE} ${readFileSync(fileURLToPath(import.meta.url)).length}`;
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    rmSync(FOLDER, { recursive: true, force: true });
    await install();
    writeFileSync(stamp, wanted);
  }
  return [nodePath(), join(CODE, "out", "node", "entry.js")];
}

async function install() {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "package.json"), '{"private": true}');
  const packages = [`code-server@${CODE_SERVER}`];
  if (needsNode()) packages.push(`${nodePackage()}@${NODE}`);
  await npm(FOLDER, ...packages);
  const server = join(CODE, "lib", "vscode");
  for (const name of ["package.json", "npm-shrinkwrap.json"]) trim(join(server, name));
  await npm(server);
  const extensions = join(server, "extensions");
  for (const name of readdirSync(extensions)) if (!EXTENSIONS.includes(name)) rmSync(join(extensions, name), { recursive: true });
}

/** No install scripts: the native modules that they would build are optional. */
function npm(cwd, ...packages) {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--omit=dev", "--ignore-scripts"];
  const child = spawn("npm", ["install", ...quiet, ...packages], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`npm install in ${cwd} ended with ${code}`));
    });
  });
}

/** Takes the dependencies that no test needs out of a package.json or its lock. */
function trim(file) {
  const json = JSON.parse(readFileSync(file, "utf8"));
  const dependencies = (json.packages?.[""] ?? json).dependencies;
  for (const name of Object.keys(dependencies)) if (UNUSED.some((each) => each.test(name))) delete dependencies[name];
  writeFileSync(file, JSON.stringify(json));
}

function needsNode() {
  return Number(process.versions.node.split(".")[0]) !== Number(NODE.split(".")[0]);
}

function nodePackage() {
  return `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
}

function nodePath() {
  return needsNode() ? join(FOLDER, "node_modules", nodePackage(), "bin", "node") : process.execPath;
}

/** A Chromium on this machine, or undefined. */
export function findChromium() {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const places = (process.env["PATH"] ?? "").split(":").flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env["DAP_AI_CHROMIUM"], ...places].find((path) => path && existsSync(path));
}

/** Builds dap-ai.vsix, and those of the tests' own extensions in `folder`, all at once. Returns their paths, ours first. */
export function packExtensions(folder) {
  const vsce = join(ROOT, "node_modules", "@vscode", "vsce", "vsce");
  const pack = async (source, out) => {
    const options = ["--no-dependencies", "--allow-missing-repository", "--skip-license", "--no-rewrite-relative-links"];
    await promisify(execFile)(process.execPath, [vsce, "package", ...options, "-o", out], { cwd: source });
    return out;
  };
  const ours = process.env["DAP_AI_VSIX"] ?? pack(ROOT, join(folder, "dap-ai.vsix"));
  const tests = join(ROOT, "test", "e2e", "extensions");
  return Promise.all([ours, ...["fakelm", "debugpy", "native"].map((name) => pack(join(tests, name), join(folder, `${name}.vsix`)))]);
}
