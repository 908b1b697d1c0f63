/** Who answers as dap_ai itself is configured: known before the first question, and so what would leave the machine. */

import { answererOf } from "../ask/answerer";
import { log, textOf } from "../log";
import type { Answerer } from "../shared/messages";
import { run } from "./run";

const CONFIG_MS = 20_000;

/** Undefined: this dap-ai does not say it, or nobody can answer; the first answer then tells. */
export async function configuredAnswerer(
  [program, ...args]: readonly [string, ...string[]],
  environment: Record<string, string>,
): Promise<Answerer | undefined> {
  try {
    const text = await run(program, [...args, "config", "--json"], CONFIG_MS, environment);
    const { answers } = JSON.parse(text) as { answers?: unknown };
    return typeof answers === "string" ? answererOf(answers) : undefined;
  } catch (error) {
    log().debug(`dap-ai config: ${textOf(error)}`);
    return undefined;
  }
}
