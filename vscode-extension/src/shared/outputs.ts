/** What two runs of a program have written, side by side as a difference. No `vscode` and no page here. */

/** Of each run so many lines are compared, the last ones. */
const MOST_LINES = 200;
/** So many lines that are the same are shown around a change. */
const AROUND = 2;

/** Lines of a unified difference without headers; empty where nothing was written, or the same. */
export function outputDifference(before: string, after: string): string {
  const [one, other] = [linesOf(before), linesOf(after)];
  if (one.join("\n") === other.join("\n")) return "";
  return shortened(merged(one, other)).join("\n");
}

function linesOf(text: string): string[] {
  const plain = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  return plain === "" ? [] : plain.split("\n").slice(-MOST_LINES);
}

/** By the longest common subsequence. */
function merged(one: readonly string[], other: readonly string[]): string[] {
  const common = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  const of = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--) {
    const row = common[i] ?? [];
    for (let j = other.length - 1; j >= 0; j--) row[j] = one[i] === other[j] ? of(i + 1, j + 1) + 1 : Math.max(of(i + 1, j), of(i, j + 1));
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      lines.push(` ${one[i++] ?? ""}`);
      j++;
    } else if (i < one.length && (j >= other.length || of(i + 1, j) >= of(i, j + 1))) lines.push(`-${one[i++] ?? ""}`);
    else lines.push(`+${other[j++] ?? ""}`);
  }
  return lines;
}

/** Without what is the same far from any change. */
function shortened(lines: readonly string[]): string[] {
  const isNear = lines.map((_, at) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => !line.startsWith(" ")));
  return lines.flatMap((line, at) => (isNear[at] === true ? [line] : at > 0 && isNear[at - 1] === true ? [" …"] : []));
}
