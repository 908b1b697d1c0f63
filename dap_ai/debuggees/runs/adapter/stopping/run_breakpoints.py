"""The breakpoints that a client has set, kind by kind: each request replaces those of its own kind."""

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
    """Answers are as in DAP's requests, one for each that is asked, in order."""

    def __init__(self) -> None:
        self._stops: dict[str, list[RunBreakpoint]] = {}
        self._idents = 0

    @property
    def all(self) -> list[RunBreakpoint]:
        """Of all kinds."""
        return [stop for stops in self._stops.values() for stop in stops]

    def of(self, kind: str) -> Sequence[RunBreakpoint]:
        """Of one kind: `functions`, `filters`, `data`."""
        return self._stops.get(kind, ())

    def recount(self) -> None:
        """The events of the run are in another order now."""
        for stop in self.all:
            stop.recount()

    def filter_of(self, idents: Sequence[int]) -> str:
        """The first exception filter among these breakpoints; "": there is none."""
        return next((stop.filter for stop in self.all if stop.ident in idents and stop.filter), "")

    def set_lines(
        self, source: str, asked: Sequence[RequestArguments], at: Callable[[int], tuple[int, int]]
    ) -> list[Answer]:
        """Of one document; `at` gives the event that a line means, and the line that it really stands at."""

        def one(each: RequestArguments) -> tuple[Test, Answer]:
            index, line = at(each.number("line"))
            return (lambda event, _: event.index == index), {"line": line}

        return self._replace(f"lines {source}", asked, one, "breakpoint")

    def set_functions(self, asked: Sequence[RequestArguments]) -> list[Answer]:
        """By tool, agent, kind or `llm`; `log:NAME TEXT` speaks and does not stop, `NAME if CONDITION` has one."""
        plain = [_unconditional(_unlogged(each)) for each in asked]
        return self._replace("functions", plain, lambda each: (named(each.text("name")), {}), "function breakpoint")

    def set_filters(self, asked: Sequence[RequestArguments], *, analysed: bool) -> list[Answer]:
        """Exception filters, by `filterId`."""

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
        """By `dataId`, as dataBreakpointInfo gave it."""

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
        """All of a kind; what one of them lacks is told at that one."""
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
    """`log:tool:bash ran {args.command}` as DAP writes a logpoint; without a text it says the name and the event."""
    name = each.text("name", "") if isinstance(each.fields.get("name"), str) else ""
    if not name.startswith("log:"):
        return each
    bare, _, text = name.removeprefix("log:").strip().partition(" ")
    return RequestArguments({**each.fields, "name": bare, "logMessage": text.strip() or f"{bare}: {{tool}} {{text}}"})


def _unconditional(each: RequestArguments) -> RequestArguments:
    """`tool:bash if step > 3` as DAP writes a condition, which some editors give no function breakpoint."""
    name = each.text("name", "") if isinstance(each.fields.get("name"), str) else ""
    bare, _, condition = name.partition(" if ")
    return RequestArguments({**each.fields, "name": bare, "condition": condition}) if condition.strip() else each


def _once_above(condition: str) -> Test:
    """Where the condition holds and did not at the event before. Raises ConditionError."""
    expression = parsed(condition)

    def starts(event: Event, facts: RunFacts) -> bool:
        before = facts.run.events[event.index - 1] if event.index else None
        return holds(expression, event, facts) and (before is None or not holds(expression, before, facts))

    return starts
