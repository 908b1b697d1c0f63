"""Which locks a function takes and gives back, line by line, and where it leaves with one of them held."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_ai.agent.case.source import SourceFile
from dap_ai.agent.compiled.parsing import Function

_LOCK = re.compile(
    r"(?:pthread_(?:mutex|rwlock|spin)_(?:wr|rd)?lock\s*\(\s*&?(?P<c>[^),]+)\)|mtx_lock\s*\(\s*&?(?P<m>[^)]+)\)"
    r"|(?P<method>[\w.>\-\[\]():]+?)(?:\.|->)(?:lock|write|read)\(\)"
    r"|(?:lock_guard|unique_lock|scoped_lock|shared_lock)\s*(?:<[^;()]*>)?\s*\w*[\s({]+(?P<guard>[^)},]+)[)}])"
)
_UNLOCK = re.compile(
    r"(?:pthread_\w+_|mtx_)unlock\s*\(\s*&?([^)]+)\)|([\w.>\-\[\]]+?)(?:\.|->)unlock\(\)|\bdrop\((\w+)\)"
)
_LEAVES = re.compile(r"\b(?:return|throw|goto)\b|\?;")


def locked_in(code: str) -> str:
    """The lock that a line takes: `from.lock`; empty: none."""
    found = _LOCK.search(code)
    return _name(found) if found else ""


def held_at(source: SourceFile, function: Function, line: int) -> dict[str, int]:
    """The locks that the function has taken above the line and not given back, each with the line that took it."""
    taken: dict[str, int] = {}
    for number in range(function.first, line):
        code = source.line(number)
        for found in _LOCK.finditer(code):
            taken[_name(found)] = number
        for found in _UNLOCK.finditer(code):
            taken.pop(_name(found), None)
    return taken


def left_locked(source: SourceFile, function: Function, lock: str) -> Iterator[int]:
    """Lines that leave the function while it holds the lock, where another line of it gives the lock back."""
    lines = range(function.first, function.last + 1)
    if not any(_name(found) == lock for n in lines for found in _UNLOCK.finditer(source.line(n))):
        return
    for number in lines:
        if _LEAVES.search(source.line(number)) and lock in held_at(source, function, number):
            yield number


def _name(found: re.Match[str]) -> str:
    return next((g for g in found.groups() if g), "").strip()
