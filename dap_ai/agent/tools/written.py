"""Diffs that a model has written into its answer, without reporting them: what they would change, found in the files.

Nothing of a diff is believed but its lines: where they stand, the file says. One that fits nowhere, or in several
places that nothing tells apart, is left what it is: text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.agent.case.source import SourceFile
from dap_ai.agent.tools.base import Bench
from dap_ai.agent.tools.try_fix import file_of
from dap_ai.protocol.contracts.tools import Change, LineEdit

_MAX_DIFFS = 3
_BLOCK = re.compile(r"^(`{3,}|~{3,})(?:diff|patch)[ \t]*\n(.*?)\n\1[ \t]*$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"^\+\+\+ (?:b/)?([^\t\n]+)", re.MULTILINE)
_HUNK = re.compile(r"^@@(?: -(\d+))?.*$", re.MULTILINE)


def changes_in(text: str, bench: Bench) -> list[Change]:
    """What the answer's diffs would change; the first few."""
    found: list[Change] = []
    for block in _BLOCK.finditer(text):
        edits = _edits(block[2], bench)
        if edits:
            found.append(Change(edits))
    return found[:_MAX_DIFFS]


def _edits(diff: str, bench: Bench) -> list[LineEdit]:
    """All that it changes in its file, or nothing: half a fix is none."""
    source = _source(diff, bench)
    edits = [_edit(source, hunk, near) for hunk, near in _hunks(diff)] if source else []
    return [edit for edit in edits if edit] if all(edits) else []


def _source(diff: str, bench: Bench) -> SourceFile | None:
    names = {name[1].strip() for name in _NAME.finditer(diff)}
    try:
        if len(names) == 1:
            return file_of(bench.case, names.pop())
    except ValueError:
        return None
    return bench.focus.source if bench.focus and not names else None


def _hunks(diff: str) -> Iterator[tuple[list[str], int]]:
    """The lines of each, with the line at which it says to begin; 0: it does not."""
    body = re.sub(r"^(?:--- |\+\+\+ |diff |index ).*\n?", "", diff, flags=re.MULTILINE)
    heads = list(_HUNK.finditer(body))
    ends = [*(head.start() for head in heads[1:]), len(body)]
    for head, end in zip(heads, ends, strict=False):
        yield body[head.end() : end].strip("\n").split("\n"), int(head[1] or 0)
    if not heads and body.strip():
        yield body.strip("\n").split("\n"), 0


def _edit(source: SourceFile, hunk: list[str], near: int) -> LineEdit | None:
    old = [line[1:].rstrip() for line in hunk if line[:1] != "+"]
    new = [line[1:].rstrip() for line in hunk if line[:1] != "-"]
    if old == new or not any(line.strip() for line in old):
        return None
    lines = [line.rstrip() for line in source.lines]
    starts = [at for at in range(len(lines) - len(old) + 1) if lines[at : at + len(old)] == old]
    if len(starts) != 1 and not (starts and near):
        return None
    first = min(starts, key=lambda at: abs(at + 1 - near)) + 1
    while old and new and old[0] == new[0]:
        old, new, first = old[1:], new[1:], first + 1
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return LineEdit(source.path, first, first + len(old) - 1, "\n".join(new))
