/** `file:line` in text: only what looks like a source file of a program. */

const EXTENSIONS =
  "py|pyi|pyx|pyw|ipynb|c|h|cc|cpp|cxx|c\\+\\+|hpp|hh|hxx|inl|ipp|tpp|cu|cuh|m|mm|rs|s|asm|go|zig|d|nim|swift|java|kt|kts|scala|groovy|cs|fs|vb|js|mjs|cjs|jsx|ts|mts|cts|tsx|vue|rb|php|lua|pl|pm|r|jl|hs|ml|ex|exs|erl|f|f90|f95|adb|ads|pas|sql|sh|bash|ps1|html|j2|jinja|toml|yaml|yml|json|cfg|ini|txt|csv|md|rst";

const PATTERN = new RegExp(
  `(?<![\\w/\\\\.:@%-])((?:[A-Za-z]:[\\\\/]|\\.{0,2}[\\\\/])?(?:[\\w.+@~-]+[\\\\/])*[\\w+@-][\\w.+@-]*\\.(?:${EXTENSIONS})):(\\d{1,7})(?::\\d{1,5})?(?![\\w@])`,
  "gi",
);

/** A place as a text names it; lines are from 1. */
export interface Place {
  text: string;
  file: string;
  line: number;
}

/** A piece of text, or a place that it names. */
export type Piece = string | Place;

/** Splits text at the places that it names. */
export function findLocations(text: string): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  for (const match of text.matchAll(PATTERN)) {
    const [whole, file = "", line = ""] = match;
    if (Number(line) < 1) continue;
    if (match.index > done) pieces.push(text.slice(done, match.index));
    pieces.push({ text: whole, file, line: Number(line) });
    done = match.index + whole.length;
  }
  if (done < text.length) pieces.push(text.slice(done));
  return pieces;
}

/** A symbol of C++ or Rust with all its templates, short: its beginning and its end tell it. Other text as it is. */
export function shortSymbol(text: string, most = 60): string {
  if (text.length <= most || !/::|<.*>/.test(text) || /[;"'\n]| = |\breturn\b/.test(text)) return text;
  const half = (most - 1) / 2;
  return `${text.slice(0, Math.ceil(half))}…${text.slice(-Math.floor(half))}`;
}

/** A file as a person reads it: without the folder of the workspace it is in, else by its name. */
export function shortPath(file: string, workspace: readonly string[]): string {
  const plain = file.replaceAll("\\", "/");
  for (const folder of workspace) {
    const root = folder.replaceAll("\\", "/").replace(/\/$/, "");
    if (plain.toLowerCase().startsWith(`${root.toLowerCase()}/`)) return plain.slice(root.length + 1);
  }
  return plain.slice(plain.lastIndexOf("/") + 1);
}
