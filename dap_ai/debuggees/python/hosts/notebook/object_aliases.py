"""Finds other names that reach an object, because a change through one name shows under every other name.

Runs no code of the program.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any.

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from dap_ai.debuggees.python.inspector.stored.statics import forget, stored

_UNCHANGING = (int, float, complex, str, bytes, bool, types.NoneType, type, types.FunctionType, types.ModuleType, range)
_MAX_PARTS = 1000
"""Maximum number of parts examined per container."""
_DEPTH = 3


class Sharing(NamedTuple):
    """Aliases of an object. `same`: names of the object itself.

    `holders`: names of containers that contain the object.
    """

    same: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()


def sharing(name: str, names: Iterable[str], values: Mapping[str, Any]) -> Sharing:
    """Returns which of `names` also reach the object that `name` refers to; empty if the object is immutable."""
    x = values.get(name)
    if issubclass(type(x), _UNCHANGING):
        return Sharing()
    others = [other for other in names if other != name and other in values]
    try:
        same = frozenset(other for other in others if values[other] is x)
        holders = frozenset(other for other in others if other not in same and _holds(values[other], x, _DEPTH))
    finally:
        forget()
    return Sharing(same, holders)


def _holds(holder: Any, x: Any, depth: int) -> bool:
    if depth == 0 or issubclass(type(holder), _UNCHANGING):
        return False
    return any(part is x or _holds(part, x, depth - 1) for part in islice(_parts(holder), _MAX_PARTS))


def _parts(holder: Any) -> Iterator[Any]:
    if type(holder) in (list, tuple):
        yield from list(holder)
    elif type(holder) is dict:
        yield from list(holder.values())
    else:
        yield from stored(holder).values()
