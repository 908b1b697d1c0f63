"""Keeps the latest captures: copies of values in the user's frames at a raise, found by the exception's traceback."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Frames hold Any.

from __future__ import annotations

import types
from typing import Any

from .mentioned import mentioned
from .scopes import has_own_names, running_names
from .stored.freezing import Freezer
from .stored.statics import forget, is_dunder, names_of

MOST = 16
"""Maximum number of captures kept."""
MAX_FRAMES = 4
_MAX_NAMES, _MAX_GLOBALS = 200, 40
_ROOM = (600, 300, 200, 100)
"""Maximum objects copied per frame; the first number is for the innermost frame."""
_CODE: tuple[Any, ...] = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)
_traceback_of: Any = BaseException.__dict__["__traceback__"].__get__


class CapturedFrame:
    """Copies of a frame's variables at the raise, and of the module's variables that its code names.

    `code`: the id of the frame's code object; `at`: the offset of its current instruction; `addresses`: the address of
    each copied object, by its copy's id; `fields`: the fields of each copied object.
    """

    __slots__ = ("addresses", "at", "code", "fields", "names", "shared")

    def __init__(self, code: int, at: int, names: dict[str, Any], shared: dict[str, Any], freezer: Freezer) -> None:
        self.code, self.at, self.names, self.shared = code, at, names, shared
        self.addresses, self.fields = freezer.addresses(), freezer.fields


class Capture:
    """The captured frames of one raise.

    `exception`: the exception's id. `site`: a raise_events.Site, the place of the raise. `inner`: ids of the code
    objects of the frames that the exception had already left.
    """

    __slots__ = ("exception", "inner", "moments", "site")

    def __init__(self, exc: Any, site: Any, moments: list[CapturedFrame]) -> None:
        self.exception, self.site, self.moments = id(exc), site, moments
        self.inner = [id(frame.f_code) for frame, _ in entries_of(exc)[1:]]


_kept: list[Capture] = []


def capture(frame: Any, exc: Any, site: Any, is_user: Any) -> None:
    """Copies the values of a frame and its callers at a raise; `is_user(code)` decides which frames to copy."""
    moments: list[CapturedFrame] = []
    try:
        while frame is not None and len(moments) < MAX_FRAMES:
            if is_user(frame.f_code):
                moments.append(_moment(frame, _ROOM[len(moments)]))
            frame = frame.f_back
    finally:
        forget()
    _kept[:] = [each for each in _kept if each.site != site][1 - MOST :]
    _kept.append(Capture(exc, site, moments))


def _moment(frame: Any, room: int) -> CapturedFrame:
    code, at, freezer = frame.f_code, frame.f_lasti, Freezer(room)
    found = running_names(frame)
    wanted = mentioned(code, at)
    shared: dict[str, Any] = {}
    if has_own_names(frame):
        known = names_of(frame.f_globals)
        rest = [name for name in (*wanted, *code.co_names) if name in known and name not in found]
        named = [name for name in dict.fromkeys(rest) if not _is_code(known[name])]
        shared = {name: freezer.freeze(known[name]) for name in named[:_MAX_GLOBALS]}
    else:
        found = {name: x for name, x in found.items() if not is_dunder(name) and not _is_code(x)}
    order = dict.fromkeys([name for name in (*wanted, *code.co_names) if name in found])
    order.update(dict.fromkeys(found))
    names = {name: freezer.freeze(found[name]) for name in list(order)[:_MAX_NAMES]}
    return CapturedFrame(id(code), at, names, shared, freezer)


def _is_code(x: Any) -> bool:
    cls = type(x)
    return any(cls is known for known in _CODE) or issubclass(cls, type)


def moments_of(exc: Any) -> list[tuple[Any, CapturedFrame]]:
    """Returns an exception's captures as (frame, CapturedFrame) pairs, innermost first; empty without a capture."""
    found = next((each for each in reversed(_kept) if each.exception == id(exc)), None)
    entries = entries_of(exc) if found is not None else []
    if found is None or not entries:
        return []
    above = entries[0][0].f_back
    entries.reverse()
    while above is not None:
        entries.append((above, above.f_lasti))
        above = above.f_back
    if found.site[2] != id(type(exc)):
        return []
    size = len(found.inner)
    if [id(frame.f_code) for frame, _ in entries[:size]] != found.inner[::-1]:
        return []
    pairs: list[tuple[Any, CapturedFrame]] = []
    rest = iter(entries[size:])
    for moment in found.moments:
        frame = next((frame for frame, at in rest if id(frame.f_code) == moment.code and at == moment.at), None)
        if frame is None:
            break
        pairs.append((frame, moment))
    return pairs


def entries_of(exc: Any) -> list[tuple[Any, int]]:
    """Returns (frame, instruction offset) pairs of an exception's traceback, outermost first."""
    found: list[tuple[Any, int]] = []
    entry = _traceback_of(exc)
    while entry is not None:
        found.append((entry.tb_frame, entry.tb_lasti))
        entry = entry.tb_next
    return found


def drop(site: Any) -> None:
    """Forgets the captures of one raise site."""
    _kept[:] = [each for each in _kept if each.site != site]


def clear() -> None:
    """Forgets all captures."""
    _kept.clear()
