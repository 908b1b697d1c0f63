"""Records what runs in the user's files: lines, the values they give to names, and calls.

Events and time are bounded. In a long run, recording is reduced in two steps, so that the run itself still ends in
time: first values are no longer compared, then nothing is recorded.

It uses `sys.settrace`, for all Python versions. A line event comes before the line runs. So at each event the values
are compared with those of the previous event; each difference was made by the line that ran in between (`_look`).

Cleanup code (`finally`, `with`, `except`) is recorded as well, because it is not known beforehand whether an exception
will end the run. Each exception is recorded with the position at which it was first seen. When an exception has ended
the run, the records after its position are dropped (`settle`).
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import opcode
import os
import sys
import time
from typing import Any

from ...inspector.exceptions import raised_text
from ...inspector.frame_inspector import parameters
from ...inspector.stored.statics import qualified_name, text_of
from ...inspector.stored.values import ValueDescriber, VisitBudget
from ..editing.sources import UserFiles
from .arriving import Arrival
from .line_changes import LineChanges, Observer
from .raises import Raises
from .run_watcher import Watcher
from .step_recorder import StepRecorder

_LIMITS = {"max_text": 60, "max_items": 6, "max_depth": 2, "max_fields": 6}
_MAX_CALLS = 200
_MAX_LINES = 3000
_MAX_TOLD_EXCEPTIONS = 5
_STACK_FOR_US = 100
"""Frames of the stack reserved for describing values, because Python 3.8 aborts near the recursion limit."""
_EVENTS_WITH_VALUES = 200_000
_EVENTS_PER_LOOK = 1000
_VALUES_SHARE, _VALUES_S = 0.2, 0.5
_LINES_SHARE = 0.4
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_PROBED = ("__getattr__", "__getattribute__")
_WORDING = ("/_pytest/assertion/", "/_pytest/_io/", "/unittest/util.py")
_OPTIMIZED, _SUSPENDS = 1, 0x20 | 0x80 | 0x200  # inspect.CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_RETURNS = {opcode.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in opcode.opmap}
_YIELDS = {opcode.opmap[name] for name in ("YIELD_VALUE", "YIELD_FROM") if name in opcode.opmap}
_RESUME = opcode.opmap.get("RESUME", -2)
"""The opcode at which a frame stands after a yield, from Python 3.13 on."""

_BEGINS, _ENDS = _MARKS = ("_dap_ai_begins", "_dap_ai_ends")
"""Names of functions that mark where a trace begins and ends: at the first call of each."""

_clock = time.thread_time  # not wall-clock time: a busy machine must not shorten a trace


class _Line:
    __slots__ = ("changes", "count", "entries", "last", "line", "of")

    def __init__(self, of: _Code, line: int) -> None:
        self.of = of
        self.line = line
        self.count = self.last = 0
        self.entries: dict[tuple[int, int], int] = {}
        """How often the line was entered, by (code offset, previous line of the frame or -1)."""
        self.changes: dict[str, LineChanges] = {}


class _Code:
    """A code object of the run, and the lines of it that have run."""

    __slots__ = (
        "code", "file", "instructions", "is_called", "is_special", "is_users", "lines", "name", "names", "suspends"
    )  # fmt: skip

    def __init__(self, code: Any, is_users: bool, is_own: bool) -> None:
        self.code = code  # so that its id is not reused
        self.is_users = is_users and code.co_name not in _COMPREHENSIONS
        self.is_called = not is_own and code.co_flags & _OPTIMIZED
        self.suspends = code.co_flags & _SUSPENDS
        self.file = text_of(code.co_filename)
        self.name = qualified_name(code)
        self.is_special = self.name.endswith("__")
        self.names = None if code.co_flags & _OPTIMIZED else code.co_names
        self.instructions = code.co_code if self.is_users else b""
        self.lines: dict[int, _Line] = {}


class Tracer(Watcher):
    """Traces one run in a copy. `with_steps`: also records the steps in their order.

    With `stopped`, the innermost of the user's frames, create it before the copy is made; the run then ends at that
    stop.
    """

    key = "trace"

    def __init__(self, deadline_s: float, files: UserFiles, with_steps: bool = False, stopped: Any = None) -> None:
        super().__init__()
        self.describer = ValueDescriber(_LIMITS, VisitBudget(1 << 40, 1e9))
        self.observer = Observer(self.describer, min(_VALUES_SHARE * deadline_s, _VALUES_S))
        self.history = StepRecorder(self.describer) if with_steps else None
        self.events = self.moment = 0
        self.depth = 0
        self.truncated = False
        self.lines_truncated = False
        self.suspended: dict[int, _Run] = {}
        self._files = files
        self._deepest = 0
        self._probe: Any = None
        self._codes: dict[int, _Code] = {}
        self._lines: list[_Line] = []
        self._calls: list[dict[str, Any]] = []
        self._raises = Raises()
        self._before: int | None = None
        self._raised: int | None = None
        self._ends = _clock() + _LINES_SHARE * deadline_s
        self._next_look = _EVENTS_PER_LOOK
        self._arrival = (
            None if stopped is None else Arrival(stopped, files, ValueDescriber(_LIMITS, VisitBudget(1 << 40, 1e9)))
        )

    def _prepare(self) -> None:
        self._deepest = sys.getrecursionlimit() - _STACK_FOR_US - _stack_depth()

    def facts(self) -> dict[str, Any]:
        """Returns the RunTrace dict."""
        lines = [
            {
                "file": each.of.file,
                "line": each.line,
                "function": each.of.name,
                "count": each.count,
                "last": each.last,
                "entries": [number for (at, after), count in each.entries.items() for number in (at, after, count)],
                "changes": self._changes(each),
            }
            for each in self._lines
        ]
        truncated = self.truncated or self.observer.has_skipped or not self.observer.is_on
        cut = {"truncated": truncated, "lines_truncated": self.lines_truncated}
        found = {"lines": lines, "calls": self._calls, "events": self.events, **cut}
        if self._before is not None:
            found["before"] = self._before
        if self._arrival is not None:
            found["arrived"] = self._arrival.has_come
        return found if self.history is None else dict(found, history=self.history.facts())

    def _changes(self, line: _Line) -> list[dict[str, Any]]:
        """Returns the values that a line gave to names, up to the raise that ended the run.

        Later values may come from cleanup.
        """
        told = (changes.facts(name, self.describer, self._raised) for name, changes in line.changes.items())
        return [each for each in told if each is not None]

    def see(self, error: Any, entry: Any) -> None:
        """Records the position at which a frame sees an exception."""
        self._raises.note(error, entry, (len(self._lines), self.moment))
        self.moment += 1  # values seen from now on may come from cleanup

    def settle(self, error: BaseException) -> None:
        """Records how much had run when the exception that ended the run was raised."""
        self._before, self._raised = self._raises.position(error) or (None, None)

    def look(self) -> None:
        """Stops comparing values, or the whole trace, once it has cost too much."""
        self._next_look = self.events + _EVENTS_PER_LOOK
        if self.events > _EVENTS_WITH_VALUES:
            self.observer.is_on = False
        if _clock() > self._ends:
            self.truncated = self.lines_truncated = True
            self._set(None)

    def line(self, of: _Code, number: int) -> _Line:
        """Creates and returns the record of a line that runs for the first time; beyond a limit it is not reported."""
        made = of.lines[number] = _Line(of, number)
        if len(self._lines) < _MAX_LINES:
            self._lines.append(made)
        else:
            self.truncated = self.lines_truncated = True
        return made

    def arrive(self, frame: Any) -> None:
        """Ends the run if this frame is at the program's stop."""
        if self._arrival is not None and self._arrival.is_here(frame, self._own):
            self._end()

    def count_event(self) -> None:
        """Counts a line event, and checks the limits from time to time."""
        self.events += 1
        self.moment += 1
        if self.events >= self._next_look:
            self.look()

    def _enter(self, frame: Any, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        known = self._codes.get(id(code))
        if known is None:
            if code.co_name in _MARKS and code.co_filename == self._own.co_filename:
                self._mark(code.co_name)
            known = self._codes[id(code)] = _Code(code, self._files.has(code.co_filename), code is self._own)
        if not known.is_users:
            return None
        # Test runners look up attributes and describe failed comparisons by calling the user's own `__getattr__`,
        # `__eq__` and `__repr__`. The program itself would not have made these calls, so they are not part of its run.
        if self._probe is not None or (known.is_special and self._is_runners(known.name, frame)):
            return self._passed_over(frame)
        if self.depth > self._deepest:
            self.truncated = True
            return None
        try:
            # A generator keeps its frame while it waits, so the id finds its record when the frame is entered again.
            run = self.suspended.pop(id(frame), None) if known.suspends else None
            if run is None:
                call = self._call(known, frame)
                run = _Run(self, known, frame, call, -1 if call is None else len(self._calls) - 1)
            self.depth += bool(known.is_called)
            if self.history is not None:
                self.history.enter(run.number)
        except Exception:  # no stack is left to describe it
            self.truncated = True
            return None
        return run.trace

    def _mark(self, name: str) -> None:
        if name == _ENDS:
            self._set(None)
            return
        # The relevant run begins here, inside a runner that was traced until now: its recording is
        # dropped.
        self.events = self.depth = 0
        self._next_look = _EVENTS_PER_LOOK
        for kept in (self._codes, self._lines, self._calls, self.suspended):
            kept.clear()
        if self.history is not None:
            self.history = StepRecorder(self.describer)

    def _is_runners(self, name: str, frame: Any) -> bool:
        """Whether a test runner makes this call, to find tests or to describe a comparison."""
        return (name.endswith(_PROBED) and self._is_probe(frame)) or self._is_wording(frame.f_back)

    def _is_wording(self, caller: Any) -> bool:
        """Whether a failed assertion's message makes this call, with only library frames in between."""
        while caller is not None and caller.f_code is not self._own:
            file = caller.f_code.co_filename
            if self._files.has(file):
                return False
            if any([part in file.replace(os.sep, "/") for part in _WORDING]):  # noqa: C419  saves a frame
                return True
            caller = caller.f_back
        return False

    def _is_probe(self, frame: Any) -> bool:
        """Whether a library looks up an attribute by itself, as test runners do (`setUpModule`, `__wrapped__`)."""
        caller = frame.f_back
        while self.depth == 0 and caller is not None:
            if self._files.has(caller.f_code.co_filename):
                return False
            if caller.f_code is self._own:
                break
            caller = caller.f_back
        return self.depth == 0

    def _passed_over(self, frame: Any) -> Any:
        """Returns a trace function that records nothing until the test runner's call has returned."""
        if self._probe is not None:
            return None
        self._probe = frame

        def trace(_frame: Any, event: str, _argument: Any) -> Any:
            if event == "return":
                self._probe = None
            return trace

        return trace

    def _call(self, known: _Code, frame: Any) -> dict[str, Any] | None:
        if not known.is_called:
            return None
        if len(self._calls) >= _MAX_CALLS:
            self.truncated = True
            return None
        arguments = self.arguments(known, frame)
        line = known.code.co_firstlineno
        call = {"function": known.name, "file": known.file, "line": line, "depth": self.depth, "arguments": arguments}
        call["caller"] = _caller(frame)
        self._calls.append(call)
        return call

    def arguments(self, known: _Code, frame: Any) -> list[str]:
        """Returns a text `name=value` for each parameter of a call."""
        scope = frame.f_locals
        return [
            text_of(name) + "=" + self.describer.text(scope[name]) for name in parameters(known.code) if name in scope
        ]


class _Run:
    """A traced frame, from the start of its call to the return."""

    __slots__ = (
        "_before", "_call", "_errors", "_known", "_line", "_number", "_offset", "_raised", "_step", "_tracer",
        "call_number", "number",
    )  # fmt: skip

    def __init__(self, tracer: Tracer, known: _Code, frame: Any, call: dict[str, Any] | None, call_number: int) -> None:
        """`call_number`: the index of the call in the recorded calls; -1 if it is not recorded."""
        self.call_number = call_number
        self._tracer = tracer
        self._known = known
        self._call = call
        self._line: _Line | None = None
        self._number = self._offset = -1
        self._errors = 0
        self._step = self.number = 0
        self._raised = ""
        self._before: dict[str, Any] = {}
        if tracer.history is not None:
            arguments = [] if not known.is_called or not tracer.observer.is_on else tracer.arguments(known, frame)
            self.number = tracer.history.begin(known, arguments if call is None else call["arguments"])
        tracer.observer.look(self._before, frame, known.names, None)

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """The frame's trace function: records each event."""
        try:
            if event == "line":
                self._on_line(frame)
            elif event == "return":
                self._on_return(frame, argument)
            elif event == "exception":
                self._look(frame)
                self._tracer.see(argument[1], argument[2])
                self._on_exception(argument[1])
        except Exception:  # no stack is left to describe it: raised here, it would end in the program
            self._tracer.truncated = True
        return self.trace

    def _on_line(self, frame: Any) -> None:
        tracer, number, offset = self._tracer, frame.f_lineno, frame.f_lasti
        tracer.count_event()
        # Other offset, same line: the interpreter has returned to the line from inside of it. Same offset again: a
        # loop has reached the same line again, which is a new execution of it.
        if number == self._number and offset != self._offset:
            return  # a loop inside the line (a comprehension) does not start it again
        self._look(frame)
        line = self._known.lines.get(number)
        if line is None:
            line = tracer.line(self._known, number)
        line.count += 1
        line.last = tracer.events
        # Where the line was entered, and from which line: this distinguishes a loop's rounds from the first arrival.
        entry = offset, self._number
        line.entries[entry] = line.entries.get(entry, 0) + 1
        self._line, self._number, self._offset = line, number, offset
        if tracer.history is not None:
            self._step = tracer.history.step(self.number, number)
        tracer.arrive(frame)

    def _look(self, frame: Any) -> None:
        """Records the values that the last line has changed."""
        tracer, line = self._tracer, self._line
        if tracer.observer.is_on and line is not None:
            names, moment = self._known.names, tracer.moment
            tracer.observer.look(self._before, frame, names, line.changes, note=self._note, moment=moment)

    def _on_return(self, frame: Any, value: Any) -> None:
        tracer, at = self._tracer, frame.f_lasti
        self._look(frame)
        tracer.depth -= bool(self._known.is_called)
        # The event `return` occurs for a return, for a yield or await, and for an exception that leaves the frame, for
        # which the value is None, as it is for `return None`. Only the frame's current instruction distinguishes them.
        instructions = self._known.instructions
        if _yields(instructions, at):
            tracer.suspended[id(frame)] = self
        elif at >= 0 and instructions[at] in _RETURNS:
            self._returned(value)
            return
        if tracer.history is not None:
            tracer.history.leave(self.number, raised=self._raised)

    def _returned(self, value: Any) -> None:
        tracer = self._tracer
        wanted = self._call is not None or (tracer.history is not None and tracer.observer.is_on)
        text = tracer.describer.text(value) if wanted and self._known.is_called else ""
        if self._call is not None:
            self._call["result"] = text
            self._call.pop("raised", None)
        if tracer.history is not None:
            tracer.history.leave(self.number, result=text)

    def _note(self, name: Any, told: Any) -> None:
        """Records in the history that the current step gave a new value to a name."""
        if self._tracer.history is not None:
            self._tracer.history.value(self._step, name, told)

    def _on_exception(self, error: Any) -> None:
        """Records an exception of the call; a later return removes it, because the function has handled it."""
        self._errors += 1
        wanted = self._call is not None or self._tracer.history is not None
        if wanted and self._errors <= _MAX_TOLD_EXCEPTIONS:
            self._raised = raised_text(self._tracer.describer, error)
            if self._call is not None:
                self._call["raised"] = self._raised


def _caller(frame: Any) -> int:
    """Returns the number of the nearest recorded call among a frame's callers; -1 without such a call."""
    number = -1
    while number < 0 and frame.f_back is not None:
        frame = frame.f_back
        run = getattr(frame.f_trace, "__self__", None)
        number = run.call_number if type(run) is _Run else -1
    return number


def is_yield(frame: Any) -> bool:
    """Returns whether a frame that is left will be resumed, because it has yielded or awaits."""
    return _yields(frame.f_code.co_code, frame.f_lasti)


def _yields(instructions: bytes, at: int) -> bool:
    last = instructions[at] if at >= 0 else -1
    return last in _YIELDS or (at >= 2 and last == _RESUME and instructions[at - 2] in _YIELDS)


def _stack_depth() -> int:
    depth, frame = 0, sys._getframe()  # pyright: ignore[reportPrivateUsage]  its documented name
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth
