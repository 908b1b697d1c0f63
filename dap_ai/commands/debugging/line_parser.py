"""Parses a line at the prompt as a command, an expression to print, or a question in plain English.

1. A command is its word alone, or its word, a space and a valid argument. `list(x)` and `n.next` are expressions.
2. A command word before an invalid argument begins a sentence: `where does x come from` is a question.
3. A bare line never changes the program: for `x = 3` the prompt explains how to assign.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

from dap_ai.commands.debugging.command_words import ELSEWHERE, SPELLINGS, Takes, Word
from dap_ai.system.texts import code


class ParsedCommand(NamedTuple):
    """A command with its argument; `name` is a key of `command_words.WORDS`."""

    name: str
    text: str = ""
    """The command's argument: the text after the command's word."""
    form: str = ""
    """The `/FORMAT` of a gdb command, such as `x` for `p/x`."""
    word: str = ""
    """The command's word as the user typed it."""

    @property
    def times(self) -> int:
        """How often to repeat the command; 1 if the user gave no count."""
        return int(self.text) if self.text.isdecimal() else 1


class Question(NamedTuple):
    """A question in plain English."""

    text: str


class Unclear(NamedTuple):
    """A line that is neither a command nor a question; the text tells the user how to rephrase it."""

    text: str


class Nothing(NamedTuple):
    """A line without content: a comment, or an empty line.

    `again`: the line is empty, and may repeat the last command.
    """

    again: bool


Said = ParsedCommand | Question | Unclear | Nothing

_WORD = re.compile(r"(?P<word>[A-Za-z][A-Za-z-]*)(?:/(?P<form>\w+))?(?:\s+(?P<rest>.*))?", re.DOTALL)
_ASSIGNS = re.compile(r"[*\w][\w.\[\]'\"()>-]*\s*(?:[-+*/%&|^@]|\*\*|//|<<|>>)?=(?!=)")
_PLACE = re.compile(
    r"(?:(?P<file>[^:\s]+):)?(?:(?P<line>\d+)|(?P<name>\*?[A-Za-z_~][\w.:~<>$]*))"
    r"(?:\s*,\s*(?P<also>.+)|\s+if\b\s*(?P<condition>.+))?",
    re.DOTALL,
)
_KEYWORDS = frozenset({"is", "in", "not", "and", "or", "if", "else", "for", "lambda", "None", "True", "False", "await"})
_NAME = re.compile(r"[A-Za-z_]\w*")
_STRING = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"")
_SEPARATOR = re.compile(r""";;(?=(?:[^'"]|'[^']*'|"[^"]*")*$)""")
"""Pattern of `;;` outside quotes, which separates commands on a line."""
_COMMENT = re.compile(r"(?:#|//).*")
_OPERATORS = frozenset("()[]{}+-*/%&|^<>=.@~:,\"'0123456789")


class BreakpointPlace(NamedTuple):
    """The place of a breakpoint. If `line` is 0, the place is the function `name`.

    An empty `file` is the current file.
    """

    file: str
    line: int
    name: str
    condition: str


def split(text: str) -> list[str]:
    """Split a pasted text into single commands, at line ends and at `;;`.

    The indented lines after a line that begins with `!` stay with that line.
    """
    parts: list[str] = []
    for line in text.splitlines() or [""]:
        if parts and parts[-1].startswith("!") and line[:1].isspace() and line.strip():
            parts[-1] += "\n" + line.rstrip()
        else:
            parts += [part.strip() for part in _SEPARATOR.split(line)]
    return parts


def parse(line: str, names: Container[str] = (), *, fresh: bool = False) -> Said:
    """Parse one line as a command, an expression or a question.

    `names`: names in the program's source. `fresh`: the program is at its first line, or has ended.
    """
    text = line.strip()
    if not text or text.startswith("#"):
        return Nothing(again=not text)
    if text.startswith("?"):
        question = text.lstrip("?").strip()
        return Question(question) if question else ParsedCommand("help", word="?")
    if text.startswith("!"):
        return ParsedCommand("execute", text[1:].strip(), word="!")
    return _command(text, fresh=fresh) or _bare(text, names)


def place(text: str) -> BreakpointPlace | None:
    """Parse the place of a breakpoint; None if the text is not a place.

    A place is FILE:LINE, LINE, FUNCTION or FILE:FUNCTION, with `if CONDITION` or pdb's `, CONDITION`.
    """
    found = _PLACE.fullmatch(text.strip())
    if not found:
        return None
    name = found["name"] or ""
    file = found["file"] or ""
    return BreakpointPlace(file, int(found["line"] or 0), name, (found["also"] or found["condition"] or "").strip())


def names_in(source: str) -> set[str]:
    """Return the names in a source text, without names in comments and in one-line strings."""
    return {
        name for line in source.splitlines() for name in _NAME.findall(_COMMENT.sub("", _STRING.sub("", line)))
    } - _KEYWORDS


def _command(text: str, *, fresh: bool) -> Said | None:
    found = _WORD.fullmatch(text)
    if not found:
        return None
    spelt, rest = found["word"], (found["rest"] or "").strip()
    if re.match(r"(?:[-+*/%&|^]|\*\*|//|<<|>>)?=(?!=)", rest) and spelt != "p":
        return None  # an assignment to a variable with a command's name
    if spelt == "r":
        spelt = "run" if fresh else "finish"
    if spelt == "w" and rest and not rest.isdecimal():
        spelt = "watch"
    word = SPELLINGS.get(spelt)
    if word is None:
        return Unclear(ELSEWHERE[spelt]) if spelt in ELSEWHERE and not _is_prose(rest) else None
    if text.endswith("?") and " " in text:
        return Question(_asked(word, text, rest))
    if _fits(word.takes, rest):
        return ParsedCommand(word.name, _meant(spelt, rest), found["form"] or "", found["word"])
    if _is_prose(rest) or len(rest.split()) > 1:
        return Question(text)
    return Unclear(f"{found['word']} takes {word.usage or 'nothing'}; {code(f'? {text}')} asks it as a question.")


def _asked(word: Word, text: str, rest: str) -> str:
    """Return the question in a line: after `fix` only the rest of the line, otherwise the whole line."""
    return rest if word.name == "fix" and rest else text


def _meant(spelt: str, rest: str) -> str:
    """Return a command's argument; for gdb's `set var x = 3` without `var`, so that an assignment remains."""
    return re.sub(r"^var(?:iable)?\s+", "", rest) if spelt == "set" else rest


def _fits(takes: Takes, rest: str) -> bool:
    match takes:
        case "nothing":
            return not rest
        case "count":
            return not rest or rest.isdecimal()
        case "numbers":
            return bool(re.fullmatch(r"\d+(?:[\s,]+\d+)*", rest))
        case "place" | "line":
            return place(rest) is not None
        case "place?" | "line?":
            return not rest or place(rest) is not None
        case "expression":
            return bool(rest) and not _is_prose(rest)
        case "expression?":
            return not rest or not _is_prose(rest)
        case "text":
            return not _is_prose(rest)


def _is_prose(text: str) -> bool:
    """Return whether a text is at least three plain words, unlike an expression or a list of arguments."""
    words = text.rstrip("?.!").replace(",", " ").split()
    plain = all(re.fullmatch(r"[A-Za-z][a-z']*", word) for word in words)
    return len(words) >= 3 and plain and not _KEYWORDS.intersection(words[1:2])


def _bare(text: str, names: Container[str]) -> Said:
    if "\n" not in text and _ASSIGNS.match(text):
        return Unclear(f"That would change the program: {code(f'!{text}')} does it; {code(f'? {text}')} asks.")
    if _is_expression(text, names):
        return ParsedCommand("print", text)
    if _NAME.fullmatch(text):
        return Unclear(
            f"{code(text)} is neither a command nor a name here: `help` lists commands, {code(f'? {text}')} asks."
        )
    return Question(text)


def _is_expression(text: str, names: Container[str]) -> bool:
    """Return whether a text is an expression.

    If it is words only, the words must be known names. Otherwise its form decides.
    """
    without = _STRING.sub("''", text)
    words = [name for name in _NAME.findall(without) if name not in _KEYWORDS]
    if not without.isascii() or text.endswith(("?", ".", "!")) or (not words and without[0] not in "0123456789(['\"-"):
        return False
    if not _OPERATORS.intersection(without):
        known = all(name in names for name in words)
        return known and (len(words) == 1 or bool(_KEYWORDS.intersection(without.split())))
    return not re.search(r"[A-Za-z_]\w*\s+[A-Za-z_]\w*", _without_keywords(without))


def _without_keywords(text: str) -> str:
    """Replace each keyword by an operator, because words joined by a keyword can be an expression."""
    return re.sub(rf"\b(?:{'|'.join(_KEYWORDS - {'None', 'True', 'False'})})\b", "+", text)
