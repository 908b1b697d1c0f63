"""Does the work in a locked copy: applies edits, runs an expression or statements, and reports the outcome."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# Values are Any, and `type(x) is list` narrows Any to list[Unknown].

from __future__ import annotations

import sys
from typing import Any, Callable

from ..inspector.scopes import frame_locals, has_own_names
from ..inspector.stored.statics import loaded, of_the_interpreter
from ..inspector.stored.values import ValueDescriber, VisitBudget
from . import fresh_start
from .blanking import blank, blanked
from .editing import patching
from .editing.sources import UnavailableError, UserFiles
from .files.stand_ins import stand_in
from .isolation.environment import blocks
from .runs import copy_effects
from .runs.ahead import ahead
from .runs.follower import Follower
from .runs.frame_statements import prepare, value_of
from .runs.neighbour_runs import NeighbourRuns
from .runs.raising import Raising, error_line
from .runs.rewinder import Rewinder
from .runs.run_watcher import Watcher
from .runs.timing import Timer
from .runs.tracing import Tracer

_RESERVE_BYTES = 4 << 20
"""Memory released after the run, so that a run that used up the memory can still be reported."""


class Evaluation:
    """Runs one SnapshotQuery in one frame of a copy.

    Create it before the copy is made, because touching objects in the copy copies their pages.
    """

    def __init__(self, frame: Any, wanted: dict[str, Any], home: Any = None) -> None:
        """`home`: the frame whose expression the query follows through the run, or None."""
        self._wanted = wanted
        self._frame = frame
        self._names = frame_locals(frame) if has_own_names(frame) else {}
        self._blocks = blocks() if wanted.get("hidden") else []
        self._loop = _running_loop()
        self._start = self._new_start()
        budget = VisitBudget(wanted.get("max_bytes", 200_000), 1e6)  # the copy's own deadline ends it
        self._describer = ValueDescriber(wanted, budget)
        self._describer.may_run = True
        self._describer.value(None)  # finds out which libraries are loaded
        self._watcher = self._new_watcher(home)
        if self._start is None:
            patching.look_for(wanted.get("edits", []))
        beside = wanted.get("beside")
        self._beside = None if beside is None else NeighbourRuns(beside)
        self._is_run = wanted.get("statements") is not None or beside is not None

    def run(self, end: Callable[[dict[str, Any]], None], refused: Callable[[], int]) -> dict[str, Any]:
        """Runs the query and returns the SnapshotResult dict without its time; raises nothing.

        `end` receives the dict if the run must stop early, and ends the copy. `refused` returns how often the copy was
        refused an action.
        """
        copy_effects.capture_streams()
        if self._loop is not None:
            sys.modules["_asyncio"]._set_running_loop(self._loop)
        seen = copy_effects.Effects(refused)
        reserve = [bytes(_RESERVE_BYTES)]
        raising, watcher = None, self._watcher
        reply: dict[str, Any]
        try:
            if self._is_run:
                stand_in()
                self._leave_loop()
            work, own = self._work()
            if self._beside is not None:
                value = self._beside.run(seen)
            else:
                value = work() if watcher is None else watcher.run(work, own, lambda: end(self._ended_early(seen)))
            reply = {"status": "ok"}
            if not self._is_run:
                reply["value"] = self._described(value)
        except UnavailableError as reason:
            return {"status": "unavailable: " + str(reason)}
        except BaseException as error:
            reserve.clear()
            reply = {"status": "raised", "error": error_line(error)}
            raising = Raising(error, UserFiles())
            if watcher is not None:
                watcher.settle(error)
        reply.update(copy_effects.printed(), effects=seen.stop())
        if raising is not None:
            reply["raised"] = raising.facts(self._describer)
            watch = self._wanted.get("watch", [])
            reply["raised"]["watched"] = raising.watched(watch, self._frame, self._describer)
        for each in (watcher, self._beside):
            if each is not None:
                reply[each.key] = each.facts()
        return reply

    def _new_watcher(self, home: Any) -> Watcher | None:
        """Returns the observer of the run: a Follower, a Rewinder, a Timer, a Tracer or None."""
        wanted, deadline_s = self._wanted, self._wanted["deadline_s"]
        if wanted.get("follow") is not None:
            return Follower(wanted["follow"], home, self._frame, deadline_s, UserFiles())
        if wanted.get("rewind") is not None:
            return Rewinder(wanted["rewind"], self._frame, deadline_s, UserFiles())
        if wanted.get("timed"):
            return Timer(deadline_s, UserFiles())
        if not wanted.get("trace"):
            return None
        return Tracer(
            deadline_s, UserFiles(), bool(wanted.get("steps")), self._frame if wanted.get("to_stop") else None
        )

    def _ended_early(self, seen: copy_effects.Effects) -> dict[str, Any]:
        watcher: Any = self._watcher
        return {"status": "ok", **copy_effects.printed(), "effects": seen.stop(), watcher.key: watcher.facts()}

    def _described(self, value: Any) -> dict[str, Any]:
        """Returns the Value dict of a result; for an iterator also its next items, which the copy may consume."""
        described = self._describer.value(value)
        if described["kind"] == "iterator":
            yields = ahead(value, self._describer)
            if yields:
                described["note"] = yields
        return described

    def _new_start(self) -> fresh_start.FreshStart | None:
        wanted = self._wanted.get("statements") or {}
        if not wanted.get("fresh"):
            return None
        edits = self._wanted.get("edits", [])
        others = [edit for edit in edits if edit["file"] != wanted.get("file")]
        return fresh_start.FreshStart(others, self._frame, all_anew=wanted.get("anew", False))

    def _leave_loop(self) -> None:
        """Leaves the running event loop for a whole program or test, which starts without an event loop."""
        wanted, code = self._wanted.get("statements"), self._frame.f_code
        is_whole = wanted is None or wanted.get("fresh") or wanted.get("file", "").startswith("<")
        if self._loop is not None and (is_whole or code.co_name == "<module>"):
            sys.modules["_asyncio"]._set_running_loop(None)

    def _work(self) -> tuple[Any, Any]:
        """Returns the function to call, and the code object that represents the frame. Raises UnavailableError."""
        wanted = self._wanted.get("statements")
        edits, hidden = self._wanted.get("edits", []), self._wanted.get("hidden", [])
        if wanted is not None and self._start is not None:
            own = [edit for edit in edits if edit["file"] == wanted.get("file")]
            edits = self._start.begin(hidden)
            wanted = dict(wanted, source=own[-1]["new"]) if own else wanted
        if edits:
            patching.apply(edits, self._frame)
        if hidden:
            blank(self._frame, self._names, hidden, self._blocks)
            wanted = wanted and dict(wanted, source=blanked(wanted["source"], hidden))
        if wanted is not None:
            return prepare(wanted, self._frame, self._names)
        return lambda: value_of(self._wanted.get("expression", ""), self._frame.f_globals, self._names), None


def _running_loop() -> Any:
    """Returns this thread's event loop, because asyncio up to Python 3.11 forgets it if the process id differs."""
    get = loaded("_asyncio", "_get_running_loop")
    return get() if of_the_interpreter(get, "_get_running_loop") else None
