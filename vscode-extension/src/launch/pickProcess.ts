/** `${command:pickProcess}`: one of the user's processes. */

import * as vscode from "vscode";
import { textOf } from "../log";
import { run } from "../proxy/run";

/** A process of this machine. */
export interface Process {
  pid: string;
  name: string;
  commandLine: string;
}

const WAIT_MS = 10_000;

/** Its id, as text; undefined: none was chosen. */
export async function pickProcess(): Promise<string | undefined> {
  const items = list().then((all) =>
    all.map(({ pid, name, commandLine }) => ({ label: name, description: pid, detail: commandLine, pid })),
  );
  try {
    await items;
  } catch (error) {
    void vscode.window.showErrorMessage(`The processes cannot be listed: ${textOf(error)}`);
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: "Attach to a process",
    placeHolder: "Name, number or command line",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.pid;
}

async function list(): Promise<Process[]> {
  if (process.platform !== "win32") {
    return parsePs(await run("ps", ["-axww", "-o", "pid=,comm=,args="], WAIT_MS));
  }
  const script = "Get-CimInstance Win32_Process | Select-Object ProcessId,Name,CommandLine | ConvertTo-Json -Compress";
  return parseCim(await run("powershell", ["-NoProfile", "-Command", script], WAIT_MS));
}

/** What `ps -o pid=,comm=,args=` prints; the newest first. */
export function parsePs(text: string): Process[] {
  const found = text.split("\n").flatMap((line) => {
    const [, pid, comm, commandLine] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || comm === undefined || commandLine === undefined) return [];
    return [{ pid, name: comm.slice(comm.lastIndexOf("/") + 1), commandLine }];
  });
  return found.reverse();
}

/** What `ConvertTo-Json` prints of Windows' processes. */
export function parseCim(text: string): Process[] {
  const parsed = JSON.parse(text) as { ProcessId: number; Name: string; CommandLine: string | null }[];
  return parsed
    .map((each) => ({ pid: String(each.ProcessId), name: each.Name, commandLine: each.CommandLine ?? each.Name }))
    .reverse();
}
