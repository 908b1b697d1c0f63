"""Finds variables whose values have changed since the program failed; only plain data has copies to compare."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any.

from __future__ import annotations

from typing import Any

from .captures import CapturedFrame
from .scopes import shown_locals
from .stored.freezing import Freezer, Frozen, is_same
from .stored.statics import forget

MARK = " (when it failed)"
"""The suffix, in an editor, of a variable's row with the value at the failure."""
_ROOM = 2000


def changed(frame: Any, moment: CapturedFrame) -> dict[str, Any]:
    """Returns copies of the values at the failure, by name, of variables that have changed since."""
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
