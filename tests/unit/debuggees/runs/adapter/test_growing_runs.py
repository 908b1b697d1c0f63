"""A large run is opened by its beginning: what a client is told while the rest is read beside the session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dap_ai.debuggees.runs.adapter.run_growth import Growth, PartialAnalysis, goes_on, settled
from dap_ai.debuggees.runs.adapter.run_session import Loaded, RunSession
from dap_ai.debuggees.runs.adapter.views.run_document import line_of
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.run_model import Agent, Event, Ref, Run
from tests.conformance import schema
from tests.unit.debuggees.runs.adapter.recorded import Client, Known

MEGABYTE = 1_000_000
FIRST, MORE, ALL = 5, 9, 13


def events(count: int) -> Sequence[Event]:
    """Cycles of a response, a call and its result, each from a line of its own."""
    made = [Event(0, "task", Ref(lines=(1, 1)), text="make it pass")]
    for index in range(1, count):
        kind, cycle = ("response", "call", "result")[(index - 1) % 3], (index - 1) // 3 + 1
        made.append(Event(index, kind, Ref(lines=(index + 1, index + 1)), cycle=cycle, step=cycle, tool="bash"))
    return made


def run(count: int) -> Run:
    return Run("/run", "made", agents=[Agent("main")], task="make it pass", events=events(count))


class Reader:
    """Reads on when the test says so."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0

    def begin(self, _: Any) -> None:
        self.begun += 1

    def end(self) -> None:
        self.ended += 1


class Growing(Client):
    """A client of a session whose run has been opened by its first events."""

    def __init__(self) -> None:
        super().__init__(run(FIRST))
        self.rest = Reader()
        loaded = Loaded(run(FIRST), PartialAnalysis(), rest=self.rest, known="the first 2 of 200 MB")
        self.session = RunSession(lambda _: loaded, self._write)

    def grow(self, after: Run | None, megabytes: int = 16, *, whole: bool = False, failed: str = "") -> list[str]:
        """The names of the events that it brings."""
        analysed = Known(RunAnalysis()) if whole else None
        growth = Growth(self.rest, megabytes * MEGABYTE, 200 * MEGABYTE, after, analysed, failed)
        told = self.session.grown(growth)
        for number, each in enumerate(told, 1):
            schema.check(each | {"seq": number})
        self.events += told
        return [each["event"] for each in told if each["event"] != "output"]


@pytest.fixture
def client() -> Growing:
    growing = Growing()
    growing.body("initialize", adapterID="agents", supportsProgressReporting=True)
    growing.body("launch", run="/run")
    growing.body("configurationDone")
    return growing


def test_the_first_stop_and_steps_want_no_more_than_the_beginning(client: Growing):
    assert client.rest.begun == 1
    assert "the first 2 of 200 MB are read" in client.said()
    assert client.on("stepIn") == 1
    assert client.values("Run", frame=-1)["read"] == "the first 2 of 200 MB"
    assert client.written["run.md"].splitlines()[1] == "made, 2 steps in the first 2 of 200 MB"


def test_a_breakpoint_beyond_is_found_once_its_event_is_read(client: Growing):
    client.body("setFunctionBreakpoints", breakpoints=[{"name": "tool:bash", "condition": "step == 4"}])
    before = len(client.events)
    client.body("continue", threadId=1)
    assert not [each for each in client.events[before:] if each["event"] == "stopped"]
    assert "stopped" not in client.grow(run(MORE))
    assert "stopped" in client.grow(run(ALL), 200, whole=True)
    assert (client.stopped()["reason"], client.held_event()) == ("function breakpoint", 11)


@pytest.mark.parametrize("command", ["next", "stepIn", "stepOut", "continue"])
def test_every_move_waits_at_the_end_of_what_is_read(client: Growing, command: str):
    client.go(FIRST - 1)
    stops = len(client.events)
    client.body(command, threadId=1)
    assert not [each for each in client.events[stops:] if each["event"] == "stopped"]
    assert "stopped" in client.grow(run(MORE)) or command == "continue"


def test_the_end_is_waited_for_and_is_none_before(client: Growing):
    client.body("setExceptionBreakpoints", filters=["end"])
    client.body("continue", threadId=1)
    client.grow(run(MORE))
    client.grow(run(ALL), 200, whole=True)
    assert client.stopped()["description"] == "End"
    assert client.held_event() == ALL - 1
    assert f"the run is read: {ALL} events, 4 steps" in client.said()


@pytest.mark.parametrize("stop_at", ["end", 4])
def test_a_run_that_is_to_be_held_further_on_waits_for_that(stop_at: Any):
    client = Growing()
    client.body("initialize", adapterID="agents")
    client.body("launch", run="/run", stopAt=stop_at)
    client.body("configurationDone")
    assert not any(each["event"] == "stopped" for each in client.events)
    client.grow(run(ALL), 200, whole=True)
    assert client.held_event() == (ALL - 1 if stop_at == "end" else 10)


def test_a_pause_holds_what_waits_at_the_last_event_that_is_known(client: Growing):
    client.body("continue", threadId=1)
    client.body("pause", threadId=1)
    assert (client.stopped()["reason"], client.held_event()) == ("pause", FIRST - 1)
    assert "stopped" not in client.grow(run(ALL), 200, whole=True)


def test_progress_is_told_and_its_cancel_ends_the_reading_until_a_move_wants_more(client: Growing):
    assert client.grow(None, 4) == ["progressStart"]
    assert client.events[-1]["body"]["percentage"] == 2
    assert client.grow(None, 8) == ["progressUpdate"]
    client.body("continue", threadId=1)
    client.body("cancel", progressId=client.events[-1]["body"].get("progressId", "run-1"))
    assert client.rest.ended == 1
    assert [each["event"] for each in client.told[1:] if each["event"] != "output"] == ["progressEnd", "stopped"]
    begun = client.rest.begun
    client.body("continue", threadId=1)
    assert client.rest.begun == begun + 1
    assert client.grow(run(ALL), 200, whole=True)[-1] == "stopped"


def test_what_is_new_of_the_run_stands_in_a_document_of_its_own(client: Growing):
    first = client.written["run.md"]
    assert "loadedSource" in client.grow(run(MORE))
    assert client.written["run.md"] == first
    client.go(FIRST + 1)
    frame = client.frames()[0]
    assert (frame["source"]["name"], frame["line"]) == ("run-2.md", line_of(1))
    asked = {"source": frame["source"], "breakpoints": [{"line": 1}, {"line": 99}]}
    made = client.body("setBreakpoints", **asked)["breakpoints"]
    assert [each["line"] for each in made] == [line_of(0), line_of(MORE - FIRST - 1)]
    client.go(0)
    client.body("continue", threadId=1)
    assert client.held_event() == FIRST


def test_a_command_says_of_how_much_it_speaks(client: Growing):
    assert client.evaluated("steps").endswith("(of the first 2 of 200 MB: the run is still being read)")
    assert "ask again later" in client.evaluated("analyse")
    client.grow(run(ALL), 200, whole=True)
    assert "still being read" not in client.evaluated("steps")


def test_events_in_another_order_are_shown_anew_and_the_held_one_stays(client: Growing):
    client.go(2)
    other = run(MORE)
    other.events = [Event(0, "note", Ref(lines=(99, 99))), *other.events]
    for index, event in enumerate(other.events):
        event.index = index
    assert "stopped" in client.grow(other)
    assert (client.stopped()["reason"], client.held_event()) == ("pause", 3)
    assert "stopped" not in client.grow(other, 200, whole=True)


def test_what_cannot_be_read_any_more_leaves_what_is_known(client: Growing):
    client.body("continue", threadId=1)
    assert client.grow(None, failed="the file is gone") == ["stopped"]
    assert (client.stopped()["description"], client.held_event()) == ("the end of the run", FIRST - 1)
    assert "the file is gone" in client.said()


def test_a_beginning_is_settled_without_the_cycle_that_may_go_on():
    assert len(settled(run(6)).events) == 4
    assert len(settled(run(2)).events) == 1
    assert goes_on(settled(run(6)), run(ALL))
    assert not goes_on(run(ALL), run(FIRST))
