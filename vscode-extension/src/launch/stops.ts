/** Which configurations stop at errors that something catches: the user has said so, once, of each. */

import type * as vscode from "vscode";
import type { AskCaught } from "../shared/protocol";

type Filter = AskCaught["filter"];

/** In the storage of the workspace: the exception filters by the name of the configuration. */
const KEY = "dapAi.stopAt";

export class Stops {
  constructor(private readonly storage: vscode.Memento) {}

  /** The filters that are set beside those of VS Code's own boxes. */
  of(name: string): Filter[] {
    return this.all[name] ?? [];
  }

  get isEmpty(): boolean {
    return Object.keys(this.all).length === 0;
  }

  async add(name: string, filter: Filter): Promise<void> {
    const filters = this.of(name).filter((each) => each !== filter);
    await this.storage.update(KEY, { ...this.all, [name]: [...filters, filter] });
  }

  /** VS Code's own boxes alone count again. */
  async forget(): Promise<void> {
    await this.storage.update(KEY, undefined);
  }

  private get all(): Partial<Record<string, Filter[]>> {
    return this.storage.get<Partial<Record<string, Filter[]>>>(KEY) ?? {};
  }
}
