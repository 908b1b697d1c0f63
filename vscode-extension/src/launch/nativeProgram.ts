/** The executable that belongs to a C, C++ or Rust file, as far as its name tells. */

import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

const LANGUAGES = new Set(["c", "cpp", "rust", "objective-c", "objective-cpp", "swift", "zig"]);
const SUFFIX = process.platform === "win32" ? ".exe" : "";

/** Whether a program in this language is debugged by a native debug adapter. */
export function isNativeLanguage(languageId: string): boolean {
  return LANGUAGES.has(languageId);
}

/** The only executable that comes into question, else the one that the user names. Undefined: the user named none. */
export async function chooseNativeProgram(file: vscode.Uri): Promise<string | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath;
  const found = await executables(file.fsPath, root);
  if (found.length === 1) return found[0];
  const other = { label: "Another program...", program: undefined };
  const chosen =
    found.length === 0
      ? other
      : await vscode.window.showQuickPick(
          [...found.map((program) => ({ label: root ? path.relative(root, program) : program, program })), other],
          { placeHolder: "The program to debug, built with debug information (-g)" },
        );
  if (chosen !== other) return chosen?.program;
  const folder = root ?? path.dirname(file.fsPath);
  const picked = await vscode.window.showOpenDialog({
    title: "The program to debug, built with debug information (-g)",
    openLabel: "Debug",
    defaultUri: vscode.Uri.file(folder),
  });
  return picked?.[0]?.fsPath;
}

/** What may have been made of this file: of its name beside it or in a build folder, `a.out`, cargo's. */
export async function executables(file: string, root: string | undefined): Promise<string[]> {
  const name = path.basename(file, path.extname(file));
  const here = path.dirname(file);
  const folders = [here, ...(root === undefined ? [] : [root, path.join(root, "build"), path.join(root, "bin")])];
  const names = new Set([name, "a.out", "main"].map((each) => each + (each === "a.out" ? "" : SUFFIX)));
  const paths = folders.flatMap((folder) => [...names].map((each) => path.join(folder, each)));
  if (root !== undefined && file.endsWith(".rs")) paths.push(...(await inFolder(path.join(root, "target", "debug"))));
  const unique = [...new Set(paths)];
  const are = await Promise.all(unique.map(isExecutable));
  return unique.filter((_path, index) => are[index]);
}

async function inFolder(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !/\.(d|so|rlib|dylib|dll|pdb)$/.test(name)).map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
