"""Advances an iterator to find its next items; only in a copy, which ends afterwards."""

# ruff: noqa: ARG001  a trace function has this signature
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import sys
import time
from typing import Any

from ...inspector.stored.statics import MISSING, lookup
from .raising import error_line
from .run_watcher import original_settrace

_MAX_ITEMS = 12
_MAX_S = 0.3
"""Maximum seconds of processor time; by the clock, _BY_CLOCK times as many.

This is far less than the copy's own deadline, so that the items found by then are reported. A wait in C code is not
interrupted.
"""
_BY_CLOCK = 5
_clock, _processor = time.perf_counter, time.thread_time


class _TooLong(BaseException):
    """Raised inside the program's code to stop it; not an Exception, because the program may catch any Exception."""


def ahead(x: Any, describer: Any) -> str:
    """Returns the next items as text: `yields 1, 2 and ends`; an empty string for an object without `__next__`."""
    advance: Any = lookup(type(x), "__next__")
    if advance is MISSING:
        return ""
    texts: list[str] = []
    rest = sys.call_tracing(_advance, (advance, x, describer, texts))  # the thread is inside debugpy's trace function
    if not texts:
        return rest if rest != "ends" else "yields nothing"
    return "yields " + ", ".join(texts) + (", ... " if rest == "goes on" else " ") + "and " + rest


def _advance(advance: Any, x: Any, describer: Any, texts: list[str]) -> str:
    """Collects the texts of the next items in `texts`, and returns how the iterator goes on as a clause."""
    started, began = _clock(), _processor()

    def is_late() -> bool:
        passed = _clock() - started
        return passed > _MAX_S and (passed > _BY_CLOCK * _MAX_S or _processor() - began > _MAX_S)

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if is_late():
            raise _TooLong
        return trace

    settrace = original_settrace()
    settrace(trace)
    try:
        while len(texts) < _MAX_ITEMS and not is_late():
            texts.append(describer.text(advance(x), 1))
    except StopIteration:
        return "ends"
    except _TooLong:
        return "takes long for the next one"
    except BaseException as error:
        return "raises " + error_line(error)
    finally:
        settrace(None)
    return "goes on"
