"""The base of observers of a run in a copy, each with a trace function of its own."""

from __future__ import annotations

import sys
import types
from typing import Any, Callable

from ...inspector.stored.statics import of_the_interpreter


class Watcher:
    """Observes one run; `_enter` is its trace function, called at the start of every call in the run."""

    key = ""
    """The key of its facts in a result."""

    def __init__(self) -> None:
        """Prepares the observer, before the copy. Raises RuntimeError."""
        self._set: Any = original_settrace()
        self._own: Any = None
        self._end: Callable[[], None] = _not_begun

    def run(self, work: Any, own: Any, end: Callable[[], None]) -> Any:
        """Calls `work`; `own` is its code object, which represents a frame rather than a call.

        `end` ends the run early, and does not return.
        """
        self._own, self._end = own, end
        self._prepare()
        return sys.call_tracing(self._watched, (work,))  # the thread is inside debugpy's trace function

    def _prepare(self) -> None:
        """Set up what the watcher needs; called just before the run."""

    def _watched(self, work: Any) -> Any:
        self._set(self._enter)  # only here: Python 3.11 continues untraced if it was set outside of `call_tracing`
        try:
            return work()
        finally:
            self._set(None)

    def _enter(self, frame: Any, event: str, argument: Any, /) -> Any:
        raise NotImplementedError

    def on_exception(self, error: Any, entry: Any) -> None:
        """Called when a frame sees an exception, with its traceback."""

    def settle(self, error: BaseException) -> None:
        """Called when the run has ended with an exception."""

    def facts(self) -> dict[str, Any]:
        """Returns what it has seen: the value of the field `key` of a result."""
        raise NotImplementedError


def _not_begun() -> None:
    raise RuntimeError("nothing runs")


def original_settrace() -> Any:
    """Returns the interpreter's own `sys.settrace`, which debugpy replaces. Raises RuntimeError."""
    tracing: Any = sys.modules.get("pydevd_tracing")
    holder: Any = getattr(tracing, "TracingFunctionHolder", None)
    now: Any = getattr(sys, "settrace", None)
    known = (getattr(holder, "_original_tracing", None), getattr(tracing, "_original_settrace", None), now)
    for settrace in known:
        if type(settrace) is types.BuiltinFunctionType and of_the_interpreter(settrace, "settrace"):
            return settrace
    raise RuntimeError("sys.settrace has been replaced")
