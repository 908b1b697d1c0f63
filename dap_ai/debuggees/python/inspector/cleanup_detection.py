"""Detects whether cleanup code ran after a frame raised, in the frame or in a generator closed with the frame."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Code objects of several Python versions: Any.

from __future__ import annotations

import _io  # a library that fakes files replaces classes in `io`
import opcode
import sys
import types
from typing import Any, Iterator

from .scopes import frame_locals
from .stored.statics import lookup, made_in_c, names_of

_BITS, _LOW = 4, 15
"""Bits and mask for an instruction whose argument has the numbers of two variables."""
_OPTIMIZED = 1  # inspect.CO_OPTIMIZED: a function's code
_GENERATOR = 0x20  # inspect.CO_GENERATOR
_stores = {op for name, op in opcode.opmap.items() if "STORE_FAST" in name or name == "DELETE_FAST"}
_YIELDS = {op for name, op in opcode.opmap.items() if name in ("YIELD_VALUE", "YIELD_FROM")}
_MORE, _LAST, _VARINT = 64, 63, 6
"""Masks and bits per byte for numbers in CPython's exception table; each byte holds six bits."""
_MOST = 40
_FILES: tuple[Any, ...] = (_io.TextIOWrapper, _io.BufferedReader, _io.BufferedWriter, _io.BufferedRandom, _io.FileIO)
_WITH = ("WITH_EXCEPT_START", "WITH_CLEANUP_START")


def has_run_on(frame: Any, at: int) -> bool:
    """Returns whether an ended frame has run more code since the instruction at this offset raised."""
    instructions, last = frame.f_code.co_code, frame.f_lasti
    if last != at and 0 <= last < len(instructions) and opcode.opname[instructions[last]].startswith("RAISE_"):
        return True  # a handler raised again
    variables = frame_locals(frame)
    return _cleans_up(frame.f_code, at, variables) or any(map(_closes, _generators(frame, variables)))


def _generators(frame: Any, variables: dict[str, Any]) -> Iterator[Any]:
    """Yields the code of each generator function named in a frame: a variable, a global or a variable's method."""
    module = names_of(frame.f_globals)
    classes = {id(cls): cls for cls in map(type, variables.values()) if not made_in_c(cls)}
    for name in {*frame.f_code.co_names, *variables}:
        found = [variables.get(name), module.get(name), *(lookup(cls, name) for cls in classes.values())]
        for x in found:
            if type(x) is types.FunctionType and x.__code__.co_flags & _GENERATOR:
                yield x.__code__


def _closes(code: Any) -> bool:
    """Whether closing a generator at a yield may run cleanup code of the generator."""
    return any(_cleans_up(code, at, {}) for at in range(0, len(code.co_code), 2) if code.co_code[at] in _YIELDS)


def stored_after(code: Any, at: int | None) -> set[str] | None:
    """Returns a function's variables that other functions, or instructions after `at`, may set.

    Returns None for code that is not a function's, where any variable may be set.
    """
    if not code.co_flags & _OPTIMIZED:
        return None
    found = set(code.co_cellvars) | set(code.co_freevars)
    if at is None:
        return found
    argument = 0
    for place, op, low in zip(range(0, len(code.co_code), 2), code.co_code[::2], code.co_code[1::2]):  # noqa: B905
        argument = argument << 8 | low
        if op == opcode.EXTENDED_ARG:
            continue
        if place > at and op in _stores:
            two = opcode.opname[op].count("FAST") > 1
            places = (argument >> _BITS, argument & _LOW) if two else (argument,)
            found.update([code.co_varnames[each] for each in places if each < len(code.co_varnames)])
        argument = 0
    return found


def _cleans_up(code: Any, at: int, variables: dict[str, Any]) -> bool:
    """Whether a handler for an exception raised at `at` does more than test its type or close a plain file."""
    return any(
        not _is_passed(code.co_code, target) and not _closes_a_file(code, variables, start, target)
        for start, target in _handlers(code, at)
    )


def _handlers(code: Any, at: int) -> Iterator[tuple[int, int]]:
    """Yields (start, handler offset) of each block that contains the instruction."""
    if not hasattr(code, "co_exceptiontable"):
        yield from ((start + 2, target) for start, target in _blocks(code.co_code) if start < at < target)
        return
    table = list(_entries(code.co_exceptiontable))
    for _ in range(_MOST):
        start, target = next(((start, target) for start, end, target in table if start <= at < end), (0, None))
        if target is None:
            return
        if opcode.opname[code.co_code[target]] == "PUSH_EXC_INFO":  # otherwise the compiler's own handler
            yield start, target
        at = target


def _closes_a_file(code: Any, variables: dict[str, Any], start: int, target: int) -> bool:
    """Whether a handler belongs to `with ... as file`, and the variable is one of Python's own file objects."""
    op, argument = code.co_code[start : start + 2]
    handler = (opcode.opname[each] for each in code.co_code[target : target + 4 : 2])
    names = {"STORE_FAST": code.co_varnames, "STORE_NAME": code.co_names}.get(opcode.opname[op], ())
    if argument >= len(names) or not any(name in _WITH for name in handler):
        return False
    kind = type(variables.get(names[argument]))
    return any(kind is known for known in _FILES)


def _blocks(instructions: bytes) -> Iterator[tuple[int, int]]:
    """Yields (start, handler offset) of each `try` and `with`; only for Python up to 3.10."""
    argument, unit = 0, 2 if sys.version_info >= (3, 10) else 1
    for at in range(0, len(instructions), 2):
        argument = argument << 8 | instructions[at + 1]
        if instructions[at] == opcode.EXTENDED_ARG:
            continue
        if opcode.opname[instructions[at]].startswith("SETUP_"):
            yield at, at + 2 + argument * unit
        argument = 0


def _is_passed(instructions: bytes, target: int) -> bool:
    """Whether a handler only tests the exception's type, or only restores the previously handled exception."""
    names = (opcode.opname[op] for op in instructions[target : target + 2 * _MOST : 2])
    for name in names:
        if name in ("CHECK_EXC_MATCH", "CHECK_EG_MATCH", "DUP_TOP"):
            return True
        if not name.startswith(("LOAD_", "CACHE", "PUSH_EXC_INFO", "PUSH_NULL", "BUILD_TUPLE", "NOP", "EXTENDED")):
            return False
    return False


def _entries(table: bytes) -> Iterator[tuple[int, int, int]]:
    """Yields (start, end, handler) offsets of the exception table.

    The format is described in `Objects/exception_handling_notes.txt` of CPython.
    """
    numbers = _numbers(table)
    for start in numbers:
        size, target, _ = next(numbers), next(numbers), next(numbers)
        yield 2 * start, 2 * (start + size), 2 * target


def _numbers(table: bytes) -> Iterator[int]:
    number = 0
    for byte in table:
        number = number << _VARINT | byte & _LAST
        if not byte & _MORE:
            yield number
            number = 0
