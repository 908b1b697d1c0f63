"""The gate's pure parts: what has come by, what holds, what an edit makes of it; and the gate itself, without a wire."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest

from dap_ai.debuggees.runs.live.gate.gate import AgentGate
from dap_ai.debuggees.runs.live.gate.gate_contract import Announcement, GateVerdict, encoded
from dap_ai.debuggees.runs.live.gate.gate_edits import CannotEdit, LastingEdits, with_call, with_text, without_call
from dap_ai.debuggees.runs.live.gate.gate_events import GateEvents
from dap_ai.debuggees.runs.live.gate.gated_query import GateService
from dap_ai.debuggees.runs.live.gate.orders import AgentHold, BreakpointRow, BreakpointTable, GateMessage, Order
from dap_ai.debuggees.runs.live.gate.stop_table import Going, Now, StopTable
from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api
from dap_ai.debuggees.runs.run_model import Event

CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
ANSWERS: Mapping[Api, Any] = {
    "chat": {"choices": [{"index": 0, "message": {"role": "assistant", "content": "I look.", "tool_calls": [CALL]}}]},
    "responses": {
        "output": [
            {
                "type": "message",
                "id": "m",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "I look."}],
            },
            {"type": "function_call", "id": "f", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'},
        ]
    },
    "messages": {
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}},
        ],
        "stop_reason": "tool_use",
    },
}


def body(*messages: Any, **more: Any) -> bytes:
    return json.dumps({"model": "m", "messages": list(messages), **more}).encode()


SYSTEM, USER = {"role": "system", "content": "You fix."}, {"role": "user", "content": "Go."}
ASSISTANT = {"role": "assistant", "content": "", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "a.py"}


def told(events: list[Event]) -> list[tuple[str, str, str]]:
    return [(event.kind, event.tool, event.text) for event in events]


# -- what has come by -------------------------------------------------------------------------------------------------


def test_a_query_brings_the_results_since_the_last_answer():
    story = GateEvents()
    speaker, results, _ = story.query(body(SYSTEM, USER))
    assert (speaker.name, results) == ("main", [])
    assert told(story.answer(speaker, ANSWERS["chat"], 200)) == [("response", "", "I look."), ("call", "bash", "ls")]
    again, results, query = story.query(body(SYSTEM, USER, ASSISTANT, RESULT))
    assert again is speaker
    assert told(results) == [("result", "bash", "a.py")]
    assert (query.cycle, results[0].step) == (2, 1)


def test_a_conversation_with_other_instructions_is_a_sub_agent_of_the_call_that_is_open():
    story = GateEvents()
    main, _, _ = story.query(body(SYSTEM, USER))
    call = {**CALL, "function": {"name": "task", "arguments": '{"subagent_type": "reviewer"}'}}
    story.answer(main, {"choices": [{"message": {"content": "", "tool_calls": [call]}}]}, 200)
    other, _, _ = story.query(body({"role": "system", "content": "You review."}, USER))
    assert (other.name, other.parent) == ("reviewer", "main")


def test_what_is_no_request_is_a_query_of_the_main_agent():
    speaker, results, query = GateEvents().query(b"no json")
    assert (speaker.name, results, query.kind) == ("main", [], "query")


# -- what holds -------------------------------------------------------------------------------------------------------


class Playing:
    """A story, and what holds in it."""

    def __init__(self, *rows: BreakpointRow) -> None:
        self.story = GateEvents()
        self.stops = StopTable(Now(self.story, "", ""))
        self.stops.replace(rows)

    def cycle(self, command: str = "ls", result: str = "a.py", number: int = 1) -> list[str]:
        """What held in one cycle: kinds of events, with the reason."""
        call = {"id": f"c{number}", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
        history = [SYSTEM, USER, *([ASSISTANT] if number > 1 else [])]
        history += [{"role": "tool", "tool_call_id": f"c{number - 1}", "content": result}] if number > 1 else []
        speaker, results, query = self.story.query(body(*history))
        used = {"prompt_tokens": 100, "completion_tokens": 10}
        answer = {"choices": [{"message": {"content": "I look.", "tool_calls": [call]}}], "usage": used}
        found: list[str] = []
        for event in (*results, query):
            found += self._held(event)
        for event in self.story.answer(speaker, answer, 200):
            found += self._held(event)
        return found

    def _held(self, event: Event) -> list[str]:
        hit, logged = self.stops.decide(event)
        return [*([f"{event.kind} {hit.reason}"] if hit else []), *logged]


def on(name: str, ident: int = 1, **more: Any) -> BreakpointRow:
    return BreakpointRow(ident, "filter", {"filterId": name, **more})


def test_filters_hold_at_their_events():
    playing = Playing(on("query"), on("call", 2))
    assert playing.cycle() == ["query exception", "call exception"]


def test_conditions_hit_counts_and_logpoints_are_kept_to():
    counted = BreakpointRow(2, "function", {"name": "tool:bash", "hitCondition": "2"})
    log = BreakpointRow(3, "function", {"name": "tool:bash", "logMessage": "ran {args.command}"})
    playing = Playing(on("call", condition="args.command == 'rm'"), counted, log)
    assert playing.cycle() == ["ran ls"]
    assert playing.cycle("rm", number=2) == ["call exception", "ran rm"]
    playing = Playing(counted)
    assert (playing.cycle(), playing.cycle(number=2)) == ([], ["call function breakpoint"])


def test_a_budget_holds_once_where_it_begins_to_be_over_also_when_the_table_is_set_again():
    budget = on("budget", condition="spent.tokens > 150")
    playing = Playing(budget)
    assert playing.cycle() == []
    assert playing.cycle(number=2) == ["response exception"]
    playing.stops.replace([budget, on("call", 2)])
    assert playing.cycle(number=3) == ["call exception"]


def test_the_third_time_that_a_call_brings_the_same_is_a_loop():
    playing = Playing(on("loop"))
    held = [playing.cycle(result=f"same in {n}.5s", number=n) for n in range(1, 6)]
    assert held == [[], [], [], ["result exception"], ["result exception"]]


def test_steps_end_at_the_next_event_the_next_query_or_the_end_of_the_cycle():
    playing = Playing()
    playing.cycle()
    playing.stops.going = [Going("event", "main")]
    assert playing.cycle(number=2) == ["result step"]
    playing.stops.going = [Going("cycle", "main")]
    assert playing.cycle(number=3) == ["query step"]
    playing.stops.going = [Going("out", "main")]
    assert playing.cycle(number=4) == ["result step"]
    playing.stops.is_pausing = True
    assert playing.cycle(number=5) == ["result pause"]


def test_answers_pass_as_they_come_where_only_queries_and_results_could_hold():
    stops = Playing(on("query"), on("toolError", 2), on("apiError", 3)).stops
    assert not stops.wants_answers(failed=False)
    assert stops.wants_answers(failed=True)
    stops.replace([on("call")])
    assert stops.wants_answers(failed=False)


def test_what_cannot_be_read_or_is_seen_later_is_left_out():
    stops = Playing(on("pattern"), on("no such filter", 2), BreakpointRow(3, "function", {"name": "???"})).stops
    assert not stops.wants_answers(failed=False)


# -- what an edit makes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", ANSWERS)
def test_an_answer_says_another_text_and_makes_the_same_calls(api: Api):
    for text in ("Changed.", ""):
        found = json.dumps(with_text(api, ANSWERS[api], text))
        assert "I look." not in found and '"bash"' in found
        assert not text or found.count(text) == 1


@pytest.mark.parametrize("api", ANSWERS)
def test_a_call_gets_another_tool_and_other_arguments(api: Api):
    found = json.dumps(with_call(ANSWERS[api], "c1", "python", {"code": "1"})).replace("\\", "")
    assert '"python"' in found and '"code"' in found and '"command"' not in found
    unchanged = with_call(ANSWERS[api], "c1", msgspec.UNSET, {"command": "ls"})
    assert json.dumps(unchanged).replace("\\", "").replace(" ", "") == json.dumps(ANSWERS[api]).replace(
        "\\", ""
    ).replace(" ", "")
    with pytest.raises(CannotEdit):
        with_call(ANSWERS[api], "c9", "python", msgspec.UNSET)


@pytest.mark.parametrize("api", ANSWERS)
def test_a_call_is_taken_out_of_an_answer(api: Api):
    found = json.dumps(without_call(api, ANSWERS[api], "c1"))
    assert "bash" not in found and "I look." in found


def test_edited_results_and_notes_stay_in_later_requests():
    kept = LastingEdits()
    assert kept.applied("chat", body(SYSTEM, USER, ASSISTANT, RESULT)) is None
    kept.results["c1"] = ""
    kept.say("chat", body(SYSTEM, USER), "Mind the gap.")
    found = json.loads(kept.applied("chat", body(SYSTEM, USER, ASSISTANT, RESULT)) or b"{}")["messages"]
    assert [message["content"] for message in found] == ["You fix.", "Go.\n\nMind the gap.", "", ""]
    other = body({"role": "system", "content": "You review."}, USER)
    assert kept.applied("chat", other) is None


# -- the gate ---------------------------------------------------------------------------------------------------------


class Records:
    """Keeps what would be recorded; nothing is written later."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def event(self, fields: Mapping[str, Any]) -> None:
        self.rows.append(dict(fields))

    def edited(self, fields: Mapping[str, Any], api: Api, body: bytes | None) -> None:
        del api, body
        self.rows.append(dict(fields))

    def announced(self, fields: Mapping[str, Any], messages: list[Any]) -> None:
        self.rows.append({**fields, "messages": messages})

    def after(self, do: Callable[[], None]) -> None:
        do()


class Standing:
    """A gate, and who says what becomes of what is held."""

    def __init__(self, *rows: BreakpointRow, orders: Mapping[str, list[Order]] | None = None) -> None:
        self.records, self.held = Records(), list[AgentHold]()
        self._orders = orders or {}
        self.gate = AgentGate(self._heard, self.records)
        self.gate.table(BreakpointTable(rows))

        self.keeper = GateService(self.gate, itertools.count(1))

    def _heard(self, heard: GateMessage) -> None:
        if heard.held is not None:
            self.held.append(heard.held)
            for order in (*self._orders.get(heard.held.kind, ()), Order(0)):
                self.gate.order(msgspec.structs.replace(order, ident=heard.held.ident))

    async def announce(self, **said: Any) -> dict[str, Any]:
        status, answer = await self.keeper.announced(json.dumps(said).encode())
        assert status == 200
        return json.loads(answer)


def test_a_hook_is_told_to_go_where_nothing_holds():
    standing = Standing()

    async def announce() -> None:
        assert await standing.announce(kind="hello", announces=["call", "result"]) == {"do": "go"}
        told = await standing.announce(kind="call", tool="bash", arguments={"command": "ls"})
        assert told == {"do": "go", "call_id": "hook-1"}

    asyncio.run(announce())
    assert standing.gate.announces == {"call", "result"}
    assert standing.held == []


def test_a_call_and_a_result_that_a_hook_announces_are_held_and_edited():
    orders = {"call": [Order(0, "edit", tool="python", arguments={})], "result": [Order(0, "edit", text="")]}
    standing = Standing(on("call"), on("result", 2), orders=orders)

    async def announce() -> None:
        call = await standing.announce(kind="call", tool="bash", arguments={"command": "ls"}, call_id="c1")
        assert call == {"do": "edit", "tool": "python", "arguments": {}, "call_id": "c1"}
        assert await standing.announce(kind="result", call_id="c1", text="a.py") == {"do": "edit", "text": ""}

    asyncio.run(announce())
    assert [(held.kind, held.call_id) for held in standing.held] == [("call", "c1"), ("result", "c1")]
    assert [next(iter(row)) for row in standing.records.rows] == ["called", "edited", "returned", "edited"]


def test_a_query_that_is_asked_over_no_wire_is_answered_in_the_models_place():
    standing = Standing(on("query"), orders={"query": [Order(0, "answer", text="No.")]})

    async def announce() -> None:
        found = await standing.announce(kind="query", messages=[USER])
        assert found == {"do": "answer", "text": "No."}

    asyncio.run(announce())


def test_what_no_contract_knows_is_told_and_goes_on():
    status, answer = asyncio.run(Standing().keeper.announced(b'{"kind": "dance"}'))
    assert status == 400 and json.loads(answer)["do"] == "go"


def test_a_query_that_is_no_json_is_held_and_nothing_of_it_can_be_edited():
    standing = Standing(on("query"), orders={"query": [Order(0, "edit", value={"messages": []})]})
    visit = standing.keeper.visit(1, "chat", b"\xff no json")
    asyncio.run(visit.asked(lambda: None, None))
    assert (standing.held[0].value, visit.body) == (None, b"\xff no json")


def test_a_verdict_says_what_to_do_in_any_case():
    assert json.loads(encoded(GateVerdict())) == {"do": "go"}
    assert json.loads(encoded(GateVerdict("edit", text=""))) == {"do": "edit", "text": ""}
    assert msgspec.json.decode(b'{"kind": "call", "arguments": "raw"}', type=Announcement).arguments == "raw"


def test_once_the_debugger_is_gone_nobody_waits():
    standing = Standing(on("call"))
    standing.gate.open()

    async def announce() -> None:
        assert await standing.announce(kind="call", tool="bash", arguments={}) == {"do": "go", "call_id": "hook-1"}

    asyncio.run(announce())
    assert standing.held == []


def test_while_one_agent_is_held_all_others_wait_where_that_is_wanted():
    async def play(*, stop_all: bool) -> bool:
        """Whether the second agent has gone on while the first was held."""
        held = asyncio.Queue[AgentHold]()
        gate = AgentGate(
            lambda heard: held.put_nowait(heard.held) if heard.held else None, Records(), stop_all=stop_all
        )
        gate.table(BreakpointTable([on("query", condition="agent == 'main'")]))
        keeper = GateService(gate, itertools.count(1))
        first = asyncio.ensure_future(keeper.visit(1, "chat", body(SYSTEM, USER)).asked(lambda: None, None))
        at = await held.get()
        other = keeper.visit(2, "chat", body({"role": "system", "content": "You review."}, USER))
        second = asyncio.ensure_future(other.asked(lambda: None, None))
        done, _ = await asyncio.wait([second], timeout=0.05)
        gate.order(Order(at.ident))
        await asyncio.gather(first, second)
        return bool(done)

    assert asyncio.run(play(stop_all=False))
    assert not asyncio.run(play(stop_all=True))
