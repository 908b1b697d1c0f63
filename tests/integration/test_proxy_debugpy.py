"""The proxy before the real debugpy: stops, asks, follow-ups, cancels, states, death of either side."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.wire.errors import RequestFailed
from tests.integration.inspector_client import DEBUGGEES
from tests.integration.live import WAIT_S, Live, live

pytestmark = pytest.mark.anyio
Find = Callable[..., Any]


async def ended(session: Any) -> dict[str, Any]:
    return await session.event("askEnded")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def crashed() -> AsyncIterator[Live]:
    """One session for all tests that only ask about a program which has failed."""
    async with live() as session:
        await session.launch(DEBUGGEES / "crash.py")
        await session.stopped()
        yield session


@pytest.fixture(scope="module")
async def running() -> AsyncIterator[Live]:
    """One whose program runs."""
    async with live() as session:
        await session.launch(DEBUGGEES / "runs_on.py")
        await session.event("process")
        yield session


async def test_an_exception_stops_the_program_and_an_ask_reads_it(crashed: Live):
    reasons = [m["body"]["reason"] for m in crashed.to_client if m.get("event") == "stopped"]
    assert reasons == ["exception"]
    reply = await crashed.request("ask", {"question": "why?"})
    end = await ended(crashed)
    assert (end["askId"], end["reason"], end["stale"]) == (reply["askId"], "completed", False)
    assert "frames" in end["answer"]


async def test_the_greeting_cures_debugpy_of_its_delay(crashed: Live):
    greeting = next(m for m in crashed.to_backend if m.get("command") == "evaluate")
    answer = next(m for m in crashed.from_backend if m.get("request_seq") == greeting["seq"])
    assert answer["success"]
    assert all(m.get("request_seq") != greeting["seq"] or m["command"] != "evaluate" for m in crashed.to_client)


async def test_cancel_ends_an_ask_and_the_session_is_usable(crashed: Live):
    crashed.echo.go_on.clear()
    reply = await crashed.request("ask", {"question": "why?"})
    await crashed.request("cancel", {"progressId": reply["askId"]})
    assert (await ended(crashed))["reason"] == "cancelled"
    assert (await crashed.request("threads"))["threads"]
    crashed.echo.go_on.set()


async def test_two_conversations_are_answered_side_by_side(crashed: Live):
    one = await crashed.request("ask", {"question": "one"})
    two = await crashed.request("ask", {"question": "two"})
    ends = [await ended(crashed), await ended(crashed)]
    assert {end["askId"] for end in ends} == {one["askId"], two["askId"]}
    assert all(end["reason"] == "completed" for end in ends)


async def test_a_step_in_the_middle_of_an_ask_makes_it_stale(debuggee: Find):
    program = debuggee("steps")
    async with live() as session:
        await session.launch(program.path, lines=(program.line,))
        stop = await session.stopped()
        session.echo.go_on.clear()
        await session.request("ask", {"question": "why?"})
        while not any(m.get("command") == "stackTrace" for m in session.from_backend):
            await asyncio.sleep(0.01)
        await session.request("next", {"threadId": stop["threadId"]})
        await session.stopped()
        session.echo.go_on.set()
        assert (await ended(session))["reason"] == "notStopped"
        await session.request("ask", {"question": "again?"})
        assert (await ended(session))["reason"] == "completed"


async def test_asks_while_running_and_after_the_end_say_what_to_do(debuggee: Find):
    async with live() as session:
        await session.launch(debuggee("runs_on").path)
        await session.event("process")
        with pytest.raises(RequestFailed, match="pause it first"):
            await session.request("ask", {"question": "why?"})
        pid = next(m["body"]["systemProcessId"] for m in session.to_client if m.get("event") == "process")
        os.kill(pid, signal.SIGKILL)
        await session.event("terminated")
        with pytest.raises(RequestFailed, match="has ended"):
            await session.request("ask", {"question": "why?"})


async def test_a_follow_up_after_the_end_is_taken(debuggee: Find):
    async with live() as session:
        await session.launch(debuggee("crash").path)
        stop = await session.stopped()
        first = await session.request("ask", {"question": "why?"})
        await ended(session)
        await session.request("continue", {"threadId": stop["threadId"]})
        await session.event("terminated")
        await session.request("ask", {"question": "and?", "conversationId": first["conversationId"]})
        assert (await ended(session))["answer"] == "nothing is stopped"


@pytest.mark.parametrize(
    "command",
    ["cancel", "loadedSources", "readMemory", "writeMemory", "disassemble", "breakpointLocations",
     "dataBreakpointInfo", "setDataBreakpoints", "setInstructionBreakpoints", "restart", "restartFrame", "stepBack",
     "reverseContinue", "terminateThreads", "runInTerminal", "exceptionInfo"],
)  # fmt: skip
async def test_no_request_that_wedges_debugpy_wedges_the_session(command: str, running: Live):
    message = await asyncio.wait_for(running.client.send(command, {"threadId": 1}), WAIT_S)
    assert message.success == (command == "cancel")
    assert (await running.request("threads"))["threads"]


async def test_the_adapters_death_answers_everything_and_ends_the_ask(debuggee: Find):
    async with live() as session:
        await session.launch(debuggee("crash").path)
        await session.stopped()
        session.echo.go_on.clear()
        await session.request("ask", {"question": "why?"})
        psutil.Process(session.processes[0].pid).suspend()
        pending = session.client.send("threads")
        session.processes[0]._transport.kill()
        message = await asyncio.wait_for(pending, WAIT_S)
        assert not message.success
        assert (await ended(session))["reason"] == "failed"
        assert (await session.event("terminated"))["event"] == "terminated"
        with pytest.raises(RequestFailed, match="has ended"):
            await session.request("threads")
        await session.request("disconnect")


async def test_a_dead_client_leaves_no_process_behind(debuggee: Find):
    session_context = live()
    session = await session_context.__aenter__()
    await session.launch(debuggee("runs_on").path)
    process = await session.event("process")
    session.client._link.close()
    await asyncio.wait_for(session._task, WAIT_S)
    await asyncio.wait_for(asyncio.to_thread(_gone, process["systemProcessId"]), WAIT_S)
    await session_context.__aexit__(None, None, None)


def _gone(pid: int) -> None:
    try:
        psutil.Process(pid).wait(WAIT_S)
    except psutil.NoSuchProcess:
        return


async def test_attach_to_a_port_asks_and_lets_the_program_go_on(debuggee: Find):
    program = subprocess.Popen([sys.executable, str(debuggee("listens").path)], stdout=subprocess.PIPE)
    try:
        port = int(program.stdout.readline().split()[-1])
        async with live() as session:
            await session.start("attach", {"connect": {"host": "127.0.0.1", "port": port}})
            stop = await session.stopped()
            await session.request("ask", {"question": "why?"})
            assert (await ended(session))["reason"] == "completed"
            await session.request("continue", {"threadId": stop["threadId"]})
            await session.request("disconnect", {"terminateDebuggee": False})
        assert program.wait(WAIT_S) == 1
    finally:
        program.kill()
        program.wait()
        program.stdout.close()


async def test_attach_to_a_port_where_nothing_listens_says_so():
    async with live() as session:
        message = await asyncio.wait_for(session.client.send("attach", {"connect": {"port": 9}}), WAIT_S)
        assert b"There is nothing to attach to at 127.0.0.1:9" in message.content


async def test_attach_to_a_process_that_is_not_there_says_so():
    async with live() as session:
        message = await asyncio.wait_for(session.client.send("attach", {"processId": 2**22 + 1}), WAIT_S)
        assert b"There is no process" in message.content


async def test_attach_by_process_id_stops_a_running_program_and_lets_it_go(debuggee: Find):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, str(debuggee("waits").path)], **pipes) as program:
        program.stdout.readline()
        async with live() as session:
            await session.start("attach", {"processId": program.pid})
            await session.request("pause", {"threadId": 1})
            stop = await session.stopped()
            await session.request("ask", {"question": "where is it?"})
            assert (await ended(session))["reason"] == "completed"
            await session.request("continue", {"threadId": stop["threadId"]})
            await session.request("disconnect", {"terminateDebuggee": False})
        output, _ = await asyncio.to_thread(program.communicate, b"\n", WAIT_S)
        assert output.split() == [b"stopped"]


async def test_a_child_process_is_offered_to_the_client_and_nothing_waits_for_it(debuggee: Find):
    async with live() as session:
        await session.launch(debuggee("forks").path, subProcess=True)
        child = await session.event("debugpyAttach")
        assert child["connect"]["port"]
        assert (await asyncio.wait_for(session.request("threads"), 1))["threads"]


async def test_a_debuggee_that_is_killed_ends_the_ask_and_the_session(debuggee: Find):
    async with live() as session:
        await session.launch(debuggee("crash").path)
        process = await session.event("process")
        await session.stopped()
        session.echo.go_on.clear()
        await session.request("ask", {"question": "why?"})
        psutil.Process(process["systemProcessId"]).kill()
        end = await session.event("askEnded", "terminated")
        if end["event"] == "terminated":
            session.echo.go_on.set()
            end = await ended(session)
        assert end["reason"] in {"notStopped", "failed"}  # whether the agent was reading just then


async def test_a_python_that_is_not_there_is_named(debuggee: Find):
    async with live() as session:
        arguments = {"program": str(debuggee("crash").path), "python": "/no/such/python"}
        message = await asyncio.wait_for(session.client.send("launch", arguments), WAIT_S)
        assert b"/no/such/python" in message.content


async def test_a_debuggee_may_run_another_python(debuggee: Find, debuggee_python):
    async with live() as session:
        await session.launch(debuggee("crash").path, python=str(debuggee_python))
        assert (await session.stopped())["reason"] == "exception"
        await session.request("ask", {"question": "why?"})
        assert (await ended(session))["reason"] == "completed"


async def test_a_console_question_streams_into_the_console(debuggee: Find):
    async with live() as session:
        await session.launch(debuggee("crash").path)
        stop = await session.stopped()
        frame = await session.top_frame(stop["threadId"])
        reply = await session.request("evaluate", {"expression": "?? why", "context": "repl", "frameId": frame})
        assert reply == {"result": "dap-ai-ask-1: why", "variablesReference": 0}
        while "frames" not in session.output("console"):
            await asyncio.sleep(0.01)
        assert not any(m.get("event", "").startswith("ask") for m in session.to_client)


async def test_a_message_of_the_program_that_is_no_unicode_stops_it_all_the_same(debuggee: Find):
    async with live() as session:
        await session.launch(debuggee("surrogate").path)
        assert (await session.stopped())["reason"] == "exception"


class SlowReader:
    """An agent whose only read lasts until `go_on` exists: longer than debugpy waits before it warns the user."""

    def __init__(self, go_on: Path) -> None:
        self._go_on = str(go_on)

    async def answer(self, _ask: Any, debugger: Any, _sink: Any) -> Answer:
        frames = await debugger.request("stackTrace", {"threadId": debugger.stop.thread_id})
        until = f"iter(lambda: __import__('os').path.exists({self._go_on!r}), True)"
        expression = f"[__import__('time').sleep(0.02) for _ in {until}]"
        slow = {"expression": expression, "frameId": frames["stackFrames"][0]["id"]}
        await debugger.request("evaluate", slow | {"context": "hover"})
        return Answer()

    async def close(self) -> None:
        pass


async def test_debugpys_warning_of_a_slow_evaluation_of_the_agents_does_not_reach_the_user(
    debuggee: Find, tmp_path: Path
):
    go_on = tmp_path / "go_on"
    async with live(agent=SlowReader(go_on)) as session:
        await session.launch(debuggee("crash").path, env={"PYDEVD_WARN_EVALUATION_TIMEOUT": "0.1"})
        await session.stopped()
        await session.request("ask", {"question": "why?"})
        until = time.monotonic() + WAIT_S
        while not any(m.get("body", {}).get("category") == "important" for m in session.from_backend):
            assert time.monotonic() < until, "debugpy has not warned"
            await asyncio.sleep(0.01)
        go_on.touch()
        await ended(session)
        assert not session.output("important")
