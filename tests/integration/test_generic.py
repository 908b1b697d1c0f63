"""Real adapters that dap_ai has no recipe for, behind `dap-ai serve`: lldb-dap of two ages and gdb."""

from __future__ import annotations

import asyncio
import shlex
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import DapClient
from tests.integration import native
from tests.integration.test_serve import connect, listening
from tests.patience import at_worst
from tests.processes import end_tree

pytestmark = pytest.mark.anyio
WAIT_S = at_worst(30.0)
ANSWERED_S = at_worst(10.0)
ADAPTERS = ("lldb-dap 19", "lldb-dap 23", "gdb")
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(params=ADAPTERS)
def argv(request: pytest.FixtureRequest) -> list[str]:
    """Each adapter's command line in turn."""
    return native.need(request.param)


async def opened(start_dap_ai: Start, *more: str) -> DapClient:
    """A client of a `dap-ai serve` of its own."""
    _, port = listening(start_dap_ai, *more)
    return await connect(port)


async def begin(client: DapClient, command: str, arguments: dict[str, Any], source: str = "", line: int = 0) -> Any:
    """From `initialize` to the first stop, whose body it gives."""
    await client.initialize("native")
    started = client.send(command, arguments)
    await asyncio.wait_for(client.wait_event("initialized"), WAIT_S)
    if source:
        path = {"path": str(native.SOURCES / f"{source}.c")}
        await client.request("setBreakpoints", {"source": path, "breakpoints": [{"line": line}]}, WAIT_S)
    await client.request("configurationDone", {}, WAIT_S)
    assert (await asyncio.wait_for(started, WAIT_S)).success
    return (await asyncio.wait_for(client.wait_event("stopped"), WAIT_S))[1]


async def shown(client: DapClient, thread: int) -> Any:
    """What an editor shows at a stop: frames, and the variables of the innermost one."""
    frames = (await client.request("stackTrace", {"threadId": thread}, WAIT_S))["stackFrames"]
    scopes = (await client.request("scopes", {"frameId": frames[0]["id"]}, WAIT_S))["scopes"]
    return [frame["name"] for frame in frames], scopes[0]["variablesReference"]


async def values(client: DapClient, reference: int) -> list[tuple[str, str]]:
    found = await client.request("variables", {"variablesReference": reference}, WAIT_S)
    return [(variable["name"], variable["value"]) for variable in found["variables"]]


async def end(client: DapClient) -> None:
    await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
    await client.close()


async def test_an_ask_answers_with_the_code_and_the_editor_sees_what_it_saw_before(
    argv: list[str], start_dap_ai: Start, tmp_path: Path
):
    client = await opened(start_dap_ai, "--backend", shlex.join(argv))
    line = native.lines("crash")["crash"]
    stop = await begin(client, "launch", {"program": str(native.build("crash", tmp_path))}, "crash", line)
    names, reference = await shown(client, stop["threadId"])
    before = await values(client, reference)
    assert names[:3] == ["ship", "sell", "main"]
    assert ("boxes", "3") in before

    await client.request("ask", {"question": "why?"}, WAIT_S)
    ended = (await asyncio.wait_for(client.wait_event("askEnded"), WAIT_S))[1]
    assert ended["reason"] == "completed"
    assert "order->count = boxes" in ended["answer"]

    assert await values(client, reference) == before  # by the reference that was given out before the ask
    assert (await shown(client, stop["threadId"]))[0] == names
    await end(client)


async def test_every_request_that_ends_or_wedges_some_adapter_is_answered_and_so_is_the_next(
    argv: list[str], start_dap_ai: Start, tmp_path: Path
):
    client = await opened(start_dap_ai, "--backend", shlex.join(argv))
    line = native.lines("sleeps")["awake"]
    await begin(client, "launch", {"program": str(native.build("sleeps", tmp_path))}, "sleeps", line)
    for command, arguments in HARMFUL:
        await asyncio.wait_for(client.send(command, arguments), WAIT_S)
        threads = await client.request("threads", None, ANSWERED_S)
        assert threads["threads"], f"after {command}"
    await end(client)


HARMFUL: list[tuple[str, dict[str, Any] | None]] = [
    ("cancel", {"requestId": 1}),
    ("loadedSources", {}),
    ("readMemory", {"memoryReference": "0x0", "count": 1}),
    ("locations", {"locationReference": 1}),
    ("initialize", {"adapterID": "again"}),
    ("runInTerminal", {"args": ["true"], "cwd": "/"}),
    ("scopes", None),
    ("variables", None),
    ("reverseContinue", {"threadId": 1}),
    ("moduleSymbols", {"moduleId": "x"}),
    ("ask", None),
]


async def test_a_request_that_no_adapter_knows_ends_none(argv: list[str], start_dap_ai: Start):
    client = await opened(start_dap_ai, "--backend", shlex.join(argv))
    await client.initialize("native")
    assert not (await asyncio.wait_for(client.send("neverHeardOf", {"x": 1}), WAIT_S)).success
    assert (await asyncio.wait_for(client.send("threads"), WAIT_S)).name == "threads"
    await client.close()


async def test_a_core_file_is_asked_about_and_never_resumed(argv: list[str], start_dap_ai: Start, tmp_path: Path):
    program = native.build("crash", tmp_path)
    core = native.core_of(program, tmp_path)
    if core is None:
        pytest.skip("this machine writes no core file beside a program that crashes")
    client = await opened(start_dap_ai, "--backend", shlex.join(argv))
    stop = await begin(client, "attach", {"program": str(program), "coreFile": str(core)})
    with pytest.raises(RequestFailed, match="core file"):
        await client.request("continue", {"threadId": stop["threadId"]}, WAIT_S)
    names, _ = await shown(client, stop["threadId"])
    assert names[:2] == ["ship", "sell"]
    await client.request("ask", {"question": "why?"}, WAIT_S)
    ended = (await asyncio.wait_for(client.wait_event("askEnded"), WAIT_S))[1]
    assert "order->count = boxes" in ended["answer"]
    await end(client)


async def test_a_watch_that_calls_a_function_leaves_a_stop_that_can_be_asked_about(
    argv: list[str], start_dap_ai: Start, tmp_path: Path
):
    client = await opened(start_dap_ai, "--backend", shlex.join(argv))
    line = native.lines("crash")["sell"]
    stop = await begin(client, "launch", {"program": str(native.build("crash", tmp_path))}, "crash", line)
    frames = (await client.request("stackTrace", {"threadId": stop["threadId"]}, WAIT_S))["stackFrames"]
    call = {"expression": "ship(order, 1)", "frameId": frames[0]["id"], "context": "watch"}
    assert (await client.request("evaluate", call, WAIT_S))["result"] == "1"
    await client.request("ask", {"question": "why?"}, WAIT_S)
    ended = (await asyncio.wait_for(client.wait_event("askEnded"), WAIT_S))[1]
    assert ended["reason"] == "completed"
    assert "breakpoint" in ended["answer"]
    await end(client)


async def test_a_client_that_vanishes_leaves_neither_adapter_nor_program(
    argv: list[str], start_dap_ai: Start, tmp_path: Path
):
    client = await opened(start_dap_ai, "--backend", shlex.join(argv))
    line = native.lines("sleeps")["awake"]
    await begin(client, "launch", {"program": str(native.build("sleeps", tmp_path))}, "sleeps", line)
    await client.close()  # the fixture that looks for what is left running decides


async def test_an_adapter_that_listens_is_used_and_outlives_the_session(start_dap_ai: Start, tmp_path: Path):
    words = [*native.need("lldb-dap 23"), "--connection", "listen://127.0.0.1:0"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as adapter:
        try:
            port = adapter.stdout.readline().decode().strip().rpartition(":")[2]
            client = await opened(start_dap_ai, "--connect", f"127.0.0.1:{port}")
            line = native.lines("sleeps")["awake"]
            await begin(client, "launch", {"program": str(native.build("sleeps", tmp_path))}, "sleeps", line)
            await end(client)
            again = await opened(start_dap_ai, "--connect", f"127.0.0.1:{port}")
            assert (await again.initialize("native"))["supportsAskRequest"]
            await again.close()
            assert adapter.poll() is None
        finally:
            end_tree(adapter)


async def test_where_no_adapter_listens_the_first_request_is_told_so(start_dap_ai: Start):
    port = _free_port()
    client = await opened(start_dap_ai, "--connect", f"127.0.0.1:{port}")
    with pytest.raises(RequestFailed, match=f"no debug adapter listens at 127.0.0.1:{port}"):
        await client.initialize("native")
    await client.close()


def test_a_backend_that_is_nothing_is_a_usage_error(run_dap_ai: Callable[..., Any]):
    done = run_dap_ai("serve", "--backend", "no-such-adapter --x")
    assert done.returncode == 2
    assert b"PATH has no such program: no-such-adapter" in done.stderr
    assert b"debugpy" in done.stderr


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
