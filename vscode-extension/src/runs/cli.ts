/** `dap-ai run ...`, for what no debug session answers. */

import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { findLauncher } from "../proxy/python";
import { run } from "../proxy/run";

const LONG_MS = 180_000;

export class Cli {
  constructor(private readonly ownEnvironment: string) {}

  /** What it prints. Rejects with what it says is wrong. */
  async ask(...args: string[]): Promise<string> {
    const [program, ...before] = await this.launcher();
    return run(program, [...before, "run", ...args], LONG_MS);
  }

  /** Two runs side by side. Exit code 1 says that they differ, which is no failure. */
  async both(one: string, other: string): Promise<string> {
    const printed: string[] = [];
    const { done } = await this.lines(["compare", one, other, "--to", "view"], (line) => printed.push(line));
    await done;
    return printed.join("\n");
  }

  /** Each line as it comes; until the end, or until `cancel` is called. An exit code of 1 says that nothing is found. */
  async lines(args: string[], each: (line: string) => void): Promise<{ done: Promise<void>; cancel: () => void }> {
    const [program, ...before] = await this.launcher();
    const child = spawn(program, [...before, "run", ...args], { cwd: homedir(), stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    let words = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => { words = (words + text).slice(-2000); });
    createInterface({ input: child.stdout }).on("line", each);
    const done = new Promise<void>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => {
        if (code === 0 || code === 1 || signal) resolve();
        else reject(new Error(words.trim() || `exit code ${code}`));
      });
    });
    return { done, cancel: () => child.kill() };
  }

  private async launcher(): Promise<[string, ...string[]]> {
    const found = await findLauncher(vscode.workspace.workspaceFolders?.[0], this.ownEnvironment);
    if (!found) throw new Error("dap-ai is not installed for any Python that was found: “dap-ai: Check the Installation” says more.");
    return found.argv;
  }
}
