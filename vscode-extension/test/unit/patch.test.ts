import assert from "node:assert/strict";
import test from "node:test";
import { applyPatch, difference, parsePatch, PatchError, reversed, type FilePatch } from "../../src/answers/patch";

const DIFF = ["--- a/shop.py", "+++ b/shop.py", "@@ -2,3 +2,3 @@", " two", "-three", "+THREE", " four"].join("\n");

function only(diff: string): FilePatch {
  const [patch, ...others] = parsePatch(diff);
  assert.ok(patch && others.length === 0);
  return patch;
}

test("a hunk replaces its lines and nothing else", () => {
  const patch = only(DIFF);
  assert.equal(patch.file, "shop.py");
  assert.equal(applyPatch("one\ntwo\nthree\nfour\n", patch), "one\ntwo\nTHREE\nfour\n");
});

test("line breaks stay those of the file, mixed ones too", () => {
  const patch = only(DIFF);
  assert.equal(applyPatch("one\r\ntwo\r\nthree\r\nfour\r\n", patch), "one\r\ntwo\r\nTHREE\r\nfour\r\n");
  assert.equal(applyPatch("one\r\ntwo\nthree\r\nfour\n", patch), "one\r\ntwo\nTHREE\r\nfour\n");
});

test("a last line without a line break stays without one", () => {
  assert.equal(applyPatch("a\nb", only("@@ -2 +2 @@\n-b\n+c")), "a\nc");
  assert.equal(applyPatch("a\nb", only("@@ -2 +2,2 @@\n b\n+c")), "a\nb\nc");
  assert.equal(applyPatch("a\nb", only("@@ -1,2 +1 @@\n a\n-b")), "a");
});

test("lines go into an empty file", () => {
  assert.equal(applyPatch("", only("@@ -0,0 +1,2 @@\n+a\n+b")), "a\nb\n");
});

test("a removed line that looks like a header is a line", () => {
  assert.equal(applyPatch("-- x\n++ y\n", only("--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- x\n+-- z\n ++ y")), "-- z\n++ y\n");
});

test("a file that has changed is refused with its line", () => {
  for (const text of ["one\ntwo\nTHREE\nfour\n", "two\nthree\nfour\n", "zero\none\ntwo\nthree\nfour\n", ""]) {
    assert.throws(() => applyPatch(text, only(DIFF)), (error: Error) => error instanceof PatchError && error.message.includes("line 2"));
  }
});

test("what is no unified diff is refused", () => {
  for (const text of ["", "hello", "@@ -1,2 +1,2 @@\n a", "@@ -1 +1 @@\n!a", "@@ -1,1 +1,1 @@\n-a\n-b\n+c"]) {
    assert.throws(() => parsePatch(text), PatchError, text);
  }
});

test("several files and hunks are kept apart", () => {
  const patches = parsePatch(`${DIFF}\n@@ -9 +9,0 @@\n-nine\n--- a/b.py\t2024\n+++ b/b.py\t2024\n@@ -1 +1 @@\n-x\n+y\n`);
  assert.deepEqual(patches.map((patch) => [patch.file, patch.hunks.length]), [["shop.py", 2], ["b.py", 1]]);
});

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A diff of single-line changes with one line of context, merged where they touch. */
function diffOf(before: string[], edits: Map<number, string[]>): { diff: string; after: string[] } {
  const after: string[] = [];
  const groups: number[][] = [];
  before.forEach((line, index) => {
    after.push(...(edits.get(index) ?? [line]));
    if (!edits.has(index)) return;
    const last = groups.at(-1);
    if (last && index - last.at(-1)! <= 2) last.push(index);
    else groups.push([index]);
  });
  const hunks = groups.map((group) => {
    const [first, last] = [Math.max(0, group[0]! - 1), Math.min(before.length - 1, group.at(-1)! + 1)];
    const rows: string[] = [];
    for (let at = first; at <= last; at += 1) {
      const edit = edits.get(at);
      rows.push(...(edit ? [`-${before[at]!}`, ...edit.map((line) => `+${line}`)] : [` ${before[at]!}`]));
    }
    const olds = rows.filter((row) => !row.startsWith("+")).length;
    return [`@@ -${first + 1},${olds} +1,${rows.filter((row) => !row.startsWith("-")).length} @@`, ...rows].join("\n");
  });
  return { diff: ["--- a/f", "+++ b/f", ...hunks].join("\n"), after };
}

test("any change of lines comes out as it should, and its difference puts it back", () => {
  const pick = numbers(7);
  const words = ["", "x", "  y = 1", "- z", "+ w", "@@ -1 +1 @@", "é𝒳", "\\ no"];
  for (let round = 0; round < 500; round += 1) {
    const before = Array.from({ length: 1 + pick(12) }, () => words[pick(words.length)]!);
    const edits = new Map<number, string[]>();
    for (let made = 0; made <= pick(3); made += 1) {
      edits.set(pick(before.length), Array.from({ length: pick(3) }, () => words[pick(words.length)]!));
    }
    const eol = pick(2) ? "\r\n" : "\n";
    const { diff, after } = diffOf(before, edits);
    const text = before.map((line) => line + eol).join("");
    const result = applyPatch(text, only(diff));
    assert.equal(result, after.map((line) => line + eol).join(""), diff);
    const { start, end, text: put } = difference(text, result);
    assert.equal(text.slice(0, start) + put + text.slice(end), result);
  }
});

test("a difference cuts neither a surrogate pair nor a line break", () => {
  assert.deepEqual(difference("a\u{1D4B3}b", "a\u{1D4B4}b"), { start: 1, end: 3, text: "\u{1D4B4}" });
  const { start, end } = difference("a\r\nb", "a\r\nc\r\nb");
  assert.ok(!"a\r\nb".slice(0, start).endsWith("\r") && !"a\r\nb".slice(end).startsWith("\n"));
});

test("a patch that is turned round takes itself out again, wherever its hunks have moved to", () => {
  const before = "a\nb\nc\nd\ne\nf\n";
  const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,4 @@\n a\n+1\n+2\n b\n@@ -4,3 +6,2 @@\n d\n-e\n f\n";
  const [patch] = parsePatch(diff) as [FilePatch];
  assert.equal(applyPatch(applyPatch(before, patch), reversed(patch)), before);
});
