/** What a program that has failed says of it on stderr, for a person. */

/** Some terminals' variables make Python colour its tracebacks. */
// eslint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[\d;]*m/g;
/** A frame of a Python traceback, and one of an exception group's. */
const FRAME = /^[\s|+-]*File ".*", line \d+/;

/** Its last lines; of a Python traceback only what it ends in, of a refused command line only why. */
export function reasonIn(lastLines: readonly string[]): string {
  const lines = lastLines.map((line) => line.replace(COLOUR, ""));
  const lastFrame = lines.findLastIndex((line) => FRAME.test(line));
  if (lastFrame >= 0) return exceptionIn(lines.slice(lastFrame + 1));
  const refusal = lines.findIndex((line) => line.startsWith("Error: "));
  return lines.slice(Math.max(refusal, 0)).join("\n").trim().replace(/^Error: /, "");
}

/** The first line that is neither source of the frame before it nor a mark below that. */
function exceptionIn(lines: readonly string[]): string {
  const ofGroup = lines.map((line) => line.replace(/^ +\| /, ""));
  return [...lines, ...ofGroup].find((line) => /^\S/.test(line)) ?? lines.at(-1)?.trim() ?? "";
}
