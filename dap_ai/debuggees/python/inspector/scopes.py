"""Reads a frame's variables where the interpreter stores them.

Up to Python 3.12, `frame.f_locals` of a function fills a dictionary that the frame keeps and that the program's own
`locals()` returns: values in it live on after a `del`. So a function's variables are read from memory, if a test with a
frame of this module confirms the layout. If not, and for frames that another thread may leave in the meantime, this
module uses `f_locals`.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import ctypes
import re
import sys
import types
from typing import Any

from .stored.statics import MISSING, names_of

_HIDDEN = ("__exception__", "__pydevd_ret_val_dict", "_pydev_stop_at_break")
"""Names that pydevd adds to a frame's variables."""
_OF_IPYTHON = re.compile(r"_+|_i+|_i?\d+|_[iod]h|In|Out|exit|quit|open|get_ipython").fullmatch
_OPTIMIZED = 1  # inspect.CO_OPTIMIZED: a function's code
_WORD = ctypes.sizeof(ctypes.c_void_p)
_IN_THE_FRAME = sys.version_info < (3, 11)
"""Whether a frame's variables are part of the frame object, as up to Python 3.10."""
_ELSEWHERE_AT = 3
_LOCALS_AT = 7 if _IN_THE_FRAME else 3 if sys.version_info < (3, 12) else 5
_VARIABLES_AT = types.FrameType.__basicsize__ // _WORD - 1 if _IN_THE_FRAME else 9
"""Offset, in words, of the first variable; the offsets above locate the pointer to the variables and the dictionary."""

_current_frame: Any = sys._getframe  # pyright: ignore[reportPrivateUsage]  its documented name
_own_stack: set[int] = set()


def forget() -> None:
    """Forgets the ids of this thread's frames; called at the end of each inspection."""
    _own_stack.clear()


def scope_names(frame: Any, suspended: bool = False) -> dict[str, Any]:
    """Returns the names bound in a frame, in the interpreter's order.

    `suspended`: the frame belongs to a generator that is not running.
    """
    code = frame.f_code
    if _is_known and code.co_flags & _OPTIMIZED and (suspended or _stands_still(frame)):
        return _read(frame, code)
    scope = frame.f_locals
    if issubclass(type(scope), dict):
        return names_of(scope)
    if type(scope) is _FRAME_PROXY:
        return {name: x for name, x in scope.items() if type(name) is str}
    return {}  # a class body whose metaclass provides its own mapping


def frame_locals(frame: Any, suspended: bool = False) -> dict[str, Any]:
    """Returns a frame's variables without names of the debugger and of comprehensions."""
    names = scope_names(frame, suspended)
    return {name: x for name, x in names.items() if name not in _HIDDEN and not name.startswith(".")}


def running_names(frame: Any) -> dict[str, Any]:
    """Returns variables of a frame that runs in this thread, without using `f_locals` before Python 3.13.

    Empty if the variables cannot be read from memory.
    """
    if not frame.f_code.co_flags & _OPTIMIZED or sys.version_info >= (3, 13):
        return frame_locals(frame)
    names = _read(frame, frame.f_code) if _is_known else {}
    return {name: x for name, x in names.items() if name not in _HIDDEN and not name.startswith(".")}


def shown_locals(frame: Any) -> dict[str, Any]:
    """Returns a frame's variables, in a notebook without IPython's own names."""
    names = frame_locals(frame)
    if "_ih" not in names or "get_ipython" not in names:
        return names
    return {name: x for name, x in names.items() if not _OF_IPYTHON(name)}


def has_own_names(frame: Any) -> bool:
    """Returns whether the frame's variables differ from its module's globals."""
    return bool(frame.f_code.co_flags & _OPTIMIZED) or frame.f_locals is not frame.f_globals


def shown_by_pydevd(frame: Any) -> dict[str, Any]:
    """Returns the names that pydevd added to a frame; up to Python 3.12 these are in the frame's dictionary."""
    if _is_known and frame.f_code.co_flags & _OPTIMIZED:
        kept = _slot(_place(frame) + _WORD * _LOCALS_AT) if _stands_still(frame) else MISSING
        return names_of(kept) if type(kept) is dict else {}
    return scope_names(frame)


def _read(frame: Any, code: Any) -> dict[str, Any]:
    cells = code.co_cellvars
    if not _IN_THE_FRAME:
        cells = tuple([name for name in cells if name not in code.co_varnames])
    order = (*code.co_varnames, *cells, *code.co_freevars)
    inner = frozenset((*code.co_cellvars, *code.co_freevars))
    slots = (ctypes.py_object * len(order)).from_address(_place(frame) + _WORD * _VARIABLES_AT)
    found: dict[str, Any] = {}
    for at, name in enumerate(order):
        try:
            x: Any = slots[at]
            if name in inner and type(x) is types.CellType:
                x = x.cell_contents
        except ValueError:  # not bound
            continue
        found[name] = x
    return found


def _stands_still(frame: Any) -> bool:
    """Whether the frame's memory stays valid during the reading: the frame has ended or belongs to this thread."""
    if _IN_THE_FRAME or 0 <= _place(frame) - id(frame) < 1 << 20:
        return True
    if not _own_stack:
        above: Any = _current_frame()
        while above is not None:
            _own_stack.add(id(above))
            above = above.f_back
    return id(frame) in _own_stack


def _place(frame: Any) -> int:
    if _IN_THE_FRAME:
        return id(frame)
    return ctypes.c_size_t.from_address(id(frame) + _WORD * _ELSEWHERE_AT).value


def _slot(address: int) -> Any:
    try:
        return ctypes.py_object.from_address(address).value
    except ValueError:
        return MISSING


def _numbers(frame: Any, at: int, count: int) -> list[int]:
    return list((ctypes.c_size_t * count).from_address(_place(frame) + _WORD * at))


def _is_as_expected() -> bool:
    """Tests the memory layout with a known frame, by comparing numbers only, so that no wrong address is used."""
    first, second, third = object(), object(), object()

    def sample(one: Any, two: Any) -> Any:
        three, unset = third, 0
        del unset
        kept = locals() if three else lambda: two
        return _current_frame(), kept

    frame, kept = sample(first, second)
    cell = 0 if _IN_THE_FRAME else _numbers(frame, _VARIABLES_AT, 2)[1]
    wanted = [id(first), cell, id(third), 0, id(kept)]
    names = list(frame.f_code.co_varnames) == ["one", "two", "three", "unset", "kept"]
    same = _numbers(frame, _VARIABLES_AT, 5) == wanted and _numbers(frame, _LOCALS_AT, 1) == [id(kept)]
    del frame  # it references this frame, and the program's frames
    return names and same and cell not in (id(first), id(second))


def _locals_of_a_function() -> Any:
    return _current_frame().f_locals


_FRAME_PROXY: Any = type(_locals_of_a_function())
"""The type of `f_locals` in a function: dict, or a view written in C from Python 3.13 on."""
_is_known = (
    sys.version_info < (3, 13)
    and sys.implementation.name == "cpython"
    and not hasattr(sys, "gettotalrefcount")
    and _is_as_expected()
)
"""Whether variables can be read from memory in this interpreter."""
