"""Answers natural-language questions about a Python stop from a run that is recorded once per stop."""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Iterator, Sequence

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.providers.ask_work import Work
from dap_ai.agent.questions.asked_expressions import excerpt
from dap_ai.agent.questions.question_kinds import setter, written
from dap_ai.agent.report.sections import where
from dap_ai.debuggees.python.analysis.questions.question_answers import answered, of_others
from dap_ai.debuggees.python.analysis.questions.question_parser import (
    Called,
    Compared,
    KindOnly,
    LineRun,
    Literally,
    Returned,
    Wanted,
)
from dap_ai.debuggees.python.analysis.questions.slow_lines import slow
from dap_ai.debuggees.python.analysis.questions.stop_changes import StopValues, changed, kept
from dap_ai.debuggees.python.analysis.questions.value_questions import ValueAnswer, local, origins
from dap_ai.debuggees.python.analysis.record.check_runs import Control, Unavailable
from dap_ai.debuggees.python.analysis.record.recorded_run import (
    NotRerunnable,
    RerunToStop,
    rerun_to_stop,
    timed,
    why_not_rerunnable,
)
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.system.texts import code

_RUNNING = "running the program again in a copy, to see what happened"
_ORIGIN = re.compile(r"\s*(?:why|where|how|explain)\b", re.IGNORECASE)
_NO_SUPPOSING = (
    "What would be if something were otherwise is not computed from such a question; a call with other arguments is: "
    "`evaluate f(...)`, or `trace f(...)`."
)


class QuestionAnswers:
    """Keeps state between questions: the recorded run of the last stop, and the values of the last two stops."""

    def __init__(self) -> None:
        self._again: tuple[int, RerunToStop | str] | None = None
        """The stop's epoch, and the recorded run or the reason why there is no recorded run."""
        self._stops: list[StopValues] = []

    def remember(self, case: StopSnapshot) -> None:
        """Keeps the values of this stop and of the last stop at which a question was asked."""
        now = kept(case)
        if now is not None:
            self._stops = [*[stop for stop in self._stops if stop.epoch != now.epoch][-1:], now]

    async def answer(
        self, work: Work, case: StopSnapshot, wanted: Wanted, known: Sequence[Control]
    ) -> ValueAnswer | None:
        """Answers the question from the recorded run; None if another analyst must answer. Raises NotStopped."""
        if isinstance(wanted, KindOnly):
            return await self._plain(work, case, wanted)
        if not _may_be_known(wanted, case):
            return None
        found = await self.again(work, case, known)
        if isinstance(found, RerunToStop):
            told = await asyncio.to_thread(answered, wanted, case, found)
            if told is None and isinstance(wanted, Returned | Called) and _is_written(wanted.function, case):
                return of_others(wanted.function)
            return told
        return _without_run(wanted, case, found)

    async def origin(
        self, work: Work, place: FramePlace, roots: Sequence[ast.expr], known: Sequence[Control]
    ) -> list[str]:
        """Returns where a frame's values come from according to the recorded run.

        Empty if the question does not ask for the origin, or the origin is unknown.
        """
        if work.case is None or not _ORIGIN.match(work.ask.arguments.question):
            return []
        found = await self.again(work, work.case, known)
        if not isinstance(found, RerunToStop):
            return []
        return await asyncio.to_thread(lambda: [part for part in origins(found, place, roots) if part])

    async def ended(
        self, work: Work, case: StopSnapshot, names: Sequence[str], known: Sequence[Control]
    ) -> ValueAnswer | None:
        """Answers about the first name in `names` that is a local variable of a function that has returned."""
        name = next((name for name in names if setter(case, name)), "")
        found = await self.again(work, case, known) if name else ""
        return await asyncio.to_thread(local, found, name) if isinstance(found, RerunToStop) else None

    async def again(self, work: Work, case: StopSnapshot, known: Sequence[Control]) -> RerunToStop | str:
        """Returns the recorded run; if there is no recorded run, returns the reason as a clause."""
        if self._again is None or self._again[0] != case.stop.epoch:
            if not any(control.usable for control in known) and not why_not_rerunnable(work.debugger, case):
                work.sink.emit("status", _RUNNING)
            try:
                found: RerunToStop | str = await rerun_to_stop(work.debugger, case, known)
            except (NotRerunnable, Unavailable) as reason:
                found = str(reason)
            except RequestFailed as error:
                found = error.user_text
            self._again = case.stop.epoch, found
        return self._again[1]

    async def _plain(self, work: Work, case: StopSnapshot, wanted: KindOnly) -> ValueAnswer | None:
        match wanted.kind:
            case "slow":
                if not why_not_rerunnable(work.debugger, case):
                    work.sink.emit("status", _RUNNING)
                try:
                    return ValueAnswer([slow(case, *await timed(work.debugger, case))])
                except (NotRerunnable, Unavailable) as reason:
                    return ValueAnswer([f"Where the time goes cannot be told here: {reason}."])
            case "since":
                now = kept(case)
                return ValueAnswer([changed(next(iter(self._stops[-2:-1]), None), now)]) if now else None
            case "next":
                return _next(case)
            case _:
                return ValueAnswer([_NO_SUPPOSING])


def _may_be_known(wanted: Wanted, case: StopSnapshot) -> bool:
    """Whether the names in the question exist at this stop. If not, recording a run is not worth its time."""
    match wanted:
        case Compared(subject=subject):
            known = any(place.value(subject) is not None for place in case.callers)
            names = re.findall(r"[A-Za-z_]\w*", subject)[:1]
            return known or any(setter(case, name) or _is_written(name, case) for name in names)
        case Literally(missed=missed):
            return not missed
        case _:
            return True


def _is_written(name: str, case: StopSnapshot) -> bool:
    """Whether the source files of the stack assign or call this name.

    A function of another file may have run as well.
    """
    return name.rpartition(".")[2] in {*written(case), *_called(case)}


def _called(case: StopSnapshot) -> Iterator[str]:
    """Yields the names of the functions that the source files of the stack call."""
    for source in (place.source for place in case.places):
        nodes = source.index.nodes if source and source.tree else ()
        yield from (called_name(node) for node in nodes if isinstance(node, ast.Call))


def _without_run(wanted: Wanted, case: StopSnapshot, why: str) -> ValueAnswer | None:
    match wanted:
        case LineRun(line=line) if case.focus:
            path = case.focus.frame.path
            shown = excerpt(case.sources, path, line)
            return ValueAnswer(
                [f"{where(case, path, line)}:\n\n{shown}", f"Whether and why it ran cannot be told: {why}."]
            )
        case Returned(function=name) | Called(function=name) if _is_written(name, case):
            return ValueAnswer([f"How {code(name)} was called, and what it returned, cannot be told: {why}."])
        case _:
            return None


def _next(case: StopSnapshot) -> ValueAnswer | None:
    """Answers which line runs next; returns None at an exception or without source."""
    place = case.focus
    if place is None or place.source is None or case.exception is not None:
        return None
    line = place.source.line(place.frame.line).strip()
    return ValueAnswer(
        [f"Next it runs {where(case, place.frame.path, place.frame.line)}:\n\n{place.source.block(line)}"]
    )
