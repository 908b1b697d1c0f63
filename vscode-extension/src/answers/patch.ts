/** Unified diffs: read, and put into a text. No `vscode` here. */

/** What stands in place of some lines. */
export interface Hunk {
  /** Index of the first line that it covers, from 0. */
  start: number;
  before: string[];
  after: string[];
}

/** The hunks of one file, from its top down. */
export interface FilePatch {
  /** As the headers name it, without `a/` and `b/`. */
  file: string;
  hunks: Hunk[];
}

/** A diff that cannot be read or does not fit; the message is for a person. */
export class PatchError extends Error {}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** Reads a unified diff of one or more files. */
export function parsePatch(diff: string): FilePatch[] {
  const lines = diff.split(/\r?\n/);
  const patches: FilePatch[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      patches.push({ file: fileOf(line, lines[at + 1] ?? ""), hunks: [] });
      at += 2;
    } else if (HEADER.test(line)) {
      const read = readHunk(lines, at);
      const patch = patches.at(-1) ?? { file: "", hunks: [] };
      if (patches.length === 0) patches.push(patch);
      patch.hunks.push(read.hunk);
      at = read.next;
    } else {
      at += 1;
    }
  }
  if (!patches.some((patch) => patch.hunks.length > 0)) throw new PatchError("The change is not a unified diff.");
  return patches;
}

/** The text with the patch in it. Every line of its context must stand where the patch says. */
export function applyPatch(text: string, patch: FilePatch): string {
  const lines = text.split(/\r\n|\r|\n/);
  const breaks = text.match(/\r\n|\r|\n/g) ?? [];
  const eol = breaks[0] ?? "\n";
  const result: string[] = [];
  let at = 0;
  // Kept lines bring their own line break along, so that a file with mixed ones stays as it is.
  const keep = (end: number): void => {
    for (; at < end; at += 1) result.push((lines[at] ?? "") + (breaks[at] ?? ""));
  };
  for (const hunk of patch.hunks) {
    if (hunk.start < at || hunk.before.some((line, index) => lines[hunk.start + index] !== line)) {
      throw new PatchError(`The file has changed near line ${String(hunk.start + 1)} since the answer was made.`);
    }
    keep(hunk.start);
    let [first, last, newLast] = [0, hunk.before.length, hunk.after.length];
    while (first < last && first < newLast && hunk.before[first] === hunk.after[first]) first += 1;
    while (last > first && newLast > first && hunk.before[last - 1] === hunk.after[newLast - 1]) {
      last -= 1;
      newLast -= 1;
    }
    keep(hunk.start + first);
    for (const line of hunk.after.slice(first, newLast)) result.push(line + (breaks[at] ?? eol));
    at = hunk.start + last;
  }
  keep(lines.length);
  const joined = ended(result, eol);
  return lines.at(-1) === "" ? joined : withoutLastBreak(joined);
}

/** What takes the patch out again. */
export function reversed({ file, hunks }: FilePatch): FilePatch {
  let moved = 0;
  const back = hunks.map(({ start, before, after }) => {
    const hunk: Hunk = { start: start + moved, before: after, after: before };
    moved += after.length - before.length;
    return hunk;
  });
  return { file, hunks: back };
}

/** The one replacement that makes `after` out of `before`, as short as can be; offsets in UTF-16 units. */
export function difference(before: string, after: string): { start: number; end: number; text: string } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < most - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  // Neither half of a pair, nor of a line break, is a place to cut.
  if (start > 0 && /[\uD800-\uDBFF\r]/.test(before[start - 1] ?? "")) start -= 1;
  if (tail > 0 && /[\uDC00-\uDFFF\n]/.test(before.at(-tail) ?? "")) tail -= 1;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

/** A line that was the last one and had no break gets one when others follow it. */
function ended(pieces: string[], eol: string): string {
  return pieces.map((piece, index) => (index < pieces.length - 1 && !/[\r\n]$/.test(piece) ? piece + eol : piece)).join("");
}

function withoutLastBreak(text: string): string {
  return text.replace(/(?:\r\n|\r|\n)$/, "");
}

function fileOf(before: string, after: string): string {
  const name = (header: string): string => header.slice(4).split("\t")[0] ?? "";
  const [old, now] = [name(before), name(after)];
  return (now === "/dev/null" ? old : now).replace(/^[ab]\//, "");
}

function readHunk(lines: string[], at: number): { hunk: Hunk; next: number } {
  const [, first = "0", count = "1", newCount = "1"] = HEADER.exec(lines[at] ?? "") ?? [];
  const [wanted, newWanted] = [Number(count), Number(newCount)];
  // Without a line of its own, a hunk names the line above it.
  const hunk: Hunk = { start: wanted === 0 ? Number(first) : Number(first) - 1, before: [], after: [] };
  let next = at + 1;
  while (hunk.before.length < wanted || hunk.after.length < newWanted) {
    const line = lines[next];
    if (line === undefined) throw new PatchError("The change ends in the middle.");
    next += 1;
    const rest = line.slice(1);
    if (line.startsWith("\\")) continue;
    if (line.startsWith("-")) hunk.before.push(rest);
    else if (line.startsWith("+")) hunk.after.push(rest);
    else if (line === "" || line.startsWith(" ")) {
      hunk.before.push(rest);
      hunk.after.push(rest);
    } else throw new PatchError("The change is not a unified diff.");
  }
  if (hunk.before.length !== wanted || hunk.after.length !== newWanted || hunk.start < 0) {
    throw new PatchError("The line numbers in the change are wrong.");
  }
  return { hunk, next };
}
