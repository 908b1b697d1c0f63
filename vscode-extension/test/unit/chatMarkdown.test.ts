import assert from "node:assert/strict";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import { ChatMarkdown, chatMarkdown, chatText } from "../../src/ways/chatMarkdown";

/** As permissive as a renderer can be: whatever this one does not make of it, no other does. */
const reader = new MarkdownIt("default", { html: true, linkify: false });
reader.validateLink = () => true;

type Token = ReturnType<typeof reader.parse>[number];

function tokensOf(markdown: string): Token[] {
  return reader.parse(markdown, {}).flatMap((token) => [token, ...(token.children ?? [])]);
}

/** What would be fetched, followed or obeyed; a web link whose words are its address is none. */
function dangers(markdown: string): string[] {
  const tokens = tokensOf(markdown);
  return tokens.flatMap((token, index) => {
    if (["image", "html_block", "html_inline"].includes(token.type)) return [token.type];
    if (token.type !== "link_open") return [];
    const href = String(token.attrGet("href"));
    const isShown = token.markup === "autolink" && /^https?:\/\//.test(href) && tokens[index + 1]?.type === "text";
    return isShown ? [] : [href];
  });
}

const PICTURE = "![x](https://evil.test/?q=1)";
const ATTACKS = [
  PICTURE,
  "[Open settings](command:workbench.action.terminal.sendSequence?%7B%7D)",
  "[shop.py](file:///etc/passwd) [a](vscode://x/y) [b](javascript:alert(1)) [c](data:text/html,x)",
  "[docs][1]\n\n[1]: command:evil\n[docs]\n\n[docs]: https://evil.test",
  "<img src=https://evil.test/x> <a href='command:x'>here</a>\n\n<div>\n" + PICTURE + "\n</div>",
  "<command:evil> <mailto:a@evil.test> <https://user@evil.test/>",
  "`\n" + PICTURE + "\n`",
  "text `\nmore ` " + PICTURE + " `",
  "``\n" + PICTURE + "``",
  "| a | b |\n|---|---|\n| ` | " + PICTURE + " ` |\n",
  "| a | b |\n|---|---|\n| `x | y` ` | `" + PICTURE + "` |\n",
  "paragraph\n          ```\n" + PICTURE + "\n",
  "- item\n\n      ```\n" + PICTURE + "\n      ```\n" + PICTURE,
  "~~~\n```\n~~~\n" + PICTURE,
  "```\ncode\n``` not closed\n```\n" + PICTURE,
  "> ```\n" + PICTURE,
  "\\`" + PICTURE + "\\`",
  "\\\\`" + PICTURE + "`",
  "!\\[x](https://evil.test) \\![x](https://evil.test)",
  "[![x](https://evil.test)](command:evil)",
  "[a]( <command:evil> 'title' ) [b](https://good.test \"title\")",
  "$`$ " + PICTURE + " `$",
];

for (const text of ATTACKS) {
  test(`nothing is fetched, followed or obeyed: ${JSON.stringify(text)}`, () => {
    assert.notEqual(text.trim(), "");
    assert.deepEqual(dangers(chatMarkdown(text)), []);
    const byLetters = new ChatMarkdown();
    const shown = Array.from(text, (letter) => byLetters.feed(letter)).join("") + byLetters.end();
    assert.equal(shown, chatMarkdown(text));
  });
}

test("nothing is fetched, followed or obeyed in random Markdown either", () => {
  const parts = ["`", "``", "```", "~~~", "\n", "\n\n", "|", "|---|\n", "[", "]", "(", ")", "!", "\\", "<", ">", " ", "    ", "- "];
  const words = ["a", "command:x", "https://e.test/", "img src=x", "&#91;", PICTURE, "[a](command:x)", "[1]: command:x", "$"];
  let seed = 7;
  const next = (): number => (seed = (seed * 48271) % 2147483647);
  for (let round = 0; round < 2000; round += 1) {
    const all = [...parts, ...words];
    const text = Array.from({ length: 3 + (next() % 14) }, () => all[next() % all.length]).join("");
    assert.deepEqual(dangers(chatMarkdown(text)), [], JSON.stringify(text));
  }
});

test("a web link is its words and the address that it leads to", () => {
  assert.equal(chatMarkdown("see [the docs](https://docs.test/a?b=1)."), "see the docs (<https://docs.test/a?b=1>).");
  assert.equal(chatMarkdown("see https://docs.test/a."), "see <https://docs.test/a.>");
  assert.equal(chatMarkdown("[bank](https://b\u0430nk.test)"), "bank (<https://xn--bnk-6cd.test/>)");
  assert.match(chatMarkdown("[a](command:evil)"), /^a \(command:evil\)$/);
});

test("entities are shown as they were written, so that nothing hides in them", () => {
  assert.equal(tokensOf(chatMarkdown("a &#8238; b")).filter((token) => token.type === "text").map((token) => token.content).join(""), "a &#8238; b");
});

test("text, code, lists and tables stay", () => {
  const text = "**What happened.** `x[0] < 3` at `shop.py:2`\n\n1. one\n2. *two*\n\n| a | b |\n|---|---|\n| `c` | d |\n";
  assert.equal(chatMarkdown(text), text);
  assert.equal(chatMarkdown("```python\nx = [1] # <b> ![x](y)\n```\n"), "\n```python\nx = [1] # <b> ![x](y)\n```\n");
});

test("where VS Code wants text, nothing is Markdown", () => {
  const shown = reader.render(chatText("![x](https://e.test) **b** `c` <b> [a](command:x) https://e.test a@b.test"));
  assert.doesNotMatch(shown, /<(?!\/?p>)/);
});
