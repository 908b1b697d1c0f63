import assert from "node:assert/strict";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import { ChatMarkdown, chatPieces, chatText, placeText } from "../../src/ways/chatMarkdown";
import type { Piece } from "../../src/view/paths";

/** As permissive as a renderer can be: whatever this one does not make of it, no other does. */
const reader = new MarkdownIt("default", { html: true, linkify: false });
reader.validateLink = () => true;

/** As VS Code puts it together where no place leads anywhere. */
function textOf(pieces: Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : placeText(piece))).join("");
}

/** As VS Code puts it together where each place became an anchor. */
function linkedOf(pieces: Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : `[${piece.text}](http://_vscodecontentref_/0)`)).join("");
}

function chatMarkdown(text: string): string {
  return textOf(chatPieces(text));
}

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
    if (/^http:\/\/_vscodecontentref_\/\d+$/.test(href) && token.markup !== "autolink") return []; // an anchor of ours
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
  "shop.py:1`` " + PICTURE + " ``",
  "`shop.py:1` `` " + PICTURE + " ``",
  "!shop.py:1 [shop.py:1](command:x) [x]shop.py:1(command:x) !`shop.py:1`",
  "<shop.py:1> | `shop.py:1` | `a|b` " + PICTURE,
  "http://_vscodecontentref_/0 [x](http://_vscodecontentref_/0) [x](http://_VSCODECONTENTREF_/0)",
];

for (const text of ATTACKS) {
  test(`nothing is fetched, followed or obeyed: ${JSON.stringify(text)}`, () => {
    assert.notEqual(text.trim(), "");
    assert.deepEqual(dangers(chatMarkdown(text)), []);
    assert.deepEqual(dangers(linkedOf(chatPieces(text))), []);
    const byLetters = new ChatMarkdown();
    const shown = [...Array.from(text, (letter) => byLetters.feed(letter)).flat(), ...byLetters.end()];
    assert.equal(textOf(shown), chatMarkdown(text));
  });
}

test("nothing is fetched, followed or obeyed in random Markdown either", () => {
  const parts = ["`", "``", "```", "~~~", "\n", "\n\n", "|", "|---|\n", "[", "]", "(", ")", "!", "\\", "<", ">", " ", "    ", "- "];
  const words = ["a", "command:x", "https://e.test/", "img src=x", "&#91;", PICTURE, "[a](command:x)", "[1]: command:x", "$", "shop.py:1", "`shop.py:1`"];
  let seed = 7;
  const next = (): number => (seed = (seed * 48271) % 2147483647);
  for (let round = 0; round < 2000; round += 1) {
    const all = [...parts, ...words];
    const text = Array.from({ length: 3 + (next() % 14) }, () => all[next() % all.length]).join("");
    assert.deepEqual(dangers(chatMarkdown(text)), [], JSON.stringify(text));
    assert.deepEqual(dangers(linkedOf(chatPieces(text))), [], JSON.stringify(text));
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
  const text = "**What happened.** `x[0] < 3` at `shop.py`\n\n1. one\n2. *two*\n\n| a | b |\n|---|---|\n| `c` | d |\n";
  assert.equal(chatMarkdown(text), text);
  assert.equal(chatMarkdown("```python\nx = [1] # <b> ![x](y)\n```\n"), "\n```python\nx = [1] # <b> ![x](y)\n```\n");
});

test("places of text and code are handed over on their own, those of code blocks and links are not", () => {
  const places = (text: string): string[] => chatPieces(text).flatMap((piece) => (typeof piece === "string" ? [] : [`${piece.file}|${piece.line}`]));
  assert.deepEqual(places("at `shop.py:2`, src/a_b.py:10, and C:\\w\\x.cpp:3"), ["shop.py|2", "src/a_b.py|10", "C:\\w\\x.cpp|3"]);
  assert.deepEqual(places("| `shop.py:2` | x |\n  - shop.py:3"), ["shop.py|2", "shop.py|3"]);
  assert.deepEqual(places("```\nshop.py:2\n```\n    shop.py:2\n[shop.py:2](https://e.test) `x shop.py:2` https://e.test/a.py:3"), []);
  assert.equal(chatMarkdown("`__init__.py:2`"), "\\_\\_init\\_\\_.py:2");
});

test("where VS Code wants text, nothing is Markdown", () => {
  const shown = reader.render(chatText("![x](https://e.test) **b** `c` <b> [a](command:x) https://e.test a@b.test"));
  assert.doesNotMatch(shown, /<(?!\/?p>)/);
});
