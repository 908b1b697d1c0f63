/** Temporary folders of this window, for states of a workspace that are looked at. They end with it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Scratch {
  private readonly folders: string[] = [];

  /** A new empty folder in one that only its user can read. */
  folder(name: string): string {
    const top = mkdtempSync(join(tmpdir(), "dap-ai-run-"));
    this.folders.push(top);
    return join(top, name.replace(/[^\w.-]/g, "_"));
  }

  dispose(): void {
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }
}
