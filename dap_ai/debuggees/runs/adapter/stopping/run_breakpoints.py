"""The client's breakpoints by kind; each request replaces all breakpoints of its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError
from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.stopping.breakpoint_hits import RunBreakpoint, named, stop_from
from dap_ai.debuggees.runs.adapter.stopping.event_conditions import ConditionError, holds, parsed
from dap_ai.debuggees.runs.adapter.stopping.exception_filters import FILTERS, Test
from dap_ai.debuggees.runs.adapter.stopping.watches import test_of
from dap_ai.debuggees.runs.run_model import Event

Answer = dict[str, Any]
LATER = "it counts from `analyse` in the console on: the run is long"


class RunBreakpoints:
    """Breakpoints of a session. Setters return DAP's answers, one per requested breakpoint, in order."""

    def __init__(self) -> None:
        self._stops: dict[str, list[RunBreakpoint]] = {}
        self._idents = 0

    @property
    def all(self) -> list[RunBreakpoint]:
        """Breakpoints of all kinds."""
        return [stop for stops in self._stops.values() for stop in stops]

    def of(self, kind: str) -> Sequence[RunBreakpoint]:
        """Return the breakpoints of one kind: `functions`, `filters`, `data`."""
        return self._stops.get(kind, ())

    def recount(self) -> None:
        """Reset all hit counts, because the order of events has changed."""
        for stop in self.all:
            stop.recount()

    def filter_of(self, idents: Sequence[int]) -> str:
        """Return the name of the first exception filter among these breakpoints; empty without a filter."""
        return next((stop.filter for stop in self.all if stop.ident in idents and stop.filter), "")

    def set_lines(
        self, source: str, asked: Sequence[RequestArguments], at: Callable[[int], tuple[int, int]]
    ) -> list[Answer]:
        """Set the breakpoints of a document; `at` maps a line to (event index, line of that event)."""

        def one(each: RequestArguments) -> tuple[Test, Answer]:
            index, line = at(each.number("line"))
            return (lambda event, _: event.index == index), {"line": line}

        return self._replace(f"lines {source}", asked, one, "breakpoint")

    def set_functions(self, asked: Sequence[RequestArguments]) -> list[Answer]:
        """Set breakpoints by tool, agent, kind or `llm`. Names may also be `log:NAME TEXT` or `NAME if CONDITION`."""
        plain = [_unconditional(_unlogged(each)) for each in asked]
        return self._replace("functions", plain, lambda each: (named(each.text("name")), {}), "function breakpoint")

    def set_filters(self, asked: Sequence[RequestArguments], *, analysed: bool) -> list[Answer]:
        """Set exception filters by `filterId`."""

        def one(each: RequestArguments) -> tuple[Test, Answer]:
            name = each.text("filterId")
            if name not in FILTERS:
                raise ConditionError(f"there is no filter {name!r}: there are {', '.join(FILTERS)}")
            condition = each.text("condition", "")
            stops_at = _once_above(condition) if name == "budget" and condition.strip() else FILTERS[name].stops_at
            return stops_at, {"message": LATER} if FILTERS[name].analysed and not analysed else {}

        answers = self._replace("filters", asked, one, "exception")
        names = {answer["id"]: each.text("filterId", "") for answer, each in zip(answers, asked, strict=True)}
        for stop in self._stops["filters"]:
            stop.filter = names[stop.ident]
        return answers

    def set_data(self, asked: Sequence[RequestArguments], *, analysed: bool) -> list[Answer]:
        """Set data breakpoints by `dataId`, as returned by `dataBreakpointInfo`."""

        def one(each: RequestArguments) -> tuple[Test, Answer]:
            data_id = each.text("dataId")
            test = test_of(data_id, each.text("accessType", "write"))
            if test is None:
                raise ConditionError(f"{data_id!r} is nothing that is watched: ask dataBreakpointInfo")
            return test, {} if analysed else {"message": LATER}

        return self._replace("data", asked, one, "data breakpoint")

    def _replace(
        self,
        kind: str,
        asked: Sequence[RequestArguments],
        one: Callable[[RequestArguments], tuple[Test, Answer]],
        reason: str,
    ) -> list[Answer]:
        """Replace all breakpoints of a kind; an invalid entry's answer contains the error."""
        made: list[RunBreakpoint] = []
        answers: list[Answer] = []
        for each in asked:
            self._idents += 1
            answer: Answer = {"id": self._idents, "verified": True}
            try:
                test, more = one(each)
                made.append(stop_from(self._idents, each, test, reason))
                answer |= more
            except (ConditionError, RequestError) as error:
                answer |= {"verified": False, "message": str(error)}
            answers.append(answer)
        self._stops[kind] = made
        return answers


def _unlogged(each: RequestArguments) -> RequestArguments:
    """Convert `log:tool:bash ran {args.command}` to a DAP logpoint; the default message is name, tool and text."""
    name = each.text("name", "") if isinstance(each.fields.get("name"), str) else ""
    if not name.startswith("log:"):
        return each
    bare, _, text = name.removeprefix("log:").strip().partition(" ")
    return RequestArguments({**each.fields, "name": bare, "logMessage": text.strip() or f"{bare}: {{tool}} {{text}}"})


def _unconditional(each: RequestArguments) -> RequestArguments:
    """Convert `tool:bash if step > 3` to a DAP condition, which some editors can't set on function breakpoints."""
    name = each.text("name", "") if isinstance(each.fields.get("name"), str) else ""
    bare, _, condition = name.partition(" if ")
    return RequestArguments({**each.fields, "name": bare, "condition": condition}) if condition.strip() else each


def _once_above(condition: str) -> Test:
    """Return a test that is true when the condition becomes true. Raises ConditionError."""
    expression = parsed(condition)

    def starts(event: Event, facts: RunFacts) -> bool:
        before = facts.run.events[event.index - 1] if event.index else None
        return holds(expression, event, facts) and (before is None or not holds(expression, before, facts))

    return starts
