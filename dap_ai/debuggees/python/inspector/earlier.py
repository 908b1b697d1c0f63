"""Finds variables that had another value when the program failed; plain data only."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any.

from __future__ import annotations

from typing import Any

from .captures import CapturedFrame
from .scopes import shown_locals
from .stored.freezing import Freezer, Frozen, is_same
from .stored.statics import forget

MARK = " (when it failed)"
"""The suffix of such a variable's name, in an editor."""
_ROOM = 2000


def changed(frame: Any, moment: CapturedFrame) -> dict[str, Any]:
    """Returns copies of the earlier values, by name."""
    try:
        now = shown_locals(frame)
        freezer = Freezer(_ROOM)
        pairs = [(name, x, freezer.freeze(now[name])) for name, x in moment.names.items() if name in now]
        return {name: x for name, x, y in pairs if _is_plain(x) and is_same(x, y) is False}
    finally:
        forget()


def _is_plain(x: Any) -> bool:
    if type(x) is Frozen:
        return False
    if type(x) is dict:
        return all(map(_is_plain, x.values()))
    return all(map(_is_plain, x)) if type(x) in (list, tuple) else True
