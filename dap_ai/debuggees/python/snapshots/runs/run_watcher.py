"""What looks on while a run goes on in a copy, by a trace function of its own."""

from __future__ import annotations

import sys
import types
from typing import Any, Callable

from ...inspector.stored.statics import of_the_interpreter


class Watcher:
    """Of one run: `_enter` is its trace function, which every call of the run begins with."""

    key = ""
    """Of its facts in a result."""

    def __init__(self) -> None:
        """Before the copy. Raises RuntimeError."""
        self._set: Any = original_settrace()
        self._own: Any = None
        self._end: Callable[[], None] = _not_begun

    def run(self, work: Any, own: Any, end: Callable[[], None]) -> Any:
        """Calls it; `own` is its code object: it stands for a frame, not for a call.

        `end` is called where it is to go no further, and does not return.
        """
        self._own, self._end = own, end
        self._prepare()
        return sys.call_tracing(self._watched, (work,))  # the thread stands in debugpy's trace function

    def _prepare(self) -> None:
        """It is about to run."""

    def _watched(self, work: Any) -> Any:
        self._set(self._enter)  # only here: Python 3.11 goes on untraced if it was set outside of `call_tracing`
        try:
            return work()
        finally:
            self._set(None)

    def _enter(self, frame: Any, event: str, argument: Any, /) -> Any:
        raise NotImplementedError

    def on_exception(self, error: Any, entry: Any) -> None:
        """A frame sees an exception, with this traceback."""

    def settle(self, error: BaseException) -> None:
        """The run has ended with an exception."""

    def facts(self) -> dict[str, Any]:
        """What it has seen: the structure of the field `key` of a result."""
        raise NotImplementedError


def _not_begun() -> None:
    raise RuntimeError("nothing runs")


def original_settrace() -> Any:
    """The interpreter's own `sys.settrace`: debugpy puts another in its place. Raises RuntimeError."""
    tracing: Any = sys.modules.get("pydevd_tracing")
    holder: Any = getattr(tracing, "TracingFunctionHolder", None)
    now: Any = getattr(sys, "settrace", None)
    known = (getattr(holder, "_original_tracing", None), getattr(tracing, "_original_settrace", None), now)
    for settrace in known:
        if type(settrace) is types.BuiltinFunctionType and of_the_interpreter(settrace, "settrace"):
            return settrace
    raise RuntimeError("sys.settrace has been replaced")
