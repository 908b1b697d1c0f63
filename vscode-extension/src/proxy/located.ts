/** Where a program is that is started by its name: never in the current folder, which may be anybody's. */

import { accessSync, constants, lstatSync } from "node:fs";
import * as path from "node:path";

const isWindows = process.platform === "win32";

/**
 * The program's absolute path, by the absolute entries of PATH. Windows would look in the current folder first, and an
 * empty or relative entry of PATH means that folder. A `program` that names a folder is returned as it is.
 */
export function located(program: string): string | undefined {
  if (/[/\\]/.test(program)) return program;
  // What Node can start on Windows without a shell.
  const endings = isWindows && path.extname(program) === "" ? [".com", ".exe"] : [""];
  return (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => path.join(folder, program + ending)))
    .find(isProgram);
}

function isProgram(place: string): boolean {
  try {
    // Not `stat`, which fails for Python from the Microsoft Store.
    if (isWindows) return !lstatSync(place).isDirectory();
    accessSync(place, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
