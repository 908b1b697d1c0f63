"""Steps back in the real program, by a real copy of it: on every Python; the program itself notices nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.agent.session_agent import SessionAgent
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.settings.configuration import Settings
from tests.integration.live import Live, live

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="snapshots need Linux")]


async def moved(session: Live, request: str, **more: Any) -> tuple[list[str], dict[str, str]]:
    """The stack and the locals after a move, as an editor reads them."""
    await session.request(request, {"threadId": session.thread_id, **more})
    session.stop = await session.stopped()
    return await shown(session)


async def shown(session: Live) -> tuple[list[str], dict[str, str]]:
    frames = (await session.request("stackTrace", {"threadId": session.thread_id}))["stackFrames"]
    session.frame_id = frames[0]["id"]
    scopes = (await session.request("scopes", {"frameId": session.frame_id}))["scopes"]
    rows = await session.request("variables", {"variablesReference": scopes[0]["variablesReference"]})
    return (
        [f"{frame['name']}:{frame['line']}" for frame in frames],
        {row["name"]: row["value"] for row in rows["variables"]},
    )


async def value(session: Live, expression: str) -> str:
    arguments = {"expression": expression, "frameId": session.frame_id, "context": "watch"}
    return (await session.request("evaluate", arguments))["result"]


async def begun(session: Live, program: Any, lines: tuple[int, ...], python: Path) -> None:
    await session.launch(program.path, lines, python=[str(python)])
    session.stop = await session.stopped()
    session.thread_id = session.stop["threadId"]


async def test_an_editor_steps_back_and_forward_through_a_copy_and_the_program_goes_on_as_if_nothing_had_been(
    debuggee: Callable[..., Any], differing_python: Path
) -> None:
    program = debuggee("past")
    text = program.path.read_text(encoding="utf-8").splitlines()
    line = {words: 1 + next(at for at, row in enumerate(text) if words in row) for words in ("return LIMITS", "if left",
            "self.balance +=", "return account", "total < 0", "remember(log, step)")}  # fmt: skip
    async with live(agent=SessionAgent(Settings())) as session:
        await begun(session, program, (line["return LIMITS"], line["self.balance +="]), differing_python)
        for _ in range(7):
            await session.request("continue", {"threadId": session.thread_id})
            await session.stopped()
        sent = len(session.to_backend)

        stack, names = await moved(session, "stepBack")
        assert (stack[0], names["left"]) == (f"down:{line['if left']}", "-1")
        assert session.stop["reason"] == "step" and "in the past" in session.stop["description"]
        stack, _ = await moved(session, "reverseContinue")
        assert stack[:2] == [f"move:{line['self.balance +=']}", f"settle:{line['remember(log, step)'] - 1}"]
        assert session.stop["reason"] == "breakpoint"
        assert [await value(session, "self.balance"), await value(session, "amount")] == ["2", "-4"]
        assert [await value(session, "past_state.seen.clear()"), await value(session, "len(past_state.seen)")] == [
            "None",
            "6",
        ]
        stack, names = await moved(session, "stepOut")
        assert (stack[0], names["total"]) == (f"settle:{line['remember(log, step)']}", "-7")
        stack, _ = await moved(session, "stepBack", dapAiInto=True)
        assert stack[0] == f"move:{line['self.balance +='] + 1}"
        with pytest.raises(RequestFailed, match="nothing can be changed"):
            await session.request("setVariable", {"variablesReference": 1 << 30, "name": "amount", "value": "1"})
        stack, _ = await moved(session, "continue")
        assert (stack[0], session.stop["reason"]) == (f"down:{line['return LIMITS']}", "breakpoint")
        moves = {message.get("command") for message in session.to_backend[sent:]} - {"evaluate", "stackTrace", "source"}
        assert moves <= {"scopes", "variables", "threads"}
        assert await value(session, "past_state.seen") == "[2, 1, 0, -1, -2, -3, -4]"
        await session.request("continue", {"threadId": session.thread_id})
        assert (await session.event("exited"))["exitCode"] == 0


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import time\nnow = time.perf_counter_ns()\nend = now\n", "does not come here with the same values"),
        ("import threading as t\nx = t.Thread(target=print)\nx.start(); x.join()\nend = 1\n", "starts a thread"),
    ],
)
async def test_where_the_program_cannot_be_run_again_a_sentence_says_why(tmp_path: Path, source: str, why: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    async with live(agent=SessionAgent(Settings())) as session:
        await session.launch(path, (len(source.splitlines()),), console="internalConsole")
        thread_id = (await session.stopped())["threadId"]
        with pytest.raises(RequestFailed, match=why):
            await session.request("stepBack", {"threadId": thread_id})
