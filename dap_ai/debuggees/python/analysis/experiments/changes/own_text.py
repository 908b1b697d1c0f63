"""Writes a change in the user's own style: keeps quotes, numbers, brackets, comments and layout.

Proposed changes are written with `ast.unparse`, which has its own style. This module matches the tokens of the new
lines with the tokens of the old lines, and takes equal tokens from the user's source. The result counts only if it
parses to the same program.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from keyword import kwlist

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.syntax.nodes import expression, parsed

_PREFIX = r"(?:[rRuUbBfF]|[rR][bBfF]|[bBfF][rR])?"
_QUOTED = r'"""(?:\\.|[^\\])*?"""|' + r"'''(?:\\.|[^\\])*?'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
_STRING = rf"{_PREFIX}(?:{_QUOTED})"
_BLANK = r"(?:[ \t\f\n]|\\\n|\#[^\n]*)*"
_GAP = re.compile(_BLANK)
_TOKEN = re.compile(
    rf"""(?P<string>{_STRING}(?:{_BLANK}{_STRING})*)
    | (?P<number>(?:\d|\.\d)(?:[eE][+-]|[\w.])*)
    | (?P<word>\w+)
    | (?P<sign>\*\*=?|//=?|>>=?|<<=?|[-+*/%&|^@<>=!:]=|->|\.\.\.|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BRACKETS = frozenset("(),")
_Step = tuple[str, int, int, int, int]
"""An opcode of `SequenceMatcher.get_opcodes`."""
_NO_OPERANDS = frozenset(kwlist) - {"None", "True", "False"}


@dataclass(frozen=True)
class _Token:
    gap: str
    """The blanks, line ends and comments before the token."""
    text: str
    meaning: str
    """Key that is equal for tokens with the same meaning, such as two spellings of a string."""
    form: str
    """Key that is equal for tokens that can replace each other: names, numbers, strings."""

    @property
    def ends_operand(self) -> bool:
        last = self.text[-1]
        return last in ")]}\"'" or ((last.isalnum() or last in "_.") and self.text not in _NO_OPERANDS)


def shape_of(edit: SourceEdit, lines: Sequence[str]) -> str:
    """Return the AST dump of the code around an edit, with `lines` as the edit; empty if the code does not parse."""
    whole, (first, last) = edit.source.lines, _around(edit)
    return _shape([*whole[first - 1 : edit.first - 1], *lines, *whole[edit.last : last]])


def shape_before(edit: SourceEdit) -> str:
    """Return the AST dump of the code around an edit, before the edit."""
    return shape_of(edit, edit.source.lines[edit.first - 1 : edit.last])


def scope_of(edit: SourceEdit) -> tuple[str, int, int]:
    """Return (file, first line, last line) of the code around an edit that `shape_of` parses."""
    return (edit.source.path, *_around(edit))


def own_lines(edit: SourceEdit, shape: str = "") -> list[str]:
    """Return the edit's lines with as much of the replaced text as possible. `shape`: the edit's `shape_of` result."""
    old, new = "\n".join(edit.source.lines[edit.first - 1 : edit.last]), "\n".join(edit.lines)
    if {line.strip() for line in edit.lines} <= {line.strip() for line in old.split("\n")}:
        return edit.lines  # they were only moved
    shape = shape or shape_of(edit, edit.lines)
    seen: set[str] = set()
    for made in _versions(old, new, _quote(old) or _quote(edit.source.text)):
        lines = made.split("\n")
        if made == new or not shape:
            break
        if made not in seen and shape_of(edit, lines) == shape:
            return lines
        seen.add(made)
    return edit.lines


def _versions(old: str, new: str, quote: str) -> Iterator[str]:
    """Yield versions of the new text. The first version keeps most of the old text, the last version keeps least."""
    before, after = _Text(old), _Text(new)
    after.spell({token.meaning: token.text for token in reversed(before.tokens)}, quote)
    steps = before.steps_to(after, "form")
    if all(step[0] == "equal" or _is_of_brackets(before, after, step) for step in steps):
        yield _merged(before, after, steps, "all", layout=True)  # operands have swapped places
    steps = before.steps_to(after, "meaning")
    for brackets, layout in (("all", True), ("old", True), ("", True), ("", False)):
        yield _merged(before, after, steps, brackets, layout=layout)


def _is_of_brackets(old: _Text, new: _Text, step: _Step) -> bool:
    _, i1, i2, j1, j2 = step
    return all(token.text in _BRACKETS for token in (*old.tokens[i1:i2], *new.tokens[j1:j2]))


class _Text:
    def __init__(self, text: str) -> None:
        self.tokens: list[_Token] = []
        gap, end = _gap_at(text, 0)
        while found := _TOKEN.match(text, end):
            form = found["sign"] or (found[0] if found[0] in _NO_OPERANDS else "operand")
            self.tokens.append(_Token(gap, found[0], _meaning(found), form))
            gap, end = _gap_at(text, found.end())
        self.rest = gap

    def spell(self, known: Mapping[str, str], quote: str) -> None:
        """Write each token in the spelling known for its meaning, and other strings with the given quotes."""
        texts = [known.get(token.meaning) or _requoted(token.text, quote) for token in self.tokens]
        self.tokens = [replace(token, text=text) for token, text in zip(self.tokens, texts, strict=True)]

    def steps_to(self, other: _Text, what: str) -> Sequence[_Step]:
        """Return the `difflib` opcodes from this text to another, comparing each token's `what`: form or meaning."""
        one, two = ([getattr(token, what) for token in text.tokens] for text in (self, other))
        return SequenceMatcher(None, one, two, autojunk=False).get_opcodes()


def _quote(text: str) -> str:
    """Return the more frequent quote character in a text; an empty string if the text has no quotes."""
    single, double = text.count("'"), text.count('"')
    return "" if not single and not double else "'" if single > double else '"'


def _requoted(token: str, quote: str) -> str:
    """Return a string token with the given quotes, or unchanged if it contains quotes or backslashes."""
    inside = token[1:-1]
    simple = token[0] == token[-1] == "'" and not {"'", '"', "\\"} & set(inside)
    return f"{quote}{inside}{quote}" if quote and simple and len(token) > 1 else token


def _gap_at(text: str, start: int) -> tuple[str, int]:
    end = found.end() if (found := _GAP.match(text, start)) else start
    return text[start:end], end


def _meaning(found: re.Match[str]) -> str:
    text = found["string"] or found["number"]
    return _value(text) if text else found["word"] or found["sign"]


@cache
def _value(literal: str) -> str:
    node = expression(f"({literal}\n)")
    return ast.dump(node) if node else literal


def _merged(old: _Text, new: _Text, steps: Sequence[_Step], brackets: str, *, layout: bool) -> str:
    """Return the text of the new tokens, with old tokens in their old spelling.

    `brackets`: "old" keeps brackets that the new text lost; "all" also omits brackets that the new text gained.
    `layout`: whether to keep the old blanks and comments between tokens.
    """
    made = _Merged(layout=layout)
    for tag, i1, i2, j1, j2 in steps:
        olds, news = old.tokens[i1:i2], new.tokens[j1:j2]
        if tag == "equal":
            made.keep(olds, news)
            continue
        before, after = list[_Token](), list[_Token]()
        if brackets:
            before, olds, after = _in_brackets(olds)
        if brackets == "all":
            _, news, _ = _in_brackets(news)
        made.take(before)
        made.change(olds, news, old.tokens[i2].gap if i2 < len(old.tokens) else "")
        made.take(after)
    return "".join([*made.said, _gap(old.rest, new.rest, layout=layout)])


def _in_brackets(tokens: list[_Token]) -> tuple[list[_Token], list[_Token], list[_Token]]:
    """Split tokens into leading brackets, other tokens, and trailing brackets."""
    others = [at for at, token in enumerate(tokens) if token.text not in _BRACKETS]
    first, end = (others[0], others[-1] + 1) if others else (len(tokens), len(tokens))
    return tokens[:first], tokens[first:end], tokens[end:]


class _Merged:
    """Builds a merged text from old and new tokens."""

    def __init__(self, *, layout: bool) -> None:
        self.said: list[str] = []
        self._layout = layout
        self._lost: str | None = None
        """The gap before a removed token, to be used before the next token."""
        self._gained = False
        """Whether the last token is new and took the next token's gap."""
        self._last: _Token | None = None

    def keep(self, olds: Sequence[_Token], news: Sequence[_Token]) -> None:
        """Add pairs of an old and a new token that are equal or that replace each other."""
        for one, other in zip(olds, news, strict=True):
            gap = one.gap if self._lost is None else self._lost
            text = one.text if one.meaning == other.meaning else other.text
            self.said += [_gap(gap, other.gap, layout=self._layout and not self._gained), text]
            self._lost, self._gained, self._last = None, False, one

    def take(self, olds: Sequence[_Token]) -> None:
        """Add old tokens unchanged."""
        self.said += [part for token in olds for part in (token.gap, token.text)]
        self._last = olds[-1] if olds else self._last

    def change(self, olds: Sequence[_Token], news: Sequence[_Token], next_gap: str) -> None:
        """Replace old tokens by new tokens; either list may be empty."""
        begins_operand = self._last is None or not self._last.ends_operand
        if not news:
            self._lost = olds[0].gap if olds and begins_operand else self._lost
            return
        first, *others = news
        gap = olds[0].gap if olds else next_gap
        own = self._layout and (bool(olds) or begins_operand)
        self.said += [_gap(gap, first.gap, layout=own), first.text]
        self.said += [part for token in others for part in (token.gap, token.text)]
        self._gained, self._last = not olds and begins_operand, news[-1]


def _gap(old: str, new: str, *, layout: bool) -> str:
    """Return the old gap. If `layout` is False or only the new gap has a line end, return the new gap."""
    return new if not layout or ("\n" in new and "\n" not in old) else old


def _around(edit: SourceEdit) -> tuple[int, int]:
    """Return the first and last line of the code to parse for comparing an edit's effect.

    The code is the statement with the edit in its function, else the whole function, else module-level statements.
    """
    source, tree = edit.source, edit.source.index.tree
    function = source.function_at(edit.first)
    if function and last_line(function) >= edit.last and function.lineno < edit.first:
        around = next((s for s in function.body if _is_in(edit, s)), function)
        return around.lineno, last_line(around)
    inside = [s for s in tree.body if s.lineno <= edit.last and last_line(s) >= edit.first]
    return (inside[0].lineno, last_line(inside[-1])) if inside else (1, len(source.lines))


def _is_in(edit: SourceEdit, statement: ast.stmt) -> bool:
    """Whether the statement contains all lines that the edit changes, or the place where it adds lines."""
    inserts = edit.last < edit.first
    return statement.lineno + inserts <= edit.first <= last_line(statement) >= edit.last


def _shape(lines: Sequence[str]) -> str:
    """Return the AST dump of whole lines; an empty string if the lines do not parse."""
    nested = lines and lines[0][:1].isspace()
    tree = parsed("\n".join(["if 1:", *lines] if nested else lines))
    return ast.dump(tree) if tree else ""
