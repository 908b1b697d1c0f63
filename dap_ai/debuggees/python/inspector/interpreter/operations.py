"""Applies operators to values of exact builtin types and to plain numpy arrays, with limits on size."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import operator
import re
import sys
from typing import Any, Callable

from ..stored.plain import (
    DICTS,
    MAX_BITS,
    MAX_CHARACTERS,
    MAX_ITEMS,
    NUMBERS,
    SETS,
    EvaluationRaised,
    RefusedOperation,
    is_array,
    is_date,
    is_plain,
    is_scalar,
    one_of,
    plain_keys,
    truth,
)
from ..stored.statics import loaded, module_of, type_name

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "@": operator.matmul,
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_wide = re.compile("[0-9]{4}").search
_wide_percent = re.compile(r"%(\([^)]*\))?[-#0 +.0-9]*(\*|[0-9]{4})").search
_NUMPY_SIZE = 1_000_000
_MATRIX_SIZE = 4096


def legitimate(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Calls allowed C code; turns an exception into EvaluationRaised, the outcome of the expression."""
    try:
        return function(*arguments, **keywords)
    except (RefusedOperation, EvaluationRaised, RecursionError, MemoryError):
        raise
    except Exception as error:
        raise EvaluationRaised(error) from None


def truth_of(x: Any) -> bool:
    """Returns `bool(x)` if no code of the program decides it.

    Raises RefusedOperation, or EvaluationRaised for an array of several items.
    """
    if not is_array(x):
        return truth(x)
    if not x.size:
        raise RefusedOperation("the truth of an empty array may warn; use its size")
    return quietly(bool, x)


def quietly(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Calls a numpy function with numpy's warnings and floating-point callbacks off. Raises EvaluationRaised."""
    errstate = loaded("numpy", "errstate")
    if type(errstate) is not type or not module_of(errstate).startswith("numpy"):
        raise RefusedOperation("the program has replaced numpy.errstate; read the values instead")
    with errstate(all="ignore"):
        return legitimate(function, *arguments, **keywords)


def unary(op: str, x: Any) -> Any:
    """Returns `-x`, `+x` or `~x` of a number, timedelta or numpy array."""
    function: Any = {"-": operator.neg, "+": operator.pos, "~": operator.invert}[op]
    if type(x) is bool:
        x = int(x)  # `~True` warns
    if is_scalar(x) or is_date(x):
        return legitimate(function, x)
    if is_array(x):
        return quietly(function, x)
    raise _refused(op, x)


def binary(op: str, x: Any, y: Any) -> Any:
    """Returns `x op y`; refuses types with their own operators, and results that are too large."""
    function = BINARY[op]
    if is_array(x) or is_array(y):
        if not all(is_array(part) or one_of(part, NUMBERS) for part in (x, y)):
            raise _refused(op, y if is_array(x) else x)
        _check_array_size(op, x, y)
        return quietly(function, x, y)
    if one_of(x, (list, tuple)) and type(y) is type(x) and op == "+":
        _limit(len(x) + len(y), MAX_ITEMS)
        return function(x, y)
    for part in (x, y):
        if not is_plain(part):
            raise _refused(op, part)
    _check_size(op, x, y)
    return legitimate(function, x, y)


def compare(op: str, x: Any, y: Any) -> Any:
    """Returns `x op y` for the operators `is`, `in`, `==`, `<` and their relatives."""
    if op == "is":
        return x is y
    if op == "is not":
        return x is not y
    if op in ("in", "not in"):
        found = contains(y, x)
        return found if op == "in" else not found
    function = COMPARE[op]
    if is_array(x) or is_array(y):
        if not all(is_array(part) or is_scalar(part) for part in (x, y)):
            raise _refused(op, y if is_array(x) else x)
        if any(one_of(part, (str, bytes)) for part in (x, y)) and any(_is_number(part) for part in (x, y)):
            raise RefusedOperation("comparing numbers with texts may warn; compare with a number")
        _check_array_size(op, x, y)
        return quietly(function, x, y)
    for part in (x, y):
        if not is_plain(part):
            raise _refused(op, part)
    if sys.flags.bytes_warning:
        raise RefusedOperation("comparisons may warn under `python -b`; read both values instead")
    return legitimate(function, x, y)


def _is_number(x: Any) -> bool:
    return is_array(x) and x.dtype.kind in "biufc"


def contains(container: Any, x: Any) -> bool:
    """Returns `x in container`."""
    if not is_plain(x):
        if one_of(container, (list, tuple)) and any(x is part for part in container[:MAX_ITEMS]):
            return True
        raise _refused("in", x)
    if one_of(container, (*DICTS, *SETS)):
        if not plain_keys(container):
            raise RefusedOperation("keys of this %s have code of their own; read its keys" % type_name(type(container)))
        base: Any = dict if one_of(container, DICTS) else type(container)
        return legitimate(base.__contains__, container, x)
    if is_array(container):
        raise RefusedOperation("membership compares the whole array; use (x == value).any()")
    if not is_plain(container):
        if one_of(container, (list, tuple)):
            for part in container[:MAX_ITEMS]:
                if part is x or (is_plain(part) and part == x):
                    return True
                if not is_plain(part):
                    raise _refused("in", part)
        raise _refused("in", container)
    return legitimate(operator.contains, container, x)


def _refused(op: str, x: Any) -> RefusedOperation:
    name = type_name(type(x))
    return RefusedOperation("`%s` of a %s may run its code; read its stored fields and compare those" % (op, name))


def _limit(size: int, limit: int) -> None:
    if size > limit:
        raise RefusedOperation("the result would be too large (%d, limit %d); use a smaller part" % (size, limit))


def _check_size(op: str, x: Any, y: Any) -> None:
    numbers = type(x) in (int, bool) and type(y) in (int, bool)
    if op == "**" and numbers:
        _limit(x.bit_length() * abs(y), MAX_BITS)
    elif op == "<<" and numbers:
        _limit(x.bit_length() + max(y, 0), MAX_BITS)
    elif op == "*" and numbers:
        _limit(x.bit_length() + y.bit_length(), MAX_BITS)
    elif op == "*":
        for part, times in ((x, y), (y, x)):
            if type(times) in (int, bool) and type(part) not in NUMBERS and hasattr(type(part), "__len__"):
                _limit(len(part) * max(times, 0), MAX_ITEMS)
    elif op == "+" and hasattr(type(x), "__len__") and hasattr(type(y), "__len__"):
        _limit(len(x) + len(y), MAX_CHARACTERS)
    elif op == "%" and type(x) in (str, bytes, bytearray):
        text = x if type(x) is str else bytes(x).decode("latin-1")
        if _wide_percent(text) or len(text) > MAX_CHARACTERS:
            raise _wide_format()


def check_format(spec: str) -> None:
    """Refuses widths and precisions that would make a huge text."""
    if _wide(spec) or len(spec) > MAX_ITEMS:
        raise _wide_format()


def _wide_format() -> RefusedOperation:
    return RefusedOperation(
        "a format with a large or computed width makes a huge text; write the width as a small number"
    )


def _check_array_size(op: str, x: Any, y: Any) -> None:
    sizes = [getattr(part, "size", 1) for part in (x, y)]
    if op == "@":
        _limit(max(sizes), _MATRIX_SIZE)
    shapes = [getattr(part, "shape", ()) for part in (x, y)]
    if shapes[0] != shapes[1] and min(sizes) > 1:
        _limit(sizes[0] * sizes[1], _NUMPY_SIZE)  # broadcasting yields at most the product of the sizes
    if op in ("**", "<<") and any(type(part) is int and abs(part) > 1 << 62 for part in (x, y)):
        raise RefusedOperation("a number too large for the array; use a smaller one")
