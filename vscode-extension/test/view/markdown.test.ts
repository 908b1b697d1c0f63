/** Markdown that comes in pieces is in the end what it would have been at once. */

import assert from "node:assert/strict";

import { viewTest, type View } from "./page";
import { ANSWER, talk, turn } from "./samples";

const TRICKY = `# Title

Setext
======

1. one

2. two

   more of two

3. three

1) other
2) numbers

- [x] a
- b
  - c

\`\`\`c
int main(void) { return 0; }

/* not the end */
\`\`\`

~~~
unknown *fence*
~~~

| a | b |
|:--|--:|
| 1 | \`x|y\` |

> quote
continued

    indented code

***

last **bold`;

/** A generator of numbers that are the same each time. */
function numbers(seed: number): () => number {
  let at = seed;
  return () => {
    at = (at * 1103515245 + 12345) % 2147483648;
    return at / 2147483648;
  };
}

async function whole(view: View, text: string): Promise<string> {
  await view.post({ type: "state", state: talk(turn({ parts: [{ kind: "answer", text }] })) });
  return settled(view);
}

/** Adding nothing to the answer closes it: a step does. */
async function settled(view: View): Promise<string> {
  await view.post({ type: "part", turnId: "t1", part: { kind: "step", step: { name: "", call: "x", shown: "" } } });
  return view.find(".markdown").evaluate((element) => {
    const copy = element.cloneNode(true) as Element;
    // Set later, once it is known which blocks scroll.
    for (const pre of copy.querySelectorAll("pre")) for (const name of ["tabindex", "role", "aria-label"]) pre.removeAttribute(name);
    return copy.innerHTML;
  });
}

for (const [name, text] of [["an answer", ANSWER], ["tricky blocks", TRICKY]] as const) {
  viewTest(`${name} in pieces of any size is the same as at once`, async (view) => {
    const expected = await whole(view, text);
    assert.match(expected, /<code/);
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const next = numbers(seed);
      await view.post({ type: "state", state: talk(turn()) });
      for (let at = 0; at < text.length;) {
        const size = 1 + Math.floor(next() * 12 * seed);
        await view.post({ type: "part", turnId: "t1", part: { kind: "answer", text: text.slice(at, at + size) } });
        at += size;
      }
      assert.equal(await settled(view), expected);
    }
  });
}

viewTest("a long stream stays in order and complete", async (view) => {
  await view.post({ type: "state", state: talk(turn()) });
  const lines = Array.from({ length: 400 }, (_, index) => `- line ${index} of \`data.py:${index + 1}\``);
  const text = `${lines.join("\n")}\n\nThe end.`;
  await view.post(...(text.match(/[\s\S]{1,9}/g) ?? []).map((piece) => ({ type: "part" as const, turnId: "t1", part: { kind: "answer" as const, text: piece } })));
  await view.page.getByText("The end.").waitFor();
  assert.deepEqual(await view.find(".markdown li").allInnerTexts(), lines.map((line) => line.slice(2).replaceAll("`", "")));
});

viewTest("blocks that are complete are not made again", async (view) => {
  await view.post({ type: "state", state: talk(turn()) }, { type: "part", turnId: "t1", part: { kind: "answer", text: "First.\n\nSecond.\n\nThi" } });
  const first = view.find(".markdown p").first();
  await first.evaluate((element) => {
    element.setAttribute("data-kept", "1");
  });
  await view.post({ type: "part", turnId: "t1", part: { kind: "answer", text: "rd.\n\nFourth." } });
  await view.page.getByText("Fourth.").waitFor();
  assert.equal(await first.getAttribute("data-kept"), "1");
});

for (const [language, code, scopes] of [
  ["python", "def f(x):\n    return \"a\" + 1  # why", [".hl-keyword", ".hl-string", ".hl-number", ".hl-comment"]],
  ["c", "int main(void) { return 0; }", [".hl-type", ".hl-number"]],
  ["cpp", "std::vector<int> v; auto x = \"s\";", [".hl-string"]],
  ["rust", "fn main() { let x: u8 = 1; }", [".hl-keyword", ".hl-number"]],
  ["diff", "-a\n+b", [".diff-removed", ".diff-added"]],
] as const) {
  viewTest(`${language} is coloured, and its text is untouched`, async (view) => {
    await view.post({ type: "state", state: talk(turn({ parts: [{ kind: "answer", text: `\`\`\`${language}\n${code}\n\`\`\`\n` }] })) });
    const block = view.find("pre.code code");
    await block.waitFor();
    assert.equal((await block.textContent())?.trimEnd(), code);
    for (const scope of scopes) assert.ok(await block.locator(scope).count() > 0, scope);
  });
}
