"""Recordings: written as a model answers, replayed byte for byte."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.model_port import Model, ModelError, Piece, Reasoning, Reply, Text, ToolCall
from dap_ai.agent.providers.base import ProviderError
from dap_ai.agent.providers.scripted import provider, recorded
from dap_ai.settings.configuration import Settings


class Fixed:
    """A model that always says the same pieces."""

    provider, name, notice = "fixed", "gpt-x", "a fixed answer"

    def __init__(self, *pieces: Piece) -> None:
        self.pieces = pieces

    def warm(self) -> None: ...

    async def close(self) -> None: ...

    async def stream(self, messages: Any, tools: Any):
        for piece in self.pieces:
            yield piece


def say(model: Model) -> list[Piece]:
    async def collect() -> list[Piece]:
        return [piece async for piece in model.stream([], [])]

    return asyncio.run(collect())


def as_it_is(value: Any) -> Any:
    return value


def replay(path: Path) -> Model:
    return provider(Settings(replay=str(path)), {})


@pytest.mark.parametrize(
    "pieces",
    [
        [Text("It "), Text("is 3 — ä."), Reply("It is 3 — ä.", [], "stop", 10, 2, 1, "gpt-x")],
        [Text("3"), Reply("3", finish="stop")],
        [
            Reasoning("hm"),
            Text("a"),
            Reasoning("m"),
            Reply("a", [ToolCall("c1", "stack", '{ "thread":1 }')], "tool_calls"),
        ],
        [Reply(calls=[ToolCall("c1", "evaluate", '{"expression": '), ToolCall("c2", "stack", "")], finish="length")],
        [Text("It is"), Text(" anew The sum"), Reply("The sum", finish="stop")],
    ],
)
def test_a_recording_replays_byte_for_byte(pieces: list[Piece], tmp_path: Path):
    file = tmp_path / "talk.jsonl"
    say(recorded(Fixed(*pieces), str(file), as_it_is))
    assert say(replay(file)) == pieces


def test_a_person_needs_to_write_text_and_calls_only(tmp_path: Path):
    file = tmp_path / "talk.jsonl"
    file.write_text('{"text": "Look."}\n\n{"calls": [{"name": "evaluate", "arguments": {"expression": "a"}}]}\n')
    model = replay(file)
    assert say(model) == [Text("Look."), Reply("Look.", finish="stop")]
    assert say(model) == [Reply(calls=[ToolCall("call_2_0", "evaluate", '{"expression":"a"}')], finish="tool_calls")]


def test_after_the_last_reply_it_says_how_many_there_were(tmp_path: Path):
    file = tmp_path / "talk.jsonl"
    file.write_text('{"text": "3"}')
    model = replay(file)
    say(model)
    with pytest.raises(ModelError, match="no further reply: it holds 1"):
        say(model)


@pytest.mark.parametrize("line", ["{", '{"txt": "typo"}', '{"text": 3}', "[]"])
def test_a_broken_line_is_named(line: str, tmp_path: Path):
    file = tmp_path / "talk.jsonl"
    file.write_text('{"text": "3"}\n' + line)
    with pytest.raises(ProviderError, match="line 2"):
        replay(file)


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(ProviderError, match=r"none\.jsonl"):
        replay(tmp_path / "none.jsonl")


def test_the_notice_says_that_it_is_a_recording(tmp_path: Path):
    file = tmp_path / "talk.jsonl"
    file.write_text('{"text": "3", "model": "gpt-5-mini"}')
    model = replay(file)
    assert "a recording answers (talk.jsonl)" in model.notice and model.name == "gpt-5-mini"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_recording_is_the_users_alone(tmp_path: Path):
    file = tmp_path / "new" / "talk.jsonl"
    say(recorded(Fixed(Reply("3")), str(file), as_it_is))
    assert file.stat().st_mode & 0o777 == 0o600


def test_where_nothing_can_be_written_is_said_before_anything_is_asked(tmp_path: Path):
    with pytest.raises(ProviderError, match="Nothing can be recorded"):
        recorded(Fixed(), str(tmp_path), as_it_is)


def test_a_reply_that_breaks_off_is_not_recorded(tmp_path: Path):
    file = tmp_path / "talk.jsonl"
    say(recorded(Fixed(Text("It ")), str(file), as_it_is))
    assert file.read_bytes() == b""


def test_a_reply_with_a_secret_is_recorded_masked_and_without_its_pieces(tmp_path: Path):
    file = tmp_path / "talk.jsonl"
    pieces = [
        Text("It is hunt"),
        Text("er2."),
        Reply("It is hunter2.", [ToolCall("c1", "evaluate", '"hunter2"')], "stop"),
    ]
    say(recorded(Fixed(*pieces), str(file), lambda text: text.replace("hunter2", "<secret:3f2a>")))
    assert "hunt" not in file.read_text()
    assert say(replay(file))[-1] == Reply(
        "It is <secret:3f2a>.", [ToolCall("c1", "evaluate", '"<secret:3f2a>"')], "stop"
    )
