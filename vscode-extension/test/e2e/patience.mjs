// Limits that end what hangs: they follow the load, not the clock.
import { availableParallelism, loadavg } from "node:os";

const MOST = 10;

/** A limit of so many milliseconds on an idle machine, as it is now: up to ten times as long where others want it, too. */
export function patient(ms) {
  return ms * Math.min(Math.max(1, loadavg()[0] / availableParallelism()), MOST);
}
