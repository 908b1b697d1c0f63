"""A recorded run behind the real proxy, in processes of their own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from dap_ai.commands.wiring import proxy_of
from dap_ai.debuggees.runs.adapter.read_only import READ_ONLY
from dap_ai.debuggees.runs.adapter.recipe import backend
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.settings.configuration import Resolved, Settings
from tests.patience import patient

pytestmark = pytest.mark.anyio
RUN = Path(__file__).parent.parent / "unit/debuggees/runs/samples/mini-swe-agent"


@pytest.fixture
def recorded() -> Path:
    return next(path for path in sorted(RUN.iterdir()) if path.name.endswith(".json"))


async def open_client():
    return await proxy_of(Resolved(Settings(backend="agents"), {})).open_in_process()


async def test_a_run_is_stepped_through_and_leaves_no_document(recorded: Path):
    client = await open_client()
    try:
        with anyio.fail_after(patient(30)):
            await client.initialize("agents")
            await client.request("launch", {"run": str(recorded)})
            await client.request("configurationDone")
            assert (await client.wait_event("stopped"))[1]["reason"] == "entry"
            frame = (await client.request("stackTrace", {"threadId": 1}))["stackFrames"][0]
            document = Path(frame["source"]["path"])
            assert document.read_text(encoding="utf-8").splitlines()[frame["line"] - 1]
            await client.request("stepIn", {"threadId": 1})
            assert (await client.wait_event("stopped"))[1]["reason"] == "step"
            after = (await client.request("stackTrace", {"threadId": 1}))["stackFrames"][0]
            assert after["line"] == frame["line"] + 1
            await client.request("disconnect", {})
    finally:
        await client.close()
    with anyio.fail_after(patient(10)):
        while document.exists():
            await anyio.sleep(0.05)


async def test_a_large_run_is_opened_by_its_beginning_and_read_on_to_its_end(tmp_path: Path):
    path, count = tmp_path / "session.jsonl", 3_000
    fields = {"type": "user", "sessionId": "s", "isSidechain": False, "timestamp": "2026-01-01T00:00:00Z"}
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            said = {"role": "user", "content": f"{number} " + "all of it " * 600}
            file.write(json.dumps({**fields, "uuid": f"u{number}", "message": said}) + "\n")
    client = await open_client()
    try:
        with anyio.fail_after(patient(60)):
            await client.initialize("agents")
            await client.request("launch", {"run": str(path)})
            await client.request("configurationDone")
            await client.wait_event("stopped")
            frame = (await client.request("stackTrace", {"threadId": 1}))["stackFrames"][0]
            assert " steps in the first 2 of 18 MB" in Path(frame["source"]["path"]).read_text(encoding="utf-8")
            await client.request("continue", {"threadId": 1})
            assert (await client.wait_event("stopped"))[1]["description"] == "the end of the run"
            frame = (await client.request("stackTrace", {"threadId": 1}))["stackFrames"][0]
            last = Path(frame["source"]["path"]).read_text(encoding="utf-8").splitlines()
            assert (frame["source"]["name"], len(last)) == ("run-2.md", frame["line"])
            assert (await client.request("evaluate", {"expression": "index", "context": "repl"}))["result"] == str(
                count - 1
            )
            await client.request("disconnect", {})
    finally:
        await client.close()


@pytest.mark.parametrize("command", READ_ONLY)
async def test_what_would_change_the_past_is_refused_in_the_adapters_words(recorded: Path, command: str):
    client = await open_client()
    try:
        with anyio.fail_after(patient(30)):
            await client.initialize("agents")
            await client.request("launch", {"run": str(recorded), "stopAt": 2})
            await client.request("configurationDone")
            await client.wait_event("stopped")
            with pytest.raises(RequestFailed) as refused:
                await client.request(command, {"frameId": 1, "variablesReference": 1, "name": "x", "value": "1"})
            assert "recorded: read-only" in refused.value.user_text
    finally:
        await client.close()


async def test_it_stops_where_its_filters_and_function_breakpoints_say(recorded: Path):
    client = await open_client()
    try:
        with anyio.fail_after(patient(30)):
            announced = await client.initialize("agents")
            assert "failedCheckIgnored" in {each["filter"] for each in announced["exceptionBreakpointFilters"]}
            await client.request("launch", {"run": str(recorded), "stopAt": "breakpoint"})
            await client.request("setExceptionBreakpoints", {"filters": ["result"]})
            asked = {"breakpoints": [{"name": "tool:bash", "hitCondition": "2"}]}
            (made,) = (await client.request("setFunctionBreakpoints", asked))["breakpoints"]
            await client.request("configurationDone")
            assert (await client.wait_event("stopped"))[1]["description"] == "After a tool"
            await client.request("continue", {"threadId": 1})
            assert (await client.wait_event("stopped"))[1]["hitBreakpointIds"] == [made["id"]]
    finally:
        await client.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_a_terminated_adapter_leaves_no_document(recorded: Path):
    with subprocess.Popen(backend.command().argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        body = json.dumps(
            {"seq": 1, "type": "request", "command": "launch", "arguments": {"run": str(recorded)}}
        ).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        process.stdin.write(
            b"Content-Length: 60\r\n\r\n" + b'{"seq":2,"type":"request","command":"loadedSources"}'.ljust(60)
        )
        process.stdin.flush()
        said = b""
        while not (told := re.search(rb'"path":"([^"]+)"', said)):
            said += process.stdout.read1(4096)
        document = Path(told[1].decode())
        assert document.exists()
        process.terminate()
        assert process.wait(patient(30)) == 0
        assert not document.parent.exists()


async def test_a_path_without_a_run_is_refused_in_words(tmp_path: Path):
    client = await open_client()
    try:
        with anyio.fail_after(patient(30)):
            await client.initialize("agents")
            with pytest.raises(RequestFailed, match="there"):
                await client.request("launch", {"run": str(tmp_path / "none.json")})
    finally:
        await client.close()


def test_the_adapter_runs_with_this_python():
    assert backend.command().argv[0] == sys.executable
