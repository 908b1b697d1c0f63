"""Builds the short answer: the suspected line, the values that prove it, and the fix if it was verified."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, List, cast

if TYPE_CHECKING:
    from dap_ai.debuggees.python.hosts.answer_process import AskEndedBody, FixBody
    from dap_ai.protocol.wire.safe import Safe

MAX_LINES = 15
_MAX_VALUES = 4
_MAX_WIDTH = 200
_HEAD = re.compile(r"\*\*([^*]+?)[.:]\*\*[ ]?")
_FENCE = "```"
_VALUE = re.compile(r"- `.*` (?:= |returned )`(?!<)")
"""Matches a line with a value. Addresses of objects and exceptions raised by calls do not match."""
_GUESS = "A guess"

Section = List[str]


def short(ended: AskEndedBody) -> Safe:
    """Returns an answer as plain text of at most 15 lines."""
    sections = sections_of(ended["answer"])
    first = [line for line in sections.pop("", []) if line][:1]
    lines = [*_cause(sections, first), *_values(sections)]
    lines += _fix(ended["fixes"], is_guess(sections), MAX_LINES - len(lines))
    return cast("Safe", "\n".join(_cut(line) for line in lines[:MAX_LINES]))  # lines of a masked answer


def sections_of(answer: str) -> dict[str, Section]:
    """Returns the answer's lines by heading; lines before the first heading have an empty string as their key."""
    found: dict[str, Section] = {"": []}
    name = ""
    for line in answer.splitlines():
        if head := _HEAD.match(line):
            name = head[1]
            found[name] = []
        found[name].append(line[head.end() :] if head else line)
    return found


def _cause(sections: dict[str, Section], first: Section) -> Iterator[str]:
    """Yields the verdict, then the root cause's source line."""
    guess = next((lines[0] for name, lines in sections.items() if name.startswith("Root cause (a guess")), "")
    for line in first:
        verdict, cause, place = line.partition("; a guess at the cause: ")
        place = place if "(" in place or not guess else guess  # the verdict was too short to say why
        yield from (f"{verdict}.", f"A guess at the cause: {place}") if cause else (line,)
    for name, lines in sections.items():
        if name.startswith("Root cause"):
            told = lines[0]
            place = told.partition(": ")[0]
            if not first or place not in first[0]:
                yield f"{name}{'.' if ':' in name else ':'} {told}"
            yield from ("    " + line for line in list(_code(lines))[:1])


def _code(lines: Section) -> Iterator[str]:
    """Yields the lines of the first code block."""
    inside = False
    for line in lines:
        if line.startswith(_FENCE):
            if inside:
                return
            inside = True
        elif inside:
            yield line


def is_guess(sections: dict[str, Section]) -> bool:
    """Returns whether the fix is a guess: found by trial, without a rule that explains why it is right."""
    return any(_GUESS in line or "may only hide it" in line for line in sections.get("Recommendation", []))


def _values(sections: dict[str, Section]) -> list[str]:
    """Returns lines with values read at the failure, and with values that calls returned in a rerun."""
    seen = [line for line in sections.get("What happened", []) if _VALUE.match(line)]
    again = [line for line in sections.get("Run again", []) if _VALUE.match(line)]
    return [*seen[:_MAX_VALUES], *again[: max(1, _MAX_VALUES - len(seen))]]


def _fix(fixes: list[FixBody], guess: bool, room: int) -> list[str]:
    """Returns the diff of a verified fix, after its result; empty without such a fix."""
    verified = next((fix for fix in fixes if fix["verified"]), None)
    if verified is None:
        return []
    rows = verified["diff"].splitlines()
    if len(rows) + 1 > room:
        rows = [row for row in rows if row[:1] in "+-@"]
    if len(rows) + 1 > room:
        return ["A fix was verified; it is too long for here: --ask=full, --ask-fix."]
    return [f"{'A guess that passes' if guess else 'Verified'}: {verified['result']}.", *rows]


def _cut(line: str) -> str:
    """Shortens a long line after an item or a word."""
    if len(line) <= _MAX_WIDTH:
        return line
    room = line[: _MAX_WIDTH - 4]
    ends = (room.rfind("; ") + 1, room.rfind(" "))
    return f"{room[: next((end for end in ends if end > _MAX_WIDTH // 2), len(room))]} ..."
