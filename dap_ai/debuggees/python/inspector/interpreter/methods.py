"""Calls methods of builtin types, dates and numpy arrays that change nothing and call no code of the program."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import _string  # pyright: ignore[reportMissingImports]  the C half of `string`, in no stub
import _thread
import collections
from typing import Any

from ..stored.plain import (
    MAX_BITS,
    MAX_CHARACTERS,
    MAX_ITEMS,
    RefusedOperation,
    builtin_base,
    is_array,
    is_date,
    is_plain,
    is_scalar,
    plain_keys,
)
from ..stored.statics import MISSING, type_name
from .operations import check_format, legitimate, quietly

_STR = """upper lower title capitalize casefold swapcase strip lstrip rstrip startswith endswith find rfind index rindex
    count split rsplit splitlines partition rpartition join replace isalpha isdigit isalnum isspace isupper islower
    istitle isnumeric isdecimal isidentifier isascii zfill ljust rjust center encode removeprefix removesuffix
    format"""
_BYTES = """upper lower strip lstrip rstrip startswith endswith find rfind index rindex count split rsplit splitlines
    join replace hex decode isalpha isdigit isalnum isspace removeprefix removesuffix"""
_SET = "union intersection difference symmetric_difference issubset issuperset isdisjoint copy"
_DICT = "get keys values items"
_BY_TYPE: tuple[tuple[Any, str], ...] = (
    (str, _STR),
    (bytes, _BYTES),
    (bytearray, _BYTES),
    (bool, "bit_length bit_count conjugate as_integer_ratio"),
    (int, "bit_length bit_count conjugate as_integer_ratio is_integer"),
    (float, "is_integer hex as_integer_ratio conjugate"),
    (complex, "conjugate"),
    (list, "count index copy"),
    (tuple, "count index"),
    (range, "count index"),
    (collections.deque, "count index copy"),
    (set, _SET),
    (frozenset, _SET),
    (dict, _DICT + " copy"),
    (collections.OrderedDict, "get keys values"),
    (collections.defaultdict, _DICT),
    (collections.Counter, _DICT),
)
_ALLOWED = {id(cls): frozenset(names.split()) for cls, names in _BY_TYPE}
_ARRAY_NAMES = "mean sum min max std var prod any all argmin argmax tolist item round ravel flatten cumsum"
_ARRAY = frozenset(_ARRAY_NAMES.split())
_LOCKS = (_thread.LockType, _thread.RLock)
_DATE = frozenset(("isoformat", "weekday", "isoweekday", "toordinal", "total_seconds", "date", "time"))
_MAKES_ITS_LIKE = ("copy", "union", "intersection", "difference", "symmetric_difference")
"""Methods that return an object of the same class, so that a subclass's constructor would run."""

_MAX_FIELDS = 100
_CODECS = ("utf-8", "utf8", "ascii", "latin-1")


def is_allowed(x: Any, name: str) -> bool:
    """Returns whether an expression may call the method `name` of `x`, whatever the arguments."""
    if is_array(x):
        return name in _ARRAY
    if is_date(x):
        return name in _DATE
    if type(x) is _LOCKS[0] and name == "locked":
        return True
    base = builtin_base(x, name)
    if base is MISSING or (name in _MAKES_ITS_LIKE and type(x) is not base):
        return False
    return name in _ALLOWED.get(id(base), ())


def call_method(x: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Evaluates `x.name(...)`.

    Raises RefusedOperation, or EvaluationRaised with the exception of the program's call.
    """
    if not is_allowed(x, name):
        cls = type_name(type(x))
        raise RefusedOperation(
            "`%s` of %s is not on the list of methods that change nothing; read its fields" % (name, cls)
        )
    for part in (*arguments, *keywords.values()):
        if not is_plain(part) and not (name == "get" and part is arguments[-1] and len(arguments) == 2):
            raise RefusedOperation(
                "an argument of type %s may run its code; use builtin values" % type_name(type(part))
            )
    if is_array(x):
        if name == "tolist" and x.size > MAX_ITEMS:
            raise RefusedOperation("more than %d items; slice the array first" % MAX_ITEMS)
        if name in ("mean", "std", "var"):
            _check_freedom(x, arguments, keywords)
        return quietly(getattr(x, name), *arguments, **keywords)
    if is_date(x):
        return legitimate(getattr(x, name), *arguments, **keywords)
    if type(x) is _LOCKS[0]:
        return legitimate(x.locked, *arguments, **keywords)
    base = builtin_base(x, name)
    if name == "format":
        _check_fields(x, [*arguments, *keywords.values()])
    _check(x, base, name, arguments)
    return legitimate(getattr(base, name), x, *arguments, **keywords)


def _check(x: Any, base: Any, name: str, arguments: list[Any]) -> None:
    """Raises RefusedOperation for arguments that are plain, but not allowed for this method."""
    if hasattr(base, "__len__") and base is not range and base.__len__(x) > MAX_CHARACTERS and name != "get":
        raise RefusedOperation("it holds more than %d items; use a slice" % MAX_CHARACTERS)
    if issubclass(base, dict) and name == "get" and not plain_keys(dict.keys(x)):
        raise RefusedOperation("keys of this dict have code of their own; read its keys")
    if base in (set, frozenset, list, tuple, collections.deque) and name != "copy" and not is_plain(x):
        raise RefusedOperation("`%s` would compare items that have code of their own; read them instead" % name)
    sizes = [abs(part) for part in arguments if type(part) is int]
    if name in ("ljust", "rjust", "center", "zfill") and any(size > MAX_ITEMS for size in sizes):
        raise RefusedOperation("the text would be too large; use a smaller width")
    if name == "replace" and len(arguments) > 1 and _replaced_size(x, arguments) > MAX_BITS:
        raise RefusedOperation("the text would be too large; replace in a part of it")
    if name == "join" and arguments and base.__len__(x) * (1 + _size(arguments[0])) > 10 * MAX_BITS:
        raise RefusedOperation("the text would be too large; join fewer parts")
    if name in ("encode", "decode") and not all(part in _CODECS for part in arguments[:1]):
        raise RefusedOperation("only %s are used here: other codecs may be the program's" % ", ".join(_CODECS))
    if name in ("encode", "decode") and len(arguments) > 1 and arguments[1] not in ("strict", "replace", "ignore"):
        raise RefusedOperation("error functions of codecs may be the program's; use 'replace'")


def _check_freedom(x: Any, arguments: list[Any], keywords: dict[str, Any]) -> None:
    """Refuses arguments for which numpy would warn, because a warning runs the program's filters or is printed."""
    if not x.size:
        raise RefusedOperation("the mean of an empty array warns; use its size")
    if len(arguments) > 1 or any(name not in ("axis", "ddof", "keepdims") for name in keywords):
        raise RefusedOperation("only axis, ddof and keepdims are taken here; leave out the others")
    axis = keywords.get("axis", arguments[0] if arguments else None)
    freedom = keywords.get("ddof", 0)
    known = axis is None or (type(axis) is int and -x.ndim <= axis < x.ndim)
    if type(freedom) is not int or not known or freedom >= (x.size if axis is None else x.shape[axis]):
        raise RefusedOperation("too few items for these degrees of freedom; use a smaller ddof")


def _check_fields(text: Any, parts: list[Any]) -> None:
    """Refuses `str.format` strings that read attributes or items, and nested or wide formats."""
    fields = [field for field in legitimate(_string.formatter_parser, str(text)) if field[1] is not None]
    if len(fields) > _MAX_FIELDS or any(type(part) is str and len(part) > MAX_ITEMS for part in parts):
        raise RefusedOperation("the text would be too large; format fewer or shorter parts")
    for _, name, spec, _ in fields:
        if not (name.isdigit() or name.isidentifier() or not name) or "{" in spec:
            raise RefusedOperation("a format that reads attributes or items may run code; pass the part itself")
        check_format(spec)
        if spec and not all(map(is_scalar, parts)):
            raise RefusedOperation("only builtin numbers and texts are formatted with a width or precision here")


def _size(x: Any) -> int:
    return len(x) if hasattr(type(x), "__len__") else 0


def _replaced_size(x: Any, arguments: list[Any]) -> int:
    return len(x) + (len(x) + 1) * _size(arguments[1])
