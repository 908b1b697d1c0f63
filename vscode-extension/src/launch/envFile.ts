/** A file of environment variables, as `envFile` of a launch configuration names it. */

const LINE = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*?)\s*$/;
const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t" };

/** Its variables. `${NAME}` stands for one that comes before, or for one of `known`; in single quotes it does not. */
export function parseEnvFile(text: string, known: Readonly<NodeJS.ProcessEnv> = {}): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const [, name, raw] = LINE.exec(line) ?? [];
    if (name === undefined || raw === undefined) continue;
    const quoted = /^(['"])(.*)\1(?:\s+#.*)?$/.exec(raw);
    if (quoted?.[1] === "'") {
      found[name] = quoted[2] ?? "";
      continue;
    }
    const bare = quoted
      ? (quoted[2] ?? "").replace(/\\([nrt"\\])/g, (_all, letter: string) => ESCAPES[letter] ?? letter)
      : raw.replace(/(^|\s+)#.*$/, "");
    found[name] = bare.replace(/(?<!\\)\$\{(\w+)\}/g, (_all, other: string) => found[other] ?? known[other] ?? "");
  }
  return found;
}
