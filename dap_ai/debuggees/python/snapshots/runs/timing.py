"""Measures how long each line of the user's files takes in a run, including the calls it makes to other code.

The cost of tracing is left out: the clock is stopped while an event is handled.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import time
from typing import Any

from ...inspector.stored.statics import qualified_name, text_of
from ..editing.sources import UserFiles
from .run_watcher import Watcher

_SHARE = 0.8
"""The share of the deadline that the run may use; the rest is for the report."""
_EVENTS_PER_LOOK = 256
_MAX_LINES = 1000

_clock = time.perf_counter  # waiting counts as well


class Timer(Watcher):
    """Measures the time of each line in one run."""

    key = "trace"

    def __init__(self, deadline_s: float, files: UserFiles) -> None:
        super().__init__()
        self._files = files
        self._share_s = _SHARE * deadline_s
        self._lines: dict[tuple[int, int], list[Any]] = {}
        """By (id of code object, line): [count, seconds, code object]; keeping the object keeps its id valid."""
        self._stack: list[Any] = []
        """For each frame, the `_lines` entry of its current line; innermost frame last."""
        self._events = 0
        self._since = 0.0
        self._is_cut = False

    def _prepare(self) -> None:
        self._since = _clock()
        self._ends = self._since + self._share_s

    def facts(self) -> dict[str, Any]:
        """Returns the RunTrace dict with the slowest lines."""
        longest = sorted(self._lines.items(), key=lambda each: -each[1][1])[:_MAX_LINES]
        lines = [
            {
                "file": text_of(code.co_filename),
                "line": line,
                "function": qualified_name(code),
                "count": count,
                "seconds": seconds,
            }
            for (_, line), (count, seconds, code) in longest
        ]
        return {"lines": lines, "calls": [], "events": self._events, "cut": self._is_cut}

    def _pass(self) -> None:
        """Adds the time since the last event to the innermost frame's current line."""
        if self._stack and self._stack[-1] is not None:
            self._stack[-1][1] += _clock() - self._since

    def _enter(self, frame: Any, _event: str, _argument: Any) -> Any:
        if not self._files.has(frame.f_code.co_filename):
            return None
        self._pass()
        self._stack.append(None)
        self._since = _clock()
        return self._trace

    def _trace(self, frame: Any, event: str, _argument: Any) -> Any:
        self._pass()
        if event == "line":
            self._events += 1
            key = id(frame.f_code), frame.f_lineno
            entry = self._lines.get(key)
            if entry is None:
                entry = self._lines[key] = [0, 0.0, frame.f_code]
            entry[0] += 1
            if self._stack:
                self._stack[-1] = entry
            if self._events % _EVENTS_PER_LOOK == 0 and _clock() > self._ends:
                self._is_cut = True
                self._end()
        elif event == "return" and self._stack:
            self._stack.pop()
        self._since = _clock()
        return self._trace
