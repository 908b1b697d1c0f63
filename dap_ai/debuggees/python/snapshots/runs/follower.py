"""Follows an expression through a run: reads it after each of the user's lines, and records what changed it.

The values belong to a subject: a function's names belong to each call of the function, fields of `self` to the object
in all of its methods, names of a module to the module.

This is a watchpoint without hardware: after each line that may have changed the value, the expression is read and
compared with the last reading. A line event comes before its line, so a new value is the work of the line before,
wherever that was. Which lines may change it decides the cost. A name of a function that holds a number or a string can
only be changed by the function itself (`_is_narrow`): only its lines are followed, and those of the function in which
the program is stopped. Any other value may be changed through another reference, so every line of the user's files
counts.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import time
from typing import Any

from ...inspector.scopes import frame_locals, has_own_names
from ...inspector.stored.statics import MISSING
from ...inspector.stored.values import ValueDescriber, VisitBudget
from ..editing.sources import UserFiles
from .arriving import Arrival, class_place, place_of
from .follow_subjects import RunLine, Subject, SubjectValues, names_in
from .followed_frames import FollowedCode, FollowedFrame
from .marks import PLAIN
from .raises import Raises
from .run_watcher import Watcher
from .tracing import is_yield

_LIMITS = {"max_text": 200, "max_items": 12, "max_depth": 3, "max_fields": 16}
"""Limits for describing values, as in an inspection, so that the last value can be compared with the program's."""
_SHARE = 0.8
"""The share of the deadline that the run may use; the rest is for the report."""
_EVENTS_PER_LOOK = 1000
_OPTIMIZED = 1  # inspect.CO_OPTIMIZED
_MAX_OBJECTS, _RECENT = 1000, 8
_OWNERS = ("self", "cls")

_clock = time.thread_time
_traceback: Any = BaseException.__dict__["__traceback__"].__get__


class Follower(Watcher):
    """Follows an expression through one run. Create it before the copy is made, where the program is stopped."""

    key = "followed"

    def __init__(self, wanted: dict[str, Any], home: Any, stopped: Any, deadline_s: float, files: UserFiles) -> None:
        """`home`: the frame of the expression. `stopped`: the innermost of the user's frames."""
        super().__init__()
        self._files = files
        self._home = home.f_code
        self._stopped_code = stopped.f_code
        self._describer = ValueDescriber(_LIMITS, VisitBudget(1 << 40, 1e9))
        self._inner = _home_frames(stopped, self._home, home)
        """The number of calls of the same function that the followed call has made, as in a recursion."""
        self._owner = ""
        self._owner_type: Any = None
        self._of = self._kind(home, wanted["node"])
        self._values = SubjectValues(self._describer, wanted["node"], wanted.get("when"), self._of == "call")
        self._is_narrow = self._of == "call" and self._stays_plain(home, wanted["node"])
        self._arrival = Arrival(stopped, files, self._describer) if wanted.get("to_stop") else None
        self._share_s = _SHARE * deadline_s
        self._events = self._calls = 0
        self._next_look = _EVENTS_PER_LOOK
        self._codes: dict[int, FollowedCode] = {}
        self._now: FollowedFrame | None = None
        self._homes: list[FollowedFrame] = []
        self._by_frame: dict[int, Subject] = {}
        self._objects: dict[int, Subject] = {}
        self._suspended: dict[int, FollowedFrame] = {}
        self._module_names: dict[str, Any] = {}
        self._module = Subject(0, None, {})
        self._latest: Subject | None = None
        self._raises = Raises()
        self.is_cut = False
        """Whether time or stack space was too short to follow the expression to the end."""

    def _kind(self, home: Any, node: Any) -> str:
        if not has_own_names(home):
            return "module"
        code, used = home.f_code, set(names_in(node))
        known = {*code.co_varnames, *code.co_cellvars, *code.co_freevars} if code.co_flags & _OPTIMIZED else used
        own = used & known
        if not own:
            return "module"
        first, names = code.co_varnames[0] if code.co_argcount else "", frame_locals(home)
        if own == {first} and first in _OWNERS and node[0] != "n" and first in names:
            self._owner, self._owner_type = first, type(names[first])
            return "object"
        return "call"

    def _stays_plain(self, home: Any, node: Any) -> bool:
        """Whether only the function itself can change the value: its own variable, with an immutable value."""
        if node[0] != "n" or node[1] in (*home.f_code.co_cellvars, *home.f_code.co_freevars):
            return False
        return type(frame_locals(home).get(node[1], MISSING)) in PLAIN

    def _prepare(self) -> None:
        self._ends = _clock() + self._share_s

    # -- events ------------------------------------------------------------------------------------------------------

    def _enter(self, frame: Any, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = self._known(code)
        if not known.is_followed:
            return None
        run = (self._suspended.pop(id(frame), None) if known.suspends else None) or FollowedFrame(self, known)
        try:
            self._look()
            run.caller, self._now = self._now, run
            if known.is_home:
                if run.subject is None:
                    self._begin(run, frame)
                self._homes.append(run)
                self._look(passed=run.line == 0 and self._of == "call")
        except Exception:  # no stack is left
            self.is_cut = True
        return run.trace

    def _known(self, code: Any) -> FollowedCode:
        is_stopped = code is self._own and self._stopped_code is self._home and code.co_name != "<module>"
        is_home = self._of != "object" and (is_stopped or place_of(code) == place_of(self._home))
        if self._of == "object":
            is_home = bool(code.co_argcount) and code.co_varnames[0] == self._owner
        elif self._of == "module":
            is_home = place_of(code)[0] == place_of(self._home)[0]
        is_users = self._files.has(code.co_filename)
        may_arrive = self._arrival is not None and place_of(code) == place_of(self._stopped_code)
        return FollowedCode(code, is_users and (is_home or may_arrive or not self._is_narrow), is_home and is_users)

    def _begin(self, run: FollowedFrame, frame: Any) -> None:
        """Sets the subject when a call of the followed function or of a method starts."""
        if self._of == "module":
            if not self._module_names:
                self._module_names = frame.f_globals
            run.subject = self._module
        elif self._of == "object":
            owner = frame.f_locals.get(self._owner)
            if not self._is_owner(owner):
                run.subject = self._module
                return
            run.subject = self._objects.pop(id(owner), None) or Subject(0, None, {self._owner: owner})
            self._objects[id(owner)] = run.subject
            self._module_names = frame.f_globals
            if len(self._objects) > _MAX_OBJECTS:
                del self._objects[next(iter(self._objects))]
        else:
            self._calls += 1
            run.subject = Subject(self._calls, frame, {})
            self._module_names = frame.f_globals
        self._by_frame[id(frame)] = run.subject

    def _is_owner(self, x: Any) -> bool:
        """Whether `x` is of the followed class, or of a reloaded version of that class."""
        kind, wanted = type(x), self._owner_type
        return kind is wanted or class_place(kind) == class_place(wanted)

    def _look(self, passed: bool = False) -> None:
        """Records a change by the line that has just run."""
        spot = self._spot(passed)
        if self._of == "module":
            if self._module_names:
                self._note(self._module, spot)
        elif self._of == "call":
            if self._homes:
                subject = self._homes[-1].subject
                if subject is not None:
                    self._note(subject, spot)
        else:
            # The objects whose methods were called last: to read a thousand of them after each line would take the
            # whole deadline.
            for subject in list(self._objects.values())[-_RECENT:]:
                self._note(subject, spot)

    def _note(self, subject: Subject, spot: RunLine | None) -> None:
        count = subject.count
        self._values.look(subject, self._module_names, spot, self._events)
        if subject.count != count:
            self._latest = subject

    def _spot(self, passed: bool) -> RunLine | None:
        run = self._now.caller if passed and self._now is not None else self._now
        if run is None or not run.line:
            return None
        entries = [n for (at, after), count in run.entries.get(run.line, {}).items() for n in (at, after, count)]
        return RunLine(run.known.file, run.known.name, run.line, entries, passed)

    def on_line(self, run: FollowedFrame, frame: Any) -> None:
        """Handles a line event, before the line runs."""
        self._look()
        self._events += 1
        run.at(frame)
        if self._arrival is not None and self._arrival.is_here(frame, self._own):
            self._settle_at(frame)
            self._end()
        if self._events >= self._next_look:
            self._next_look = self._events + _EVENTS_PER_LOOK
            if _clock() > self._ends:
                self.is_cut = True
                self._settle_at(frame)
                self._end()

    def on_return(self, run: FollowedFrame, frame: Any) -> None:
        """Handles the end of a call, or a yield of a generator."""
        self._look()
        self._now, run.caller = run.caller, None
        if self._homes and self._homes[-1] is run:
            self._homes.pop()
        if run.known.suspends and is_yield(frame):
            self._suspended[id(frame)] = run
        elif run.subject is not None and self._of == "call":
            run.subject.frame = None

    def on_exception(self, error: Any, entry: Any) -> None:
        """Records when an exception was raised; if it ends the run, later changes are due to cleanup."""
        self._look()
        self._raises.note(error, entry, self._events)
        self._events += 1

    # -- results ----------------------------------------------------------------------------------------------------

    def settle(self, error: BaseException) -> None:
        """Chooses the subject among the frames that the exception left, and drops its changes after the raise."""
        entry, frames = _traceback(error), []
        while entry is not None:
            frames.append(entry.tb_frame)
            entry = entry.tb_next
        self._choose(frames[::-1])
        raised = self._raises.position(error)
        if raised is not None:
            self._current_subject().end(raised)
            # A value that met the condition only after the raise came from cleanup.
            earlier = self._values.first_when
            if earlier is not None and earlier[1].event > raised:
                self._values.first_when = None

    def _settle_at(self, frame: Any) -> None:
        frames = []
        while frame is not None:
            frames.append(frame)
            frame = frame.f_back
        self._choose(frames)

    def _choose(self, frames: list[Any]) -> None:
        """Chooses the subject that belongs to these frames; `frames`: innermost first."""
        # Several calls of the function may be active, as in a recursion: the one in question has as many of them inside
        # of it as at the program's stop.
        known = [self._by_frame[id(each)] for each in frames if self._is_home_now(each)]
        if known and self._of != "module":
            self._latest = known[min(self._inner, len(known) - 1)]

    def _is_home_now(self, frame: Any) -> bool:
        known = self._codes.get(id(frame.f_code))
        is_it = known is not None and known.is_home and id(frame) in self._by_frame
        return is_it and (self._of != "object" or place_of(frame.f_code) == place_of(self._home))

    def _current_subject(self) -> Subject:
        return self._module if self._of == "module" else self._latest or self._module

    def facts(self) -> dict[str, Any]:
        """Returns the Followed dict of the chosen subject."""
        subject = self._current_subject()
        moment, call, values = self._values.moment, subject.number, self._values
        told: dict[str, Any] = {
            "first": [moment(each, call) for each in subject.first],
            "last": [moment(each, call) for each in subject.last],
            "count": subject.count,
            "when": moment(subject.when, call),
            "before": moment(subject.before, call),
            "calls": self._calls,
            "call": call,
            "cut": self.is_cut,
            "refused": values.refused,
            "events": self._events,
        }
        if values.first_when is not None and values.first_when[0] is not subject:
            told["earlier"] = moment(values.first_when[1], values.first_when[0].number)
        if self._arrival is not None:
            told.update(arrived=self._arrival.has_come, differs=self._arrival.differs)
        return told


def _home_frames(frame: Any, code: Any, home: Any) -> int:
    count = 0
    while frame is not None and frame is not home:
        count += frame.f_code is code
        frame = frame.f_back
    return count if frame is home else 0
