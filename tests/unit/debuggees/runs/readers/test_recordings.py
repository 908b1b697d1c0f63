from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.run_model import Run
from dap_ai.debuggees.runs.store import FILE, Recording
from tests.unit.debuggees.runs.logs import sound

HEAD = {"started": "1970-01-01T00:00:00Z", "command": ["agent", "-x"]}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str, *calls: str) -> dict[str, Any]:
    asked = [{"id": call, "type": "function", "function": {"name": "bash", "arguments": "{}"}} for call in calls]
    return {"role": "assistant", "content": text} | ({"tool_calls": asked} if asked else {})


def result(call: str, text: str = "r") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": text}


class Writing:
    """A recording, one query with its answer after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.recording, self.number = folder, Recording(folder, HEAD), 0

    def ask(self, *messages: dict[str, Any]) -> int:
        self.number += 1
        last = self.recording.conversation([json.dumps(message).encode() for message in messages])
        self.recording.event({"query": self.number, "at": float(self.number), "api": "chat", "last": last})
        return self.number

    def answer(self, query: int, message: dict[str, Any]) -> None:
        value = {"choices": [{"index": 0, "message": message}]}
        row = {"response": query, "at": query + 0.5, "end": "whole", "status": 200, "value": value}
        self.recording.event(row)

    def cycle(self, answer: dict[str, Any], *messages: dict[str, Any]) -> None:
        self.answer(self.ask(*messages), answer)

    def read(self) -> Run:
        run = open_run(self.folder)
        sound(run)
        return run


def texts(run: Run, kind: str) -> list[tuple[str, str]]:
    return [(event.agent, event.text) for event in run.events if event.kind == kind]


def test_a_history_that_was_shortened_is_still_its_agents(tmp_path: Path):
    writing = Writing(tmp_path)
    system = {"role": "system", "content": "You fix."}
    writing.cycle(said("one", "a"), system, user("Do."))
    writing.cycle(said("two", "b"), system, user("Do."), said("one", "a"), result("a", "ra"))
    writing.cycle(said("three"), system, user("Summary."), said("two", "b"), result("b", "rb"))
    run = writing.read()
    assert len(run.agents) == 1 and run.problems == []
    assert texts(run, "result") == [("main", "ra"), ("main", "rb")]
    assert [event.cycle for event in run.events if event.kind == "query"] == [1, 2, 3]


def test_a_query_that_is_sent_again_is_a_cycle_of_the_same_agent_and_tells_nothing_twice(tmp_path: Path):
    writing = Writing(tmp_path)
    writing.ask(user("Do."))
    writing.cycle(said("one"), user("Do."))
    run = writing.read()
    assert (len(run.agents), texts(run, "task")) == (1, [("main", "Do.")])


def test_conversations_at_once_are_agents_of_their_own(tmp_path: Path):
    writing = Writing(tmp_path)
    first, second = writing.ask(user("One.")), writing.ask(user("Two."))
    writing.answer(second, said("2"))
    writing.answer(first, said("1"))
    run = writing.read()
    assert texts(run, "task") == [("main", "One."), ("agent-2", "Two.")]
    assert texts(run, "response") == [("agent-2", "2"), ("main", "1")]


def test_a_result_as_a_users_words_answers_the_only_open_call(tmp_path: Path):
    writing = Writing(tmp_path)
    writing.cycle(said("one", "a"), user("Do."))
    writing.cycle(said("two"), user("Do."), {"role": "assistant", "content": "Calling"}, user("Observation: 7"))
    run = writing.read()
    assert texts(run, "result") == [("main", "Observation: 7")] and run.problems == []


def test_a_result_that_is_json_of_output_and_exit_code_is_that_output(tmp_path: Path):
    writing = Writing(tmp_path)
    writing.cycle(said("one", "a"), user("Do."))
    brought = json.dumps({"returncode": 2, "output": "one\nE  two", "exception_info": "timed out"})
    writing.cycle(said("two"), user("Do."), said("one", "a"), result("a", brought))
    found = next(event for event in writing.read().events if event.kind == "result")
    assert (found.text, found.exit_code, found.status) == ("one\nE  two\nexception_info: timed out", 2, "error")


def test_what_the_agents_program_has_put_in_is_not_the_task(tmp_path: Path):
    writing = Writing(tmp_path)
    writing.cycle(said("one"), user("<environment_context> linux </environment_context>"), user("Do."))
    assert writing.read().task == "Do."


def test_a_change_stands_before_the_query_that_found_it(tmp_path: Path):
    writing = Writing(tmp_path)
    writing.cycle(said("one", "a"), user("Do."))
    query = writing.ask(user("Do."), said("one", "a"), result("a"))
    writing.answer(query, said("two"))
    change = {"change": 1, "at": 2.1, "query": query, "commit": "c0ffee", "files": [["M", "a.py"]]}
    writing.recording.event(change)
    assert [event.kind for event in writing.read().events][-4:] == ["result", "change", "query", "response"]


@given(rows=st.lists(st.one_of(
    st.dictionaries(st.sampled_from(["node", "after", "part", "value", "query", "last", "response", "at", "files", "change",
    "end", "settings", "status", "tools", "api", "commit"]), st.one_of(st.integers(-3, 9), st.text(max_size=3), st.none(),
    st.lists(st.integers(0, 3), max_size=2), st.dictionaries(st.sampled_from(["role", "content", "choices", "error"]),
    st.text(max_size=3), max_size=2)), max_size=5), st.integers(), st.text(max_size=5)), max_size=12))  # fmt: skip
def test_no_line_makes_the_reader_fail(rows: list[Any], tmp_path_factory: Any):
    folder = tmp_path_factory.mktemp("r")
    lines = [json.dumps(row) for row in ({"dap_ai_recording": 1, **HEAD}, *rows)]
    (folder / FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")
    sound(open_run(folder))
