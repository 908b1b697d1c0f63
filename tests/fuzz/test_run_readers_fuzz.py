"""Artefacts that nobody would write: whatever is in them, a reader reads them or says in words why it cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dap_ai.debuggees.runs.readers import (
    aider,
    claude_code,
    codex,
    dap_ai_transcript,
    langfuse,
    langsmith,
    openai_agents,
    otel,
    terminal_bench,
)
from dap_ai.debuggees.runs.readers.base import Reader
from dap_ai.debuggees.runs.run_files import CannotRead
from tests.unit.debuggees.runs.readers import test_claude_code as claude
from tests.unit.debuggees.runs.readers import test_otel as traces
from tests.unit.debuggees.runs.readers import test_traces_of_vendors as vendors
from tests.unit.debuggees.runs.readers.test_aider import HISTORY
from tests.unit.debuggees.runs.readers.test_codex import META, message, record

SESSION = [
    claude.START,
    claude.logged("a", None, 0, claude.user("task")),
    claude.logged("b", "a", 1, claude.said(1, claude.call("t", "Task", subagent_type="x", prompt="p"))),
    claude.logged("c", "b", 2, claude.user("p"), side=True),
    claude.logged("d", "c", 3, claude.result("t", "Exit code 1\nno")),
    {"type": "stream_event", "session_id": "s", "event": {"type": "message_start", "message": {"id": "m"}}},
    {"type": "result", "subtype": "success", "session_id": "s", "usage": {"input_tokens": 1}, "total_cost_usd": 1},
]
ROLLOUT = [
    META,
    message("user", "go"),
    record("response_item", type="function_call", name="shell", call_id="c", arguments='{"command":["a","-c","b"]}'),
    record(
        "response_item", type="function_call_output", call_id="c", output='{"output":"x","metadata":{"exit_code":0}}'
    ),
    record("event_msg", type="token_count", info={"last_token_usage": {"input_tokens": 1}}),
    {"type": "item.completed", "item": {"id": "i", "type": "command_execution", "command": "ls", "exit_code": 0}},
]
CAST = [
    {"version": 2, "timestamp": 1},
    [1.0, "o", json.dumps(claude.CALL if hasattr(claude, "CALL") else SESSION[2]) + "\r\n"],
    [2.0, "i", "ls\r"],
    [3.0, "o", "a\u2028b\n"],
]
TALK = [
    {"time": 1.0, "ask": "1", "role": "user", "content": "x\nQuestion: y"},
    {"time": 2.0, "ask": "1", "role": "assistant", "content": "", "tool_calls": [
        {"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
    {"time": 3.0, "ask": "1", "role": "tool", "tool_call_id": "c", "content": "z"},
]  # fmt: skip
SPANS = traces.otlp(traces.AGENT, traces.FIRST, traces.TOOL, traces.SECOND)
SEEDS: list[tuple[Reader, str, list[Any]]] = [
    (claude_code.reader, "s.jsonl", SESSION),
    (codex.reader, "r.jsonl", ROLLOUT),
    (terminal_bench.reader, "a.cast", CAST),
    (dap_ai_transcript.reader, "t.jsonl", TALK),
    (otel.reader, "o.jsonl", [SPANS, SPANS]),
    (langsmith.reader, "l.jsonl", [vendors.ROOT, vendors.MODEL, vendors.TOOL]),
    (langfuse.reader, "f.jsonl", [vendors.GENERATION, vendors.SEARCH]),
    (openai_agents.reader, "g.jsonl", vendors.AGENTS),
    (aider.reader, "h.md", [HISTORY]),
]
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8"), max_size=12)
    | st.sampled_from(["\x1b[2J", "<script>", "{", "[[", "a" * 2000, "../../etc/passwd", "9" * 400, "\u2028"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abtype_id.0", max_size=6), inner, max_size=3),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value within a value."""
    found = [path]
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        found += places(inner, (*path, key))
    return found


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of a value with another one at a path."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(copy[path[0]], path[1:], new)
    return copy


def read(reader: Reader, path: Path) -> None:
    """The reader says how sure it is, and reads; nothing else than CannotRead may come."""
    try:
        confidence, why = reader.sniff(path)
        assert 0 <= confidence <= 1 and isinstance(why, str)
        run = reader.read(path)
    except CannotRead:
        return
    assert [event.index for event in run.events] == list(range(len(run.events)))
    numbers = {event.step for event in run.events if event.step}
    assert numbers <= set(range(1, run.steps + 1))
    names = [agent.name for agent in run.agents]
    assert len(names) == len(set(names)) and {event.agent for event in run.events} <= set(names)
    json.dumps([run.task, [event.text for event in run.events]]).encode()


def texts_of(rows: list[Any]) -> str:
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)


FUZZ = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
each_reader = pytest.mark.parametrize(("reader", "name", "rows"), SEEDS, ids=[seed[0].name for seed in SEEDS])


@each_reader
@FUZZ
@given(data=st.data())
def test_any_value_may_stand_anywhere(reader, name, rows, tmp_path, data):
    mutated = list(rows)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(mutated) - 1))
        if not isinstance(mutated[at], str):
            path = data.draw(st.sampled_from(places(mutated[at])))
            mutated[at] = put(mutated[at], path, data.draw(ANYTHING))
    (tmp_path / name).write_text(texts_of(mutated))
    read(reader, tmp_path / name)


@each_reader
@FUZZ
@given(data=st.data())
def test_bytes_may_be_cut_swapped_doubled_and_broken(reader, name, rows, tmp_path, data):
    content = texts_of(rows).encode()
    for _ in range(data.draw(st.integers(1, 3))):
        first = data.draw(st.integers(0, len(content)))
        last = data.draw(st.integers(first, min(len(content), first + 300)))
        content = data.draw(
            st.sampled_from(
                [
                    content[:first],
                    content[:first] + content[last:],
                    content[:last] + content[first:],
                    content[:first] + data.draw(st.binary(max_size=8)) + content[first:],
                    content[:first] + b"[" * 3000 + content[first:],
                ]
            )
        )
    (tmp_path / name).write_bytes(content)
    read(reader, tmp_path / name)


@each_reader
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-8-sig", "latin-1"])
def test_any_encoding_is_read_or_told(reader, name, rows, tmp_path, encoding):
    (tmp_path / name).write_bytes(texts_of(rows).replace("\u2028", " ").encode(encoding, "replace"))
    read(reader, tmp_path / name)


@each_reader
@FUZZ
@given(data=st.data())
def test_rows_may_come_in_any_order_and_often(reader, name, rows, tmp_path, data):
    shuffled = data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=12))
    (tmp_path / name).write_text(texts_of(shuffled))
    read(reader, tmp_path / name)


@pytest.mark.parametrize("reader", [seed[0] for seed in SEEDS], ids=[seed[0].name for seed in SEEDS])
def test_depth_costs_a_reader_no_recursion(reader, tmp_path):
    nested: Any = {"span_id": "x", "name": "x"}
    text = json.dumps(nested)
    for depth in range(400):
        text = f'{{"span_id": "{depth}", "name": "n", "run_type": "llm", "inputs": {{}}, "child_spans": [{text}], "child_runs": [{text if depth < 3 else "{}"}]}}'
    (tmp_path / "deep.json").write_text(text)
    read(reader, tmp_path / "deep.json")
