"""Detects plain objects: exact builtin types at every level, which C code may compare, hash and write."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import collections
import sys
from typing import Any

from .object_kinds import numpy_array, numpy_scalar
from .statics import MISSING, loaded, lookup, made_in_c, mro, namespace, type_name

MAX_ITEMS = 10_000
"""Maximum number of items that one operation may read or create."""

MAX_CHARACTERS = 1_000_000
MAX_BITS = 100_000
_MAX_STEPS = 200_000
_MAX_BYTES = 64 << 20

SCALARS: tuple[Any, ...] = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
SEQUENCES: tuple[Any, ...] = (list, tuple, collections.deque)
SETS: tuple[Any, ...] = (set, frozenset)
DICTS: tuple[Any, ...] = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
VIEWS: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()))
CONTAINERS: tuple[Any, ...] = (*SEQUENCES, *SETS, *DICTS, range, bytearray)
NUMBERS: tuple[Any, ...] = (bool, int, float, complex)
_SIZED: tuple[Any, ...] = (int, str, bytes, bytearray, list, tuple, set, frozenset, dict)
_scalar_ids = {id(cls) for cls in SCALARS}


class RefusedOperation(Exception):  # noqa: N818  a result, not an error
    """The inspector refuses an operation; the text names the rule and an alternative."""


class MissingName(Exception):  # noqa: N818  the same
    """A name does not exist or is not bound at this moment."""


class EvaluationRaised(Exception):  # noqa: N818  the same
    """The program's expression itself raises an exception, which is the first argument."""


def one_of(x: Any, classes: tuple[Any, ...]) -> bool:
    """Returns whether an object's exact type is one of these classes; compares identities only."""
    cls = type(x)
    return any(cls is known for known in classes)


def is_scalar(x: Any) -> bool:
    """Returns whether `x` is exactly a None, bool, int, float, complex, str, bytes or Ellipsis."""
    return id(type(x)) in _scalar_ids


def is_plain(x: Any, room: list[int] | None = None, depth: int = 0) -> bool:
    """Returns whether `x` contains only exact builtin scalars and containers, at most MAX_ITEMS in total."""
    if is_scalar(x) or type(x) is range or type(x) is bytearray or is_date(x):
        return True
    room = [MAX_ITEMS] if room is None else room
    if depth > 20 or not one_of(x, CONTAINERS):
        return False
    size = len(x)
    room[0] -= size
    if room[0] < 0:
        return False
    if one_of(x, DICTS):
        pairs = list(dict.items(x))
        return all(is_plain(key, room, depth + 1) and is_plain(part, room, depth + 1) for key, part in pairs)
    return all(is_plain(part, room, depth + 1) for part in list(x))


def is_date(x: Any) -> bool:
    """Returns whether `x` is a date, timedelta or naive datetime, whose operators are C code."""
    cls = type(x)
    if not made_in_c(cls):  # libraries that freeze time install their own classes there
        return False
    if cls is loaded("datetime", "date") or cls is loaded("datetime", "timedelta"):
        return True
    return cls is loaded("datetime", "datetime") and x.tzinfo is None


def is_array(x: Any) -> bool:
    """Returns whether `x` is a numpy number, or a numpy array of plain items and limited size."""
    return "numpy" in sys.modules and (numpy_scalar(x) or (numpy_array(x) and x.size <= MAX_CHARACTERS))


def plain_keys(container: Any) -> bool:
    """Returns whether all keys of a dict or set are plain, so that a lookup runs no code of the program."""
    size = len(container)
    if size > 20 * MAX_ITEMS:
        return False
    kinds = set(map(id, map(type, list(container))))
    if kinds <= _scalar_ids:
        return True
    return size <= MAX_ITEMS and all(is_plain(key) for key in list(container))


def builtin_base(x: Any, method: str) -> Any:
    """Returns the builtin type whose `method` an object would call; MISSING if a class overrides that method."""
    for base in mro(type(x)):
        if any(base is known for known in (*SCALARS, *CONTAINERS)):
            return base
        own = namespace(base)
        if method in own or (method == "__getitem__" and "__missing__" in own):
            return MISSING
    return MISSING


def truth(x: Any) -> bool:
    """Returns `bool(x)`. Raises RefusedOperation if code of the program would decide it."""
    if is_scalar(x) or one_of(x, (*CONTAINERS, *VIEWS)) or is_date(x):
        return bool(x)
    cls = type(x)
    if lookup(cls, "__bool__") is MISSING:
        base = builtin_base(x, "__len__")
        if base is not MISSING:
            return bool(base.__len__(x))
        if lookup(cls, "__len__") is MISSING:
            return True
    raise RefusedOperation(
        "the truth of a %s is decided by its own code; use `is None`, or read its fields" % type_name(cls)
    )


def hashable(x: Any) -> Any:
    """Returns `x`. Raises RefusedOperation if hashing `x` may run code of the program."""
    if not is_plain(x):
        raise RefusedOperation("hashing a %s may run its code; use a key of a builtin type" % type_name(type(x)))
    return x


class StepCounter:
    """Limits the work and memory of one expression within a `values.VisitBudget`. Raises RefusedOperation."""

    def __init__(self, budget: Any) -> None:
        self._budget = budget
        self._count = 0
        self._bytes = 0

    def tick(self) -> None:
        """Counts one evaluated node or one item. Raises RefusedOperation if the limit is reached."""
        self._count += 1
        if self._count > _MAX_STEPS or (self._count % 64 == 1 and self._budget.spent()):
            raise RefusedOperation("the expression takes too long; ask for a part of it")

    def paid(self, x: Any) -> Any:
        """Adds a result's size to the total and returns the result, because many small results can fill the memory."""
        if one_of(x, _SIZED):
            size: Any = type(x).__sizeof__
            self._bytes += size(x)
        elif is_array(x):
            self._bytes += x.nbytes
        if self._bytes > _MAX_BYTES:
            raise RefusedOperation("the expression makes too much; ask for a part of it")
        return x
