"""Finds which lines of the user's files run in each of several pieces of work, such as tests.

From Python 3.12 on a line costs time only once per piece, and a loop once per iteration; before, every event costs
time.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import dis
import sys
import time
from typing import Any

from ...inspector.stored.statics import text_of
from ..editing.sources import UserFiles
from .raises import Raises
from .run_watcher import original_settrace

_NAME = "dap_ai"
_TOOLS = range(5, -1, -1)
_LOOKED_AT = 256
"""Number of events between two readings of the clock."""
_processor = time.process_time
_traceback = BaseException.__dict__["__traceback__"].__get__


class OutOfTime(BaseException):
    """A piece of work has used up its time; raised inside that piece."""


class _Clock:
    """A clock of processor time, read only at events of the user's code, so that other code is not interrupted."""

    is_late = False
    _ends = float("inf")
    _count = 0

    def wind(self, for_s: float) -> None:
        """Starts a time limit of so many seconds."""
        self._ends, self.is_late = _processor() + for_s, False

    def tick(self) -> None:
        """Counts an event. Raises OutOfTime if the time limit has passed."""
        self._count += 1
        if not self._count % _LOOKED_AT and _processor() > self._ends:
            self._ends, self.is_late = float("inf"), True
            raise OutOfTime


class Covering:
    """Records the lines that run in each piece of work; pieces are numbered from 0 in the order of `run`."""

    def __init__(self, files: UserFiles) -> None:
        monitoring: Any = getattr(sys, "monitoring", None)
        self._clock = _Clock()
        tick = self._clock.tick
        self._how = _Traced(files, tick) if monitoring is None else _Monitored(files, tick, monitoring)
        self._tests: dict[tuple[str, int], int] = {}
        self._count = 0
        self._until: Any = None

    def run(self, work: Any, for_s: float) -> None:
        """Calls `work` as the next piece. Raises errors of `work`, and OutOfTime after `for_s` seconds."""
        self._how.begin()
        self._until = None
        self._clock.wind(for_s)
        try:
            sys.call_tracing(self._how.run, (work,))  # the thread may be inside a debugger's function
        except BaseException as error:
            self.fails_by(error)
            raise
        finally:
            for code, line in self._how.lines if self._until is None else self._until:
                key = text_of(code.co_filename), line
                self._tests[key] = self._tests.get(key, 0) | 1 << self._count
            self._count += 1

    def fails_by(self, error: BaseException) -> None:
        """Drops lines that first ran after this exception was raised; only the first call per piece counts."""
        if self._until is None:
            self._until = list(self._how.lines)[: self._how.raises.position(error)]

    @property
    def is_late(self) -> bool:
        """Whether the last piece ran out of time, even if it caught OutOfTime."""
        return self._clock.is_late

    def facts(self) -> list[list[Any]]:
        """Returns the lines and pieces as Covered structures, each as a list."""
        found: dict[tuple[str, int], list[int]] = {}
        for (file, line), tests in self._tests.items():
            found.setdefault((file, tests), []).append(line)
        return [[file, "%x" % tests, sorted(lines)] for (file, tests), lines in found.items()]


class _Looker:
    """Records one piece of work: lines in order of their first run, and how many lines had run at each exception."""

    def begin(self) -> None:
        """Starts a piece of work."""
        self.lines: dict[tuple[Any, int], None] = {}
        self.raises = Raises()

    def run(self, work: Any) -> None:
        """Calls `work` and records its lines; must run inside `sys.call_tracing`."""
        raise NotImplementedError


class _Monitored(_Looker):
    """Records lines by `sys.monitoring`: each line of the user's functions raises an event only once per piece."""

    def __init__(self, files: UserFiles, tick: Any, monitoring: Any) -> None:
        self.begin()
        self._files = files
        self._tick = tick
        self._monitoring = monitoring
        self._tool = next(tool for tool in _TOOLS if monitoring.get_tool(tool) is None)
        monitoring.use_tool_id(self._tool, _NAME)
        monitoring.register_callback(self._tool, monitoring.events.PY_START, self._on_start)
        monitoring.register_callback(self._tool, monitoring.events.LINE, self._on_line)
        monitoring.register_callback(self._tool, monitoring.events.JUMP, self._on_jump)
        monitoring.register_callback(self._tool, monitoring.events.RAISE, self._on_raise)

    def run(self, work: Any) -> None:
        """Calls `work` and records its lines; must run inside `sys.call_tracing`."""
        events = self._monitoring.events
        self._monitoring.restart_events()
        self._monitoring.set_events(self._tool, events.PY_START | events.RAISE)
        try:
            work()
        finally:
            self._monitoring.set_events(self._tool, 0)

    def _on_start(self, code: Any, _offset: int) -> Any:
        if self._files.has(code.co_filename):
            events = self._monitoring.events
            self._monitoring.set_local_events(self._tool, code, events.LINE | events.JUMP)
        return self._monitoring.DISABLE

    def _on_line(self, code: Any, line: int) -> Any:
        self.lines[code, line] = None
        return self._monitoring.DISABLE

    def _on_raise(self, _code: Any, _offset: int, error: Any) -> None:
        self.raises.note(error, _traceback(error), len(self.lines))

    def _on_jump(self, _code: Any, start: int, end: int) -> Any:
        if end > start:
            return self._monitoring.DISABLE
        return self._tick()


class _Traced(_Looker):
    """Records lines by `sys.settrace` in this thread.

    A function whose lines have all run costs little more than a call.
    """

    def __init__(self, files: UserFiles, tick: Any) -> None:
        self.begin()
        self._tick = tick
        self._known: dict[Any, Any] = {}
        """By code object: (lines that have not run in this piece, tracer), or None for code of libraries."""
        self._files = files
        self._set: Any = original_settrace()

    def run(self, work: Any) -> None:
        """Calls `work` and records its lines; must run inside `sys.call_tracing`."""
        self._known = {}
        self._set(self._enter)
        try:
            work()
        finally:
            self._set(None)

    def _enter(self, frame: Any, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        if code not in self._known:
            left = _lines_of(code) if self._files.has(code.co_filename) else None
            self._known[code] = None if left is None else (left, self._tracer(code, left))
        known = self._known[code]
        if known is None:
            return None
        self._tick()
        if not known[0]:
            frame.f_trace_lines = False
        return known[1]

    def _tracer(self, code: Any, left: set[int]) -> Any:
        lines, raises, tick = self.lines, self.raises, self._tick

        def line(frame: Any, event: str, argument: Any) -> Any:
            if event == "line":
                number = frame.f_lineno
                if number in left:
                    left.discard(number)
                    lines[code, number] = None
                tick()
            elif event == "exception":
                raises.note(argument[1], argument[2], len(lines))
            return line

        return line


def _lines_of(code: Any) -> set[int]:
    """Returns the code's line numbers without its first line, which does not run, unless it is the only line."""
    lines = {line for _, line in dis.findlinestarts(code) if line}
    return lines - {code.co_firstlineno} or lines
