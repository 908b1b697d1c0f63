"""Finds the variables that a frame's current statement reads, from the instructions on its lines."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Code objects of several Python versions: Any.

from __future__ import annotations

import opcode
from itertools import islice
from typing import Any

_MAX_KNOWN = 500
_BITS, _LOW = 4, 15
"""Bits and mask for an instruction whose argument has the numbers of two variables."""
_known: dict[tuple[int, int], list[str]] = {}


def mentioned(code: Any, at: int) -> list[str]:
    """Returns the names that a statement reads, in order; `at` is the offset of an instruction of the statement."""
    key = (id(code), at)  # a later code object may reuse the id: that would only change the order
    if key not in _known:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        _known[key] = _read_by(code, at)
    return _known[key]


def _read_by(code: Any, at: int) -> list[str]:
    positions = list(code.co_positions())
    first, last = next(islice(positions, at // 2, None), (None, None, None, None))[:2]
    found: dict[str, None] = {}
    argument = 0
    for (line, *_), op, low in zip(positions, code.co_code[::2], code.co_code[1::2]):  # noqa: B905  as in Python 3.8
        argument = argument << 8 | low
        if op == opcode.EXTENDED_ARG:
            continue
        if first is not None and line is not None and first <= line <= (last or first):
            for name in _names(code, _kinds.get(op, ""), argument):
                found[name] = None
        argument = 0
    return list(found)


def _names(code: Any, kind: str, argument: int) -> list[str]:
    if kind == "name":
        return [code.co_names[argument]]
    if kind == "global":
        return [code.co_names[argument >> 1]]
    if kind == "two":
        return [code._varname_from_oparg(each) for each in (argument >> _BITS, argument & _LOW)]
    return [code._varname_from_oparg(argument)] if kind == "variable" else []


def _kind(name: str) -> str:
    if "LOAD_FAST" in name:
        return "two" if name.count("FAST") > 1 else "variable"
    words = {"LOAD_GLOBAL": "global", "LOAD_NAME": "name", "LOAD_DEREF": "variable"}
    return words.get(name, "")


_kinds = {number: _kind(name) for name, number in opcode.opmap.items()}
