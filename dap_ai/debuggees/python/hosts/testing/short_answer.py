"""Builds the short answer: the suspected line, the values that prove it, and the fix if it was verified."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from dap_ai.system.texts import code

if TYPE_CHECKING:
    from dap_ai.debuggees.python.hosts.answer_process import AskEndedBody, FixBody
    from dap_ai.protocol.wire.safe import Safe

MAX_LINES = 15
_MAX_VALUES = 4
_MAX_WIDTH = 200
_RETURNED = re.compile(r"- `.*` returned `(?!<)")
"""Matches a line of the second run with a call's result. Addresses of objects and raised exceptions do not match."""
_CAUSES = {"proved": "Root cause", "guess": "A guess at the cause"}


def short(ended: AskEndedBody) -> Safe:
    """Returns an answer as plain text of at most 15 lines."""
    lines = [*_conclusion(ended), *_values(ended)]
    lines += _fix(ended["fixes"], MAX_LINES - len(lines))
    return cast("Safe", "\n".join(_cut(line) for line in lines[:MAX_LINES]))  # lines of a masked answer


def _conclusion(ended: AskEndedBody) -> Iterator[str]:
    """Yields what went wrong, then the cause with its source line, if the answer names a cause elsewhere."""
    report = ended.get("report", {})
    effect, cause = report.get("effect", ""), report.get("cause")
    yield from [effect] if effect else _lines(ended, "verdict")[:1] or ended["answer"].splitlines()[:1]
    if cause and cause["spot"] not in effect:
        yield f"{_CAUSES[cause['certainty']]}: {cause['spot']}: {cause['reason']}"
    elif not cause:
        yield from _lines(ended, "cause")[:1] if effect else []
    if cause and cause["code"]:
        yield f"    {cause['line']}  {cause['code']}"


def _lines(ended: AskEndedBody, kind: str) -> list[str]:
    """Returns the lines of the answer's sections of a kind, without emphasis."""
    sections = ended.get("report", {}).get("sections", [])
    texts = [section["text"].replace("**", "") for section in sections if section["kind"] == kind]
    return [line for text in texts for line in text.splitlines()]


def _values(ended: AskEndedBody) -> list[str]:
    """Returns lines with values read at the failure, and with values that calls returned in a rerun."""
    read = [f"- {code(e['expression'])} = {code(e['value'])}" for e in ended["evidence"] if e["value"][:1] != "<"]
    again = [line for line in _lines(ended, "rerun") if _RETURNED.match(line)]
    return [*read[:_MAX_VALUES], *again[: max(1, _MAX_VALUES - len(read))]]


def _fix(fixes: list[FixBody], room: int) -> list[str]:
    """Returns the diff of a verified fix, after its result; empty without such a fix."""
    verified = next((fix for fix in fixes if fix["verified"]), None)
    if verified is None:
        return []
    rows = verified["diff"].splitlines()
    if len(rows) + 1 > room:
        rows = [row for row in rows if row[:1] in "+-@"]
    if len(rows) + 1 > room:
        return ["A fix was verified; it is too long for here: --ask=full, --ask-fix."]
    return [f"{'A guess that passes' if verified.get('isFoundBySearch') else 'Verified'}: {verified['result']}.", *rows]


def _cut(line: str) -> str:
    """Shortens a long line after an item or a word."""
    if len(line) <= _MAX_WIDTH:
        return line
    room = line[: _MAX_WIDTH - 4]
    ends = (room.rfind("; ") + 1, room.rfind(" "))
    return f"{room[: next((end for end in ends if end > _MAX_WIDTH // 2), len(room))]} ..."
