"""What a line at the prompt means: a command, a value to be printed, or a question in plain words. Pure.

1. A command is its word alone, or the word, a space and what it takes: `list(x)` and `n.next` are expressions.
2. A word of a command before what it does not take begins a sentence: `where does x come from` is a question.
3. Nothing becomes a change of the program by being typed bare: `x = 3` is answered with how to mean it.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

from dap_ai.commands.debugging.command_words import ELSEWHERE, SPELLINGS, Takes, Word


class ParsedCommand(NamedTuple):
    """`name` as in `spelling.WORDS`."""

    name: str
    text: str = ""
    """What stands after the word."""
    form: str = ""
    """gdb's `/FORMAT`, without the slash."""
    word: str = ""
    """As it was spelt."""

    @property
    def times(self) -> int:
        """How often; 1 where nothing is said."""
        return int(self.text) if self.text.isdecimal() else 1


class Question(NamedTuple):
    """In plain words."""

    text: str


class Unclear(NamedTuple):
    """Neither; the text says how it could be meant."""

    text: str


class Nothing(NamedTuple):
    """An empty line, or a comment: `again` does the last command once more."""

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
"""Not within quotes."""
_COMMENT = re.compile(r"(?:#|//).*")
_OPERATORS = frozenset("()[]{}+-*/%&|^<>=.@~:,\"'0123456789")


class BreakpointPlace(NamedTuple):
    """Where a breakpoint is to be: `line` 0: in the function `name`. Without `file`, in the current one."""

    file: str
    line: int
    name: str
    condition: str


def split(text: str) -> list[str]:
    """The lines of a paste, and within one what `;;` separates; a block that `!` begins stays whole."""
    parts: list[str] = []
    for line in text.splitlines() or [""]:
        if parts and parts[-1].startswith("!") and line[:1].isspace() and line.strip():
            parts[-1] += "\n" + line.rstrip()
        else:
            parts += [part.strip() for part in _SEPARATOR.split(line)]
    return parts


def parse(line: str, names: Container[str] = (), *, fresh: bool = False) -> Said:
    """What a line means. `names` are those that the program knows; `fresh`: it stands at its first line, or is over."""
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
    """FILE:LINE, LINE, FUNCTION or FILE:FUNCTION, with `if CONDITION` or pdb's `, CONDITION`; None: it is none."""
    found = _PLACE.fullmatch(text.strip())
    if not found:
        return None
    name = found["name"] or ""
    file = found["file"] or ""
    return BreakpointPlace(file, int(found["line"] or 0), name, (found["also"] or found["condition"] or "").strip())


def names_in(source: str) -> set[str]:
    """The names that a source file uses, comments and strings left out as far as one line tells."""
    return {
        name for line in source.splitlines() for name in _NAME.findall(_COMMENT.sub("", _STRING.sub("", line)))
    } - _KEYWORDS


def _command(text: str, *, fresh: bool) -> Said | None:
    found = _WORD.fullmatch(text)
    if not found:
        return None
    spelt, rest = found["word"], (found["rest"] or "").strip()
    if re.match(r"(?:[-+*/%&|^]|\*\*|//|<<|>>)?=(?!=)", rest) and spelt != "p":
        return None  # a variable of a command's name
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
    return Unclear(f"{found['word']} takes {word.usage or 'nothing'}; `? {text}` asks it as a question.")


def _asked(word: Word, text: str, rest: str) -> str:
    """`why is x 0?` is asked as it stands, also after the command `fix`."""
    return rest if word.name == "fix" and rest else text


def _meant(spelt: str, rest: str) -> str:
    """Gdb's `set var x = 3` is an assignment."""
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
    """Three words and more, nothing but words: no expression, no list of arguments."""
    words = text.rstrip("?.!").replace(",", " ").split()
    plain = all(re.fullmatch(r"[A-Za-z][a-z']*", word) for word in words)
    return len(words) >= 3 and plain and not _KEYWORDS.intersection(words[1:2])


def _bare(text: str, names: Container[str]) -> Said:
    if "\n" not in text and _ASSIGNS.match(text):
        return Unclear(f"That would change the program: `!{text}` does it; `? {text}` asks.")
    if _is_expression(text, names):
        return ParsedCommand("print", text)
    if _NAME.fullmatch(text):
        return Unclear(f"`{text}` is neither a command nor a name here: `help` lists commands, `? {text}` asks.")
    return Question(text)


def _is_expression(text: str, names: Container[str]) -> bool:
    """By its names where it has words only, else by its shape."""
    without = _STRING.sub("''", text)
    words = [name for name in _NAME.findall(without) if name not in _KEYWORDS]
    if not without.isascii() or text.endswith(("?", ".", "!")) or (not words and without[0] not in "0123456789(['\"-"):
        return False
    if not _OPERATORS.intersection(without):
        known = all(name in names for name in words)
        return known and (len(words) == 1 or bool(_KEYWORDS.intersection(without.split())))
    return not re.search(r"[A-Za-z_]\w*\s+[A-Za-z_]\w*", _without_keywords(without))


def _without_keywords(text: str) -> str:
    """Words beside each other are a sentence, unless one of them joins the others."""
    return re.sub(rf"\b(?:{'|'.join(_KEYWORDS - {'None', 'True', 'False'})})\b", "+", text)
