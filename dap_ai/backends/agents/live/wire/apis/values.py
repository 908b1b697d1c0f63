"""Values of anybody's JSON: nothing here raises for a wrong type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast


def table(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def rows(value: Any) -> Sequence[Any]:
    """An array, or an empty one."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def merge(old: Any, new: Any) -> Any:
    """What two fragments of one value make: texts and lists one after the other, objects by key, else the newer."""
    if new is None:
        return old
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    if isinstance(old, list) and isinstance(new, list):
        return [*rows(old), *rows(new)]
    if isinstance(old, dict) and isinstance(new, dict):
        both = {**table(old)}
        for key, value in table(new).items():
            both[key] = merge(both.get(key), value)
        return both
    return new
