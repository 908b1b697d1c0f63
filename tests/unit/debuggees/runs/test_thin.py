"""Large files: long texts stay in them, and are the same when they are looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.readers import portion, thin_events
from dap_ai.debuggees.runs.readers.portion import Portion
from dap_ai.debuggees.runs.run_model import Event, Run

LONG = "a long text, " * 60
FIELDS = Event.__struct_fields__


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(portion, "LARGE_BYTES", 0)


def session(path: Path, *, bom: bool = False) -> Path:
    """Of Claude Code: an answer in two lines, a call with a long argument, its result, a sub-agent."""
    call = {"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": "a.py", "content": LONG + "é"}}
    task = {"type": "tool_use", "id": "t2", "name": "Task", "input": {"subagent_type": "reviewer", "prompt": "look"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": LONG + "2"}]}
    lines = [
        ("user", LONG, {}),
        ("assistant", [{"type": "thinking", "thinking": LONG + "0"}], {"id": "m1"}),
        ("assistant", [{"type": "text", "text": LONG + "1"}], {"id": "m1"}),
        ("assistant", [call, task], {"id": "m1"}),
        ("user", [result], {}),
        ("user", "look", {"side": True}),
        ("assistant", [{"type": "text", "text": "seen " + LONG}], {"id": "m2", "side": True}),
    ]
    rows: list[str] = []
    for number, (kind, content, more) in enumerate(lines):
        is_side = more.pop("side", False)
        parent = None if is_side and kind == "user" else f"u{number - 1}"
        fields: dict[str, Any] = {"type": kind, "uuid": f"u{number}", "parentUuid": parent, "sessionId": "s"}
        message = {"role": kind, "content": content, **more}
        at = f"2026-01-01T00:00:0{number}Z"
        rows.append(json.dumps({**fields, "isSidechain": is_side, "timestamp": at, "message": message}))
    rows.insert(3, "no json")
    path.write_bytes((b"\xef\xbb\xbf" if bom else b"") + "\n".join(rows).encode())
    return path


def spans(path: Path, kind: str) -> Path:
    """Three spans of a model, as lines, as a list, or as an OTLP document."""
    made = [
        {
            "traceId": "1", "spanId": f"s{n}", "name": "chat", "startTimeUnixNano": str(n), "endTimeUnixNano": str(n + 1),
            "attributes": [
                {"key": "openinference.span.kind", "value": {"stringValue": "LLM"}},
                {"key": "input.value", "value": {"stringValue": f"{n} asks {LONG}"}},
                {"key": "output.value", "value": {"stringValue": json.dumps({"role": "assistant", "content": f"{n} says {LONG}"})}},
            ],
        }
        for n in range(3)
    ]  # fmt: skip
    if kind == "lines":
        path.write_text("\n".join(map(json.dumps, made)))
    elif kind == "list":
        path.write_text(json.dumps(made))
    else:
        path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"scope": {"name": "x"}, "spans": made}]}]}))
    return path


def same(one: Run, other: Run) -> bool:
    """Whether two runs say the same."""
    events = [[getattr(event, name) for name in FIELDS] for event in one.events]
    return events == [[getattr(event, name) for name in FIELDS] for event in other.events] and (
        one.problems == other.problems and one.agents == other.agents and one.task == other.task
    )


def held(run: Run) -> int:
    """Characters of texts that the run's events hold themselves."""
    fields = [Event.__dict__[name] for name in ("text", "reasoning")]
    return sum(len(value) for event in run.events for field in fields if isinstance(value := field.__get__(event), str))


@pytest.mark.parametrize("bom", [False, True])
def test_a_session_read_thinly_says_the_same_and_holds_no_long_text(tmp_path: Path, *, bom: bool):
    path = session(tmp_path / "s.jsonl", bom=bom)
    whole, lean = open_run(path), open_run(path, thin=True)
    assert same(whole, lean)
    assert [agent.name for agent in lean.agents] == ["main", "reviewer"]
    assert held(whole) > 5 * len(LONG)
    assert held(lean) < len(LONG)
    assert all(isinstance(Event.__dict__["arguments"].__get__(e), thin_events.TextLocation) for e in lean.events if e.tool == "Write"
               and e.kind == "call")  # fmt: skip


@pytest.mark.parametrize("kind", ["lines", "list", "document"])
def test_spans_read_thinly_say_the_same(tmp_path: Path, kind: str):
    path = spans(tmp_path / ("s.jsonl" if kind == "lines" else "s.json"), kind)
    whole, lean = open_run(path), open_run(path, thin=True)
    assert len(whole.events) >= 6
    assert same(whole, lean)
    assert held(lean) < len(LONG) < held(whole)


def test_the_beginning_of_a_text_is_known_without_its_file(tmp_path: Path):
    path = session(tmp_path / "s.jsonl")
    lean = open_run(path, thin=True)
    path.unlink()
    assert lean.events[0].beginning(20) == LONG[:20]


@pytest.mark.parametrize("changed", [None, b"", b"{}" * 9_000, b"\xff" * 9_000])
def test_a_text_whose_file_has_changed_says_so(tmp_path: Path, changed: bytes | None):
    path = session(tmp_path / "s.jsonl")
    lean = open_run(path, thin=True)
    if changed is None:
        path.unlink()
    else:
        path.write_bytes(changed)
    assert "has changed" in lean.events[0].text
    assert "has changed" in str(next(e for e in lean.events if e.tool == "Write").arguments)


def test_a_text_that_is_set_is_that_text(tmp_path: Path):
    event = open_run(session(tmp_path / "s.jsonl"), thin=True).events[0]
    event.text, event.reasoning, event.arguments = "a", "b", {"c": 1}
    assert (event.text, event.reasoning, event.arguments) == ("a", "b", {"c": 1})


def test_without_a_wish_nothing_is_left_in_the_file(tmp_path: Path):
    assert not any(isinstance(event, thin_events.ThinEvent) for event in open_run(session(tmp_path / "s.jsonl")).events)


@pytest.mark.parametrize("kind", ["lines", "list", "document"])
def test_a_portion_of_spans_is_how_the_run_begins(tmp_path: Path, kind: str):
    path = spans(tmp_path / "t.json", kind)
    whole, part = open_run(path), Portion(path.stat().st_size * 2 // 3)
    begun = open_run(path, thin=part)
    assert part.is_cut
    assert 0 < len(begun.events) < len(whole.events)
    assert [event.text for event in begun.events] == [event.text for event in whole.events[: len(begun.events)]]


def test_a_portion_of_a_session_is_how_the_run_begins_and_a_larger_one_is_all_of_it(tmp_path: Path):
    path = session(tmp_path / "s.jsonl")
    heard: list[int] = []
    part, all_of_it = Portion(len(LONG) + 400), Portion(10**9, heard.append)
    begun, whole = open_run(path, thin=part), open_run(path, thin=all_of_it)
    assert (part.is_cut, all_of_it.is_cut) == (True, False)
    assert same(whole, open_run(path))
    assert [event.kind for event in begun.events] == [event.kind for event in whole.events[: len(begun.events)]]
    assert max(heard) < path.stat().st_size


def test_what_hears_of_the_reading_may_end_it(tmp_path: Path):
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_run(session(tmp_path / "s.jsonl"), thin=Portion(passed=stop))
