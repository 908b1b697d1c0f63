/** The views of runs in this window: of sessions, of files, of two runs, and the gallery. */

import * as vscode from "vscode";
import { pickRun, RUN_TYPE } from "../launch/agentRun";
import type { Sessions } from "../sessions/sessions";
import { Cli } from "./cli";
import { FileSource } from "./fileSource";
import { GallerySource } from "./gallerySource";
import { PairSource } from "./pairSource";
import { recordAgent } from "./recording";
import { RunPanel, type Source } from "./panel";
import { SessionSource } from "./sessionSource";
import { Scratch } from "./scratch";

export class Runs implements vscode.Disposable {
  private readonly panels = new Map<string, RunPanel>();
  private readonly scratch = new Scratch();
  private readonly cli: Cli;

  constructor(private readonly extensionUri: vscode.Uri, private readonly sessions: Sessions, ownEnvironment: string) {
    this.cli = new Cli(ownEnvironment);
  }

  dispose(): void {
    for (const panel of this.panels.values()) panel.dispose();
    this.scratch.dispose();
  }

  /** Shows the run at a path; without one that of the session in the foreground, else one that the user picks. */
  async show(path?: string): Promise<void> {
    const session = path === undefined ? this.sessionInFront() : undefined;
    if (session) {
      this.open(`session ${session.id}`, session.name, () => new SessionSource(session, this.sessions, this.cli, this.scratch));
      return;
    }
    const run = path ?? (await pickRun());
    if (run === undefined) return;
    this.open(`run ${run}`, nameOf(run), () => new FileSource(run, this.cli, this.scratch, (step) => this.debug(run, step)));
  }

  /** Shows the runs of dap_ai's store, or of a folder. */
  gallery(): void {
    this.open("gallery", "Agent runs", () => new GallerySource(this.cli, {
      show: (path) => this.show(path),
      debug: (path) => this.debug(path),
      compare: (one, other) => { this.compare(one, other); },
      record: () => this.record(),
    }));
  }

  /** Runs an agent, and records it. */
  async record(): Promise<void> {
    await recordAgent();
  }

  private compare(one: string, other: string): void {
    this.open(`pair ${one}\n${other}`, `${nameOf(one)} and ${nameOf(other)}`, () => new PairSource(one, other, this.cli));
  }

  private async debug(run: string, step?: number): Promise<void> {
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(run)) ?? vscode.workspace.workspaceFolders?.[0];
    const isStarted = await vscode.debug.startDebugging(folder, { name: nameOf(run), type: RUN_TYPE, request: "launch", run, ...(step ? { stopAt: step } : {}) });
    if (!isStarted) return;
    this.panels.get(`run ${run}`)?.dispose();
    if (this.sessionInFront()) await this.show();
  }

  private sessionInFront(): vscode.DebugSession | undefined {
    const active = vscode.debug.activeDebugSession;
    const front = active?.type === RUN_TYPE ? active : active?.parentSession;
    if (front?.type === RUN_TYPE) return front;
    return this.sessions.all.findLast(({ session }) => session.type === RUN_TYPE)?.session;
  }

  /** There is one view of each thing. Those of sessions stand beside the code, all others with them, or where the user is. */
  private open(key: string, title: string, make: () => Source): void {
    const there = this.panels.get(key);
    if (there) {
      there.reveal();
      return;
    }
    const known = [...this.panels.values()].map(({ column }) => column).find((column) => column !== undefined);
    const column = known ?? (key.startsWith("session ") ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active);
    const panel = new RunPanel(this.extensionUri, title, column, make());
    this.panels.set(key, panel);
    panel.onDidEnd(() => this.panels.delete(key));
  }
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
}
