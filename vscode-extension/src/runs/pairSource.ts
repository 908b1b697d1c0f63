/** Two runs side by side, by `dap-ai run compare --to view`. */

import type { RunsView } from "../shared/runView";
import type { RunHostMessage } from "../shared/runMessages";
import type { Cli } from "./cli";
import type { Source } from "./panel";

export class PairSource implements Source {
  constructor(private readonly one: string, private readonly other: string, private readonly cli: Cli) {}

  dispose(): void {
    return;
  }

  async begin(post: (message: RunHostMessage) => void): Promise<void> {
    post({ type: "busy", words: "Both runs are read..." });
    post({ type: "both", both: JSON.parse(await this.cli.both(this.one, this.other)) as RunsView });
  }

  receive(): Promise<void> {
    return Promise.resolve();
  }
}
