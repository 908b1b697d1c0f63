"""Frames of code made from text are on the stack where `linecache` has the source, with line and values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.session_agent import SessionAgent
from dap_ai.settings.configuration import Settings
from tests.integration.live import live

pytestmark = pytest.mark.anyio


async def test_a_failure_in_generated_code_is_told_with_its_line_and_the_deciding_value(
    debuggee: Callable[..., Any], differing_python: Path
) -> None:
    name = "<attrs generated methods per_item>"  # debugpy takes all `<...>` for a library's, and this for its own
    program = debuggee("generated_source").path
    async with live(agent=SessionAgent(Settings())) as session:
        await session.launch(program, python=[str(differing_python)], args=[name])
        stop = await session.stopped()
        frames = (await session.request("stackTrace", {"threadId": stop["threadId"]}))["stackFrames"]
        assert [(frame["name"], frame["line"]) for frame in frames[:1]] == [("per_item", 3)]
        assert [frame["name"] for frame in frames[1:]] == ["main", "<module>"]

        await session.request("ask", {"question": ""})
        ended = await session.event("askEnded")

        answer = ended["answer"]
        assert answer.split("\n")[0] == f"The divisor `rest` is `0` at `{name}:3`."
        assert f"`{name}:2` in `per_item` sets `rest`: `rest = count - 3`" in answer
        assert "Set a breakpoint at `<" not in answer and "fails at another line" not in answer
        assert ended["fixes"] == []
