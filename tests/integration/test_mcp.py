"""`dap-ai mcp` as a coding agent uses it: the SDK's own client over stdio, the real command, real debuggees."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from dap_ai.commands.mcp.mcp_contract import TOOLS
from tests.e2e.test_join import PROGRAM, WAIT_S, Editor, a_place, editors
from tests.patience import at_worst
from tests.processes import command_line, running

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")]
ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "dap_ai", "mcp"]
MOST_BYTES = 1500
SECRET = "t7Rk2mQ9vX4z"
LOGS_IN = f"""\
def log_in(password, tries):
    return tries / len(password.split("Q9")[2:])


log_in(password="{SECRET}", tries=3)
"""
REPORTS = """\
import traceback

def f(x):
    try:
        return 1 / x
    except ZeroDivisionError:
        traceback.print_exc()
        raise SystemExit(1) from None

f(0)
"""
UNIT_TEST = """\
import unittest


class Test(unittest.TestCase):
    def test_none(self):
        self.assertEqual(None + 1, 1)
"""
WAITS = "import time\nprint('ready', flush=True)\nwhile True:\n    time.sleep(0.05)\n"


@contextlib.asynccontextmanager
async def server(cwd: Path) -> AsyncIterator[ClientSession]:
    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=cwd, env=dict(os.environ))
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


async def told(client: ClientSession, tool: str, /, **arguments: Any) -> str:
    result = await asyncio.wait_for(client.call_tool(tool, arguments), at_worst(60.0))
    assert not result.is_error, result.content
    return result.content[0].text


async def refused(client: ClientSession, tool: str, /, **arguments: Any) -> str:
    result = await asyncio.wait_for(client.call_tool(tool, arguments), at_worst(60.0))
    assert result.is_error, result.content
    return result.content[0].text


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with a_place(monkeypatch) as place:
        yield place


async def test_one_crash_is_understood_in_one_call(place: Path):
    steps: list[str] = []

    async def step(_done: float, _of: float | None, message: str | None) -> None:
        steps.append(message or "")

    async with server(ROOT / "examples") as session:
        names = [tool.name for tool in (await session.list_tools()).tools]
        assert names == list(TOOLS)
        arguments = {"question": "why did it crash?", "program": "resampling.py"}
        result = await session.call_tool("ask", arguments, progress_callback=step)
        answer = result.content[0].text
        assert len(answer.encode()) <= MOST_BYTES
        assert "AssertionError" in answer
        assert "resampling.py:15" in answer
        assert "+        estimates.append(statistic(resample))" in answer
        assert "Verified in a snapshot" in answer
        assert any(line.startswith("offline: no language model") for line in steps)
        # What came of it is there for more.
        assert "**Run again.**" in await told(session, "ask", question="", more=True)
        seen = await told(session, "look")
        assert "#0 main" in seen and "low = 6" in seen
        assert "`low + high` evaluates to `12`" in await told(session, "evaluate", expression="low + high")
        edit = {
            "file": "resampling.py",
            "first": 15,
            "last": 15,
            "text": "        estimates.append(statistic(resample))",
        }
        assert "Verified in a snapshot" in await told(session, "try_fix", edits=[edit])
        assert "median" in await told(session, "trace", expression="median([1, 2, 3])")
        assert "s1 (resampling.py): started here" in await told(session, "sessions")
        assert await told(session, "stop") == "s1 (resampling.py) has ended."


async def test_a_humans_stop_is_joined_and_left_as_it_was(place: Path, tmp_path: Path):
    with editors(tmp_path) as open_editor:
        ed: Editor = await open_editor(PROGRAM, 2)
        stop = await ed.event("stopped")
        (frame, *_) = (await ed.request("stackTrace", threadId=stop["threadId"]))["stackFrames"]
        scopes = (await ed.request("scopes", frameId=frame["id"]))["scopes"]
        reference = scopes[0]["variablesReference"]
        before = await ed.request("variables", variablesReference=reference)
        ed.events.clear()
        async with server(tmp_path) as session:
            assert "shares.py" in await told(session, "ask", question="where is it, and what is total?")
            assert "`total` evaluates to `10`" in await told(session, "evaluate", expression="total")
            assert "people = 5" in await told(session, "look")
            assert "There is no session of this server to stop" in await refused(
                session, "stop", session=(await _ids(session))[0]
            )
        assert set(ed.events) <= {"module"}  # debugpy's own, for each file of a stack that is read
        assert await ed.request("variables", variablesReference=reference) == before
        assert (await ed.request("evaluate", expression="total + 1", frameId=frame["id"]))["result"] == "11"
        await ed.request("continue", threadId=stop["threadId"])
        assert (await ed.event("stopped"))["reason"] == "breakpoint"


async def _ids(session: ClientSession) -> list[str]:
    return re.findall(r"^(\w+)", await told(session, "sessions"), re.MULTILINE)


async def test_a_humans_program_that_goes_on_is_followed(place: Path, tmp_path: Path):
    with editors(tmp_path) as open_editor:
        ed: Editor = await open_editor(PROGRAM, 2)
        stop = await ed.event("stopped")
        async with server(tmp_path) as session:
            assert "`people` evaluates to `5`" in await told(session, "evaluate", expression="people")
            await ed.request("continue", threadId=stop["threadId"])
            await ed.event("stopped")
            assert "`people` evaluates to `0`" in await told(session, "evaluate", expression="people")
            await ed.request("disconnect", terminateDebuggee=True)
            await ed.client.close()
            assert "No session is stopped" in await refused(session, "ask", question="why?")


async def test_where_two_could_be_meant_it_is_asked_which(place: Path, tmp_path: Path):
    with editors(tmp_path) as open_editor:
        ed: Editor = await open_editor(PROGRAM, 2)
        await ed.event("stopped")
        async with server(ROOT / "examples") as session:
            await told(session, "start", program="weather.py")
            assert "Which session? s1 (weather.py) was started here" in await refused(session, "ask", question="why?")
            assert "shares.py" in await told(session, "ask", question="why?", session="shares.py")
            assert "KeyError" in await told(session, "ask", question="why?", session="s1")


async def test_a_secret_reaches_no_client_in_any_form(place: Path, tmp_path: Path):
    (tmp_path / "logs_in.py").write_text(LOGS_IN)
    async with server(tmp_path) as session:
        answers = [
            await told(session, "ask", question="why did it crash?", program="logs_in.py"),
            await told(session, "ask", question="evaluate password[::-1]"),
            await told(session, "ask", question="", more=True),
            await told(session, "look"),
            await told(session, "evaluate", expression="password"),
            await told(session, "evaluate", expression="password[::-1]"),
            await told(session, "trace", expression="password.split('Q9')"),
        ]
    text = "\n".join(answers)
    assert "ZeroDivisionError" in text
    assert "<secret:" in text
    assert SECRET not in text and SECRET[::-1] not in text
    assert "Q9vX4z" not in text


async def test_what_cannot_be_is_said_in_a_sentence_that_says_what_to_do(place: Path, tmp_path: Path):
    (tmp_path / "exits.py").write_text("import sys\nprint('bye')\nsys.exit(3)\n")
    async with server(tmp_path) as session:
        assert "`ask` with `program` runs one" in await refused(session, "ask", question="why?")
        assert "there is no file" in await refused(session, "ask", question="why?", program="none.py")
        assert "no line 9" in await refused(session, "start", program="exits.py", breakpoints=["exits.py:9"])
        assert "There is no folder" in await refused(session, "start", program="exits.py", cwd="away")
        assert "is no recorded run" in await refused(session, "run_ask", path="exits.py")
        assert "There is no tool step" in await refused(session, "step")
        ended = await told(session, "start", program="exits.py")
        assert "exit code 3" in ended and "bye" in ended and "exceptions: " in ended
        assert "dap-ai serve" in await told(session, "sessions")


async def test_a_program_that_does_not_end_is_paused_and_asked_about(place: Path, tmp_path: Path):
    (tmp_path / "waits.py").write_text(WAITS)
    async with server(tmp_path) as session:
        answer = await told(session, "ask", question="why does it hang?", program="waits.py", seconds=1)
        assert "It had not stopped after 1 s" in answer
        assert "waits.py:3" in answer


async def test_a_failing_test_of_pytest_is_a_crash_too(place: Path, tmp_path: Path):
    (tmp_path / "test_price.py").write_text("def test_price():\n    order = {'prize': 2}\n    assert order['price']\n")
    async with server(tmp_path) as session:
        answer = await told(session, "ask", question="why?", program="-m pytest", args=["-q", "test_price.py"])
        assert "KeyError" in answer and "test_price.py:3" in answer


async def test_what_a_program_reports_itself_is_told_with_what_would_stop_it(place: Path, tmp_path: Path):
    (tmp_path / "reports.py").write_text(REPORTS)
    (tmp_path / "test_none.py").write_text(UNIT_TEST)
    async with server(tmp_path) as session:
        assert "ZeroDivisionError at reports.py:5 was caught" in await told(session, "start", program="reports.py")
        answer = await told(session, "ask", question="why?", program="reports.py", exceptions=["raised"])
        assert "`x` is `0`" in answer
        uncaught = {"program": "-m unittest", "args": ["test_none"], "exceptions": ["uncaught"]}
        assert "test_none.py:6" in await told(session, "ask", question="why?", **uncaught)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler")
async def test_a_native_program_is_compiled_run_and_asked_about(place: Path):
    async with server(ROOT / "examples" / "native") as session:
        answer = await told(session, "ask", question="why?", program="average_wait.c")
        assert "SIGFPE" in answer and "average_wait.c:14" in answer
        assert len(answer.encode()) <= MOST_BYTES


async def test_a_recorded_run_is_opened_and_asked_about(place: Path):
    async with server(ROOT / "examples" / "runs") as session:
        assert "Opened as s1" in await told(session, "run_open", path="discount.traj.json")
        answer = await told(session, "run_ask", question="where did it go wrong?")
        assert "step 4" in answer and len(answer.encode()) <= MOST_BYTES


# -- the end ------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def held(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[psutil.Process]]]:
    """A server that holds a stopped program, spoken to by bytes; and all that it has started."""
    (tmp_path / "fails.py").write_text("import sys\nmark = 1\n1 / 0\n")
    process = subprocess.Popen(COMMAND, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        _say(
            process,
            1,
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "t", "version": "1"},
        )
        _heard(process, 1)
        _say(process, 0, "notifications/initialized")
        _say(process, 2, "tools/call", name="start", arguments={"program": "fails.py"})
        assert "ZeroDivisionError" in json.dumps(_heard(process, 2))
        yield process, psutil.Process(process.pid).children(recursive=True)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe
            pipe.close()


def _say(process: subprocess.Popen[bytes], number: int, method: str, **params: Any) -> None:
    assert process.stdin
    message = {"jsonrpc": "2.0", "method": method, "params": params, **({"id": number} if number else {})}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def _heard(process: subprocess.Popen[bytes], number: int) -> dict[str, Any]:
    assert process.stdout
    while line := process.stdout.readline():
        if (message := json.loads(line)).get("id") == number:
            return message
    raise AssertionError("the server has ended")


def _all_end(processes: list[psutil.Process]) -> bool:
    return not psutil.wait_procs(processes, timeout=at_worst(15.0))[1]


def test_a_client_that_is_gone_leaves_no_process(place: Path, tmp_path: Path):
    with held(tmp_path) as (process, started):
        assert len(started) >= 2
        assert process.stdin
        process.stdin.close()
        assert process.wait(WAIT_S) == 0
        assert _all_end(started)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_is_ended_leaves_no_process(place: Path, tmp_path: Path, number: signal.Signals):
    with held(tmp_path) as (process, started):
        process.send_signal(number)
        process.wait(WAIT_S)
        assert _all_end(started)


def test_a_client_that_goes_while_a_program_starts_leaves_no_process(place: Path, tmp_path: Path):
    (tmp_path / "waits.py").write_text(WAITS)
    with held(tmp_path) as (process, _):
        _say(process, 3, "tools/call", name="start", arguments={"program": "waits.py", "seconds": 60})
        own = psutil.Process(process.pid)
        while not any("waits.py" in " ".join(command_line(child)) for child in own.children(recursive=True)):
            time.sleep(0.01)
        started = running(own.children(recursive=True))
        assert process.stdin
        process.stdin.close()
        assert process.wait(WAIT_S) == 0
        assert _all_end(started)
