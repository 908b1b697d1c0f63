"""The base class of observers that watch a run in a copy by a trace function."""

from __future__ import annotations

import sys
import types
from typing import Any, Callable

from ...inspector.stored.statics import of_the_interpreter


class Watcher:
    """Observes one run. `_enter` is the trace function, which the interpreter calls at the start of every call."""

    key = ""
    """The key of the observer's results in a SnapshotResult."""

    def __init__(self) -> None:
        """Prepares the observer before the copy is made. Raises RuntimeError if sys.settrace was replaced."""
        self._set: Any = original_settrace()
        self._own: Any = None
        self._end: Callable[[], None] = _not_begun

    def run(self, work: Any, own: Any, end: Callable[[], None]) -> Any:
        """Calls `work` under the trace function and returns its result.

        `own`: the code object of `work`. `end` ends the run early, and does not return.
        """
        self._own, self._end = own, end
        self._prepare()
        return sys.call_tracing(self._watched, (work,))  # the thread is inside debugpy's trace function

    def _prepare(self) -> None:
        """Sets up the observer's time limits and state, directly before the run; does nothing by default."""

    def _watched(self, work: Any) -> Any:
        self._set(self._enter)  # only here: Python 3.11 continues untraced if it was set outside of `call_tracing`
        try:
            return work()
        finally:
            self._set(None)

    def _enter(self, frame: Any, event: str, argument: Any, /) -> Any:
        raise NotImplementedError

    def on_exception(self, error: Any, entry: Any) -> None:
        """Handles an exception that a frame sees, with its traceback; does nothing by default."""

    def settle(self, error: BaseException) -> None:
        """Handles the exception that ended the run; does nothing by default."""

    def facts(self) -> dict[str, Any]:
        """Returns the observer's results, stored under `key` in a SnapshotResult."""
        raise NotImplementedError


def _not_begun() -> None:
    raise RuntimeError("nothing runs")


def original_settrace() -> Any:
    """Returns the interpreter's own `sys.settrace`, even if debugpy has replaced it. Raises RuntimeError."""
    tracing: Any = sys.modules.get("pydevd_tracing")
    holder: Any = getattr(tracing, "TracingFunctionHolder", None)
    now: Any = getattr(sys, "settrace", None)
    known = (getattr(holder, "_original_tracing", None), getattr(tracing, "_original_settrace", None), now)
    for settrace in known:
        if type(settrace) is types.BuiltinFunctionType and of_the_interpreter(settrace, "settrace"):
            return settrace
    raise RuntimeError("sys.settrace has been replaced")
