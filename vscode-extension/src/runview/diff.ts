/** What differs between two texts, line by line. */

export interface Line {
  sign: " " | "-" | "+";
  text: string;
}

/** Lines on one side that are compared one by one; of more, the middle is told as replaced. */
const MOST = 1500;

/** All lines of both, in order. */
export function difference(before: string, after: string): Line[] {
  const old = before.split("\n");
  const now = after.split("\n");
  let first = 0;
  while (first < old.length && first < now.length && old[first] === now[first]) first++;
  let last = 0;
  while (last < old.length - first && last < now.length - first && old[old.length - 1 - last] === now[now.length - 1 - last]) last++;
  const middle = between(old.slice(first, old.length - last), now.slice(first, now.length - last));
  return [...told(" ", old.slice(0, first)), ...middle, ...told(" ", last > 0 ? old.slice(-last) : [])];
}

function told(sign: Line["sign"], lines: string[]): Line[] {
  return lines.map((text) => ({ sign, text }));
}

/** By the longest common subsequence. */
function between(old: string[], now: string[]): Line[] {
  if (old.length === 0 || now.length === 0 || old.length > MOST || now.length > MOST) return [...told("-", old), ...told("+", now)];
  const width = now.length + 1;
  const length = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const below = length[(i + 1) * width + j]!;
      const right = length[i * width + j + 1]!;
      length[i * width + j] = old[i] === now[j] ? length[(i + 1) * width + j + 1]! + 1 : Math.max(below, right);
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ sign: " ", text: old[i]! });
      i++;
      j++;
    } else if (j >= now.length || (i < old.length && length[(i + 1) * width + j]! >= length[i * width + j + 1]!)) {
      lines.push({ sign: "-", text: old[i++]! });
    } else {
      lines.push({ sign: "+", text: now[j++]! });
    }
  }
  return lines;
}

/** Lines that are alike, further than `near` from a difference, become one `null` each run. */
export function folded(lines: Line[], near = 3): (Line | number)[] {
  const shown = new Uint8Array(lines.length);
  lines.forEach((line, at) => {
    if (line.sign !== " ") shown.fill(1, Math.max(0, at - near), at + near + 1);
  });
  const rows: (Line | number)[] = [];
  let left = 0;
  lines.forEach((line, at) => {
    if (shown[at] === 1) {
      if (left > 0) rows.push(left);
      left = 0;
      rows.push(line);
    } else left++;
  });
  if (left > 0) rows.push(left);
  return rows;
}

/** For two columns: lines that stand beside each other; what one side lacks is undefined. */
export function sideBySide(lines: Line[]): [string | undefined, string | undefined, boolean][] {
  const rows: [string | undefined, string | undefined, boolean][] = [];
  let gone: string[] = [];
  let come: string[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(gone.length, come.length); at++) rows.push([gone[at], come[at], false]);
    gone = [];
    come = [];
  };
  for (const { sign, text } of lines) {
    if (sign === "-") gone.push(text);
    else if (sign === "+") come.push(text);
    else {
      flush();
      rows.push([text, text, true]);
    }
  }
  flush();
  return rows;
}
