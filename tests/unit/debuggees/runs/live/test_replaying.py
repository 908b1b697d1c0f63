"""Who answers a query of a replay, and what is told of where it leaves the tape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.runs.live.endpoint_plan import EditedResult, InsertedText, Plan
from dap_ai.debuggees.runs.live.replay.replay_replies import Replaying
from dap_ai.debuggees.runs.live.replay.request_diff import difference
from dap_ai.debuggees.runs.live.replay.tape import CannotReplay, Tape
from dap_ai.debuggees.runs.live.wire.apis.message_edits import (
    from_text,
    insert_user_text,
    rewritten,
    with_arguments,
    with_call,
)
from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api, answer, taken_apart
from dap_ai.debuggees.runs.live.wire.apis.response_forms import in_form
from dap_ai.debuggees.runs.live.wire.query_visit import Decision
from dap_ai.debuggees.runs.store import Recording

SYSTEM: Any = {"role": "system", "content": "You fix."}
TASK: Any = {"role": "user", "content": "Fix it."}


def called(number: int) -> dict[str, Any]:
    function = {"name": "bash", "arguments": json.dumps({"command": f"step {number}"})}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "function": function}]}


def result(number: int, text: str = "fine") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{number}", "content": text}


def body(*messages: Any, **settings: Any) -> bytes:
    return json.dumps({"model": "m", "messages": messages, **settings}).encode()


QUERIES = (
    body(SYSTEM, TASK),
    body(SYSTEM, TASK, called(1), result(1)),
    body(SYSTEM, TASK, called(1), result(1), called(2), result(2)),
)
ANSWERS: Any = [{"id": str(n), "choices": [{"index": 0, "message": called(n)}]} for n in (1, 2)] + [
    {
        "id": "3",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}],
    }
]


@pytest.fixture
def tape(tmp_path: Path) -> Tape:
    recording = Recording(tmp_path / "r", {"command": ["agent"]})
    for number, (sent, value) in enumerate(zip(QUERIES, ANSWERS, strict=True), 1):
        asked = taken_apart("chat", sent)
        last = recording.conversation(asked.messages)
        recording.event({"query": number, "api": "chat", "last": last, "settings": asked.settings})
        recording.event({"response": number, "end": "whole", "status": 200, "value": value})
    recording.close()
    return Tape(tmp_path / "r")


class Replay:
    """A replay, and its notes."""

    def __init__(self, tape: Tape, **plan: Any) -> None:
        self.notes: list[Mapping[str, Any]] = []
        self.replaying = Replaying(Plan(str(tape.folder), **plan), tape, self.notes.append)
        self.asked = 0

    def __call__(self, sent: bytes) -> Decision:
        self.asked += 1
        return self.replaying.decide(self.asked, "chat", sent)

    @property
    def kinds(self) -> list[Any]:
        return [row.get("divergence") or next(key for key in row if key not in ("note", "at")) for row in self.notes]


def value_of(decision: Decision) -> Any:
    assert decision.sent is not None
    return json.loads(decision.sent.body)


def test_the_same_queries_are_answered_as_recorded_and_nothing_is_told(tape: Tape):
    replay = Replay(tape, shape="stop")
    assert [value_of(replay(sent))["id"] for sent in QUERIES] == ["1", "2", "3"]
    assert replay.notes == []


def test_queries_that_come_in_another_order_are_known_by_what_they_say(tape: Tape):
    replay = Replay(tape)
    assert [value_of(replay(QUERIES[at]))["id"] for at in (1, 0, 2)] == ["2", "1", "3"]
    assert replay.notes == []


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("3 passed in 0.03s", "3 passed in 0.12s"),
        ("Tue Nov 24 02:25:53 UTC 2026", "Wed Nov 25 11:01:07 UTC 2026"),
        ("<O at 0x7f90370258>", "<O at 0x7f12aa0258>"),
        ("/tmp/tmpab12/x.py", "/tmp/tmp77cd/x.py"),
        ('{"output": "a\\n1795488515.54"}', '{"output": "a\\n1795488539.80"}'),
    ],
)
def test_a_time_or_a_random_name_is_told_and_counts_for_nothing(then: str, now: str):
    found = difference([result(1, then)], [result(1, now)], (None, None))
    assert found and (found.kind, found.place) == ("passing", "message 1 (tool)")


@pytest.mark.parametrize(("texts", "answered"), [("tape", True), ("live", False)])
def test_other_words_in_the_same_places_are_told_once_and_go_as_is_wished(tape: Tape, texts: str, answered: bool):
    replay = Replay(tape, texts=texts)
    replay(QUERIES[0])
    assert (replay(body(SYSTEM, TASK, called(1), result(1, "bad"))).sent is not None) is answered
    replay(body(SYSTEM, TASK, called(1), result(1, "bad"), called(2), result(2)))
    assert replay.kinds == (["text"] if answered else ["text", "fork"])
    assert replay.notes[0]["recorded"] == "`fine`" and replay.notes[0]["now"] == "`bad`"
    assert "query 2 differs from the tape's: message 4 (tool)" in replay.notes[0]["note"]


def test_where_the_tape_cannot_answer_the_replay_stops_and_the_agent_is_told_why(tape: Tape):
    replay = Replay(tape, shape="stop")
    found = replay(body(SYSTEM, TASK, TASK))
    assert found.sent and found.sent.status == 400 and found.stop == "it leaves the tape"
    assert replay.kinds == ["shape", "stopped"]
    assert "3 messages instead of 2" in replay.notes[0]["note"]


def test_a_query_more_than_the_tape_has_is_a_difference(tape: Tape):
    replay = Replay(tape, shape="stop")
    for sent in QUERIES:
        replay(sent)
    assert replay(QUERIES[2]).stop == "the tape has ended" and replay.kinds == ["shape", "stopped"]


def test_said_words_are_in_the_fork_and_in_each_later_query_and_the_agents_own_are_kept(tape: Tape):
    replay = Replay(tape, until=2, edits=[InsertedText(2, "Look there.")])
    assert replay(QUERIES[0]).sent is not None
    fork = replay(QUERIES[1])
    assert fork.sent is None and fork.is_fork and fork.own == QUERIES[1]
    words = {"role": "user", "content": "Look there."}
    assert json.loads(fork.body)["messages"][4:] == [words]
    later = replay(body(SYSTEM, TASK, called(1), result(1), called(9), result(9)))
    assert json.loads(later.body)["messages"][4:] == [words, called(9), result(9)] and not later.is_fork
    other = replay(body(SYSTEM, {"role": "user", "content": "Review."}))
    assert other.own is None


def test_a_result_is_told_as_edited_in_each_query(tape: Tape):
    replay = Replay(tape, until=2, edits=[EditedResult("c1", "other")])
    replay(QUERIES[0])
    for sent in QUERIES[1:]:
        assert json.loads(replay(sent).body)["messages"][3] == result(1, "other")


def test_an_edited_answer_is_given_and_then_the_model_is_asked(tape: Tape):
    value = with_call(ANSWERS[1], "c2", lambda call: with_arguments(call, lambda old: from_text(old, "ls")))
    replay = Replay(tape, until=2, answers={"2": value})
    replay(QUERIES[0])
    fork = replay(QUERIES[1])
    arguments = value_of(fork)["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(arguments) == {"command": "ls"} and fork.is_fork
    assert replay(QUERIES[2]).sent is None


def test_a_budget_ends_the_agent(tape: Tape):
    replay = Replay(tape, until=2, budget=1)
    replay(QUERIES[0])
    assert replay(QUERIES[1]).sent is None
    assert "budget of 1" in replay(QUERIES[2]).stop


def test_a_path_of_then_is_the_path_of_now(tape: Tape):
    value = {"text": "cd /w/app && ls /w/apple; cat '/w/app/x'"}
    assert rewritten(value, "/w/app", "/c") == {"text": "cd /c && ls /w/apple; cat '/c/x'"}


def test_words_go_into_the_users_last_message_where_that_is_the_last():
    blocks = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}]
    assert insert_user_text("messages", blocks, 1, "Hm.")[0]["content"][1] == {"type": "text", "text": "Hm."}
    assert insert_user_text("chat", [TASK], 1, "Hm.") == [{"role": "user", "content": "Fix it.\n\nHm."}]


CHAT: Any = {
    "id": "1",
    "object": "chat.completion",
    "model": "m",
    "choices": [{"index": 0, "message": {**called(1), "content": "I look."}, "finish_reason": "tool_calls"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2},
}
RESPONSES: Any = {
    "id": "r",
    "status": "completed",
    "output": [
        {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "id": "f", "call_id": "c", "name": "bash", "arguments": "{}"},
    ],
    "usage": {"input_tokens": 3, "output_tokens": 4},
}
MESSAGES: Any = {
    "id": "m",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "c", "name": "bash", "input": {"command": "ls"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 4},
}


@pytest.mark.parametrize(("api", "value"), [("chat", CHAT), ("responses", RESPONSES), ("messages", MESSAGES)])
def test_an_answer_is_the_same_in_one_piece_and_streamed(api: Api, value: Any):
    kind, whole = in_form(api, value, {})
    assert (kind, answer(api, whole, streamed=False)) == ("application/json", value)
    kind, events = in_form(api, value, {"stream": True, "stream_options": {"include_usage": True}})
    told = answer(api, events, streamed=True)
    if api == "chat":
        told["choices"][0]["message"]["tool_calls"][0].pop("index")
    assert kind.startswith("text/event-stream") and told == value


def test_the_same_lines_in_another_order_are_named_so():
    found = difference([result(1, "a\nb")], [result(1, "b\na")], (None, None))
    assert found and found.kind == "text" and "another order" in found.words


def test_a_replay_goes_on_where_its_endpoint_was_killed(tape: Tape, tmp_path: Path):
    recording = Recording(tmp_path / "new", {"command": ["agent"]})
    recording.event({"response": 1, "taped": 1, "end": "whole", "status": 200, "value": {}})
    recording.close()
    replaying = Replaying(Plan(str(tape.folder)), tape, print, Tape(tmp_path / "new"))
    found = replaying.decide(2, "chat", body(SYSTEM, TASK, called(1), result(1, "0.2 s")))
    assert found.sent and found.sent.taped == 2


def test_what_is_no_recording_says_so(tmp_path: Path):
    (tmp_path / "run.jsonl").write_text("{}\n")
    with pytest.raises(CannotReplay, match="is no recording"):
        Tape(tmp_path)
