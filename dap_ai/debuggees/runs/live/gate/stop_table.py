"""Decides which events stop a live agent: the client's breakpoints and the steps in progress.

Does no I/O. Covers only what is known when the event happens; the debugger later checks what only analysis finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments, RequestError
from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.run_growth import PartialAnalysis
from dap_ai.debuggees.runs.adapter.stopping.breakpoint_hits import RunBreakpoint, filled, named, stop_from
from dap_ai.debuggees.runs.adapter.stopping.event_conditions import ConditionError, holds, parsed
from dap_ai.debuggees.runs.adapter.stopping.exception_filters import FILTERS, Test
from dap_ai.debuggees.runs.adapter.stopping.watches import FILE, PLAN, SYSTEM, same_file
from dap_ai.debuggees.runs.adapter.stopping.watches import test_of as watched
from dap_ai.debuggees.runs.analysis.analysis_model import Effect
from dap_ai.debuggees.runs.live.gate.orders import BreakpointRow, Until
from dap_ai.debuggees.runs.run_model import Event, Run, steps_of
from dap_ai.debuggees.runs.store import FORMAT

if TYPE_CHECKING:  # loads the reader of recordings, which a session of another run does not need
    from dap_ai.debuggees.runs.live.gate.gate_events import GateEvents

LOOPS = 3
"""Number of equal results of a call with the same arguments that counts as a loop."""

_AT_QUERIES = frozenset({"query", "result", "change", "toolError", "loop", "budget", "apiError"})
"""Exception filters that never stop at an answer, except at a failed answer."""


class Going(NamedTuple):
    """A step command in progress, of the agent of that name, or of any agent if the name is empty."""

    until: Until = ""
    agent: str = ""


class BreakpointHit(NamedTuple):
    """Why an event stops its agent."""

    reason: str
    """The `reason` in DAP's `stopped` event."""
    idents: Sequence[int] = ()
    filter: str = ""


class Now(RunFacts):
    """Facts of the run so far, for breakpoint conditions."""

    def __init__(self, story: GateEvents, workspace: str, path: str) -> None:
        run = Run(path, FORMAT, events=story.events, workspace=workspace)
        super().__init__(run, PartialAnalysis(), path, known="so far")
        self.story = story

    @property
    def spent(self) -> _Spent:  # type: ignore[override]
        """Tokens and cost so far."""
        return _Spent(self.story.tokens, self.story.cost_usd or None)

    @property
    def effects(self) -> Mapping[int, Effect]:
        """Effects of the newest step only, computed when a condition uses them."""
        return _effects(self.run)

    @property
    def checks(self) -> Mapping[int, Any]:
        """Empty, because the debugger judges checks later."""
        return {}

    def patterns_at(self, event: Event) -> Sequence[Any]:
        """Return nothing, because the debugger finds patterns later."""
        del event
        return ()

    def ends_step(self, event: Event) -> bool:
        """Return whether the event is a result."""
        return event.kind == "result"

    def is_last(self, event: Event) -> bool:
        """Return False, because any event may be followed by another while the run goes on."""
        del event
        return False


class _Spent(NamedTuple):
    tokens: int
    cost_usd: float | None

    def until(self, _index: int) -> tuple[int, float | None]:
        return self.tokens, self.cost_usd


class StopTable:
    """Decides for each event, in chronological order, whether the event stops its agent."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._rows: list[tuple[RunBreakpoint, list[int]]] = []
        self._made: dict[int, tuple[BreakpointRow, RunBreakpoint | None, list[int]]] = {}
        self.going: list[Going] = []
        self.is_pausing = False

    def wants_answers(self, *, failed: bool) -> bool:
        """Return whether an answer could stop its agent, and so must be complete before the agent gets it."""
        kinds = {stop.filter for stop, _ in self._rows}
        return self.is_pausing or self._steps or bool(kinds - _AT_QUERIES) or (failed and "apiError" in kinds)

    @property
    def wants_changes(self) -> bool:
        """Whether a change of the workspace could stop an agent."""
        wanted = ("change", "successWithoutChange")
        return any(stop.filter in wanted or stop.reason == "data breakpoint" for stop, _ in self._rows) or self._steps

    @property
    def _steps(self) -> bool:
        return any(going.until == "event" for going in self.going)

    def replace(self, rows: Sequence[BreakpointRow]) -> None:
        """Replace the breakpoints. Unchanged breakpoints keep their hit counts; invalid rows are ignored."""
        before = self._made
        self._made = {
            row.ident: known if (known := before.get(row.ident)) and known[0] == row else (row, _stop(row), [0])
            for row in rows
        }
        self._rows = [(stop, count) for _, stop, count in self._made.values() if stop is not None]

    def decide(self, event: Event) -> tuple[BreakpointHit | None, list[str]]:
        """Return (why the event stops its agent or None, messages of logpoints)."""
        logged, hits = list[str](), list[RunBreakpoint]()
        for stop, count in self._rows:
            if not (stop.matches(event, self._now) and holds(stop.condition, event, self._now)):
                continue
            count[0] += 1
            if stop.hit is not None and not stop.hit(count[0]):
                continue
            if stop.log:
                logged.append(filled(stop.log, event, self._now))
            else:
                hits.append(stop)
        if hits:
            name = next((stop.filter for stop in hits if stop.filter), "")
            self.arrived(event.agent)
            return BreakpointHit(hits[0].reason, [stop.ident for stop in hits], name), logged
        if self.is_pausing:
            self.is_pausing = False
            self.arrived(event.agent)
            return BreakpointHit("pause"), logged
        if any(self._arrives(going, event) for going in self.going):
            self.arrived(event.agent)
            return BreakpointHit("step"), logged
        return None, logged

    def arrived(self, agent: str) -> None:
        """End the steps of the stopped agent, the steps of any agent, and all single-event steps."""
        self.going = [going for going in self.going if going.agent not in ("", agent) and going.until != "event"]

    def _arrives(self, going: Going, event: Event) -> bool:
        if going.until == "event":
            return True
        speaker = self._now.story.speakers.get(going.agent)
        is_own = event.agent == going.agent
        if going.until == "cycle":
            return is_own and event.kind == "query"
        if speaker is not None and speaker.parent:
            return event.agent == speaker.parent
        return is_own and event.kind in ("result", "query")


def _stop(row: BreakpointRow) -> RunBreakpoint | None:
    try:
        asked = RequestArguments(row.asked)
        test, reason = _test(row, asked)
        stop = stop_from(row.ident, asked, test, reason)
    except (ConditionError, RequestError):
        return None
    stop.filter = asked.text("filterId", "") if row.kind == "filter" else ""
    return stop


def _test(row: BreakpointRow, asked: RequestArguments) -> tuple[Test, str]:
    if row.kind == "function":
        return named(asked.text("name")), "function breakpoint"
    if row.kind == "data":
        return _watched(asked.text("dataId")), "data breakpoint"
    name = asked.text("filterId")
    if name == "budget":
        return _once(asked.text("condition", "")), "exception"
    test = LIVE.get(name)
    if test is None:
        raise ConditionError("it is seen later")
    return test, "exception"


def _once(condition: str) -> Test:
    """Return a test that is true when the condition becomes true. Raises ConditionError without a condition."""
    if not condition.strip():
        raise ConditionError("a budget wants a condition")
    expression, was = parsed(condition), [False]

    def starts(event: Event, facts: RunFacts) -> bool:
        before, was[0] = was[0], holds(expression, event, facts)
        return was[0] and not before

    return starts


def _watched(data_id: str) -> Test:
    if data_id == SYSTEM:
        return lambda event, _: event.kind == "query" and bool(event.text)
    if data_id.startswith(FILE):
        wanted = data_id.removeprefix(FILE)
        return lambda event, _: (
            event.kind == "change" and any(same_file(wanted, line[2:]) for line in event.text.splitlines())
        )
    test = watched(data_id, "write") if data_id.startswith(PLAN) else None
    if test is None:
        raise ConditionError(f"{data_id!r} is nothing that is watched")
    return test


def _is_over(event: Event, facts: RunFacts) -> bool:
    """Return whether the event is an answer of the main agent without calls, so that the run is about to end."""
    if event.kind != "response" or event.agent not in ("main", ""):
        return False
    speaker = facts.story.speakers.get(event.agent) if isinstance(facts, Now) else None
    return speaker is None or not speaker.open_calls


def _without_change(event: Event, facts: RunFacts) -> bool:
    return _is_over(event, facts) and isinstance(facts, Now) and facts.story.is_as_it_was()


def _loops(event: Event, _: RunFacts) -> bool:
    return event.kind == "result" and event.native_id.isdecimal() and int(event.native_id) >= LOOPS


LIVE: Mapping[str, Test] = {
    **{name: FILTERS[name].stops_at for name in ("query", "response", "call", "result", "toolError", "apiError")},
    "change": lambda event, _: event.kind == "change",
    "successWithoutChange": _without_change,
    "loop": _loops,
    "end": _is_over,
}
"""Tests of the exception filters that are decided while the agent waits; analysis decides the other filters later."""


def _effects(run: Run) -> Mapping[int, Effect]:
    from dap_ai.debuggees.runs.analysis.step_effects import effects_of  # noqa: PLC0415  only conditions over effects need it

    last = run.events[-1].step if run.events else 0
    call = next((event for event in reversed(run.events) if event.step == last and event.kind == "call"), None)
    if call is None:
        return {}
    alone = Run(run.root, run.format, events=[call], workspace=run.workspace)
    return {effect.step: effect for effect in effects_of(alone, steps_of(alone))[0]}
