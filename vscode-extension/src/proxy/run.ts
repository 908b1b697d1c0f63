/** A short program, for what it prints. */

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { located } from "./located";

/** All processes of a big machine with their command lines are more than Node's own limit of 1 MB. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * What the program writes to stdout. Rejects with its stderr if it fails, is missing, or takes too long.
 * `environment`: added to that of VS Code.
 */
export function run(
  program: string,
  args: readonly string[],
  timeoutMs: number,
  environment: Record<string, string> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...environment };
    // Not in the workspace: nothing of it is to be run.
    const options = { cwd: homedir(), env, timeout: timeoutMs, maxBuffer: MAX_BYTES, windowsHide: true, encoding: "utf8" } as const;
    const place = located(program);
    if (place === undefined) throw new Error(`there is no ${program} on PATH`);
    const child = execFile(place, [...args], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (error.killed) reject(new Error(`no answer within ${timeoutMs / 1000} s`));
      else reject(new Error(stderr.trim() || error.message));
    });
    child.stdin?.end();
  });
}
