"""`dap-ai serve` as an editor starts it: stdio and TCP, tokens, several sessions, nothing left behind."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.framing import encode_frame
from dap_ai.transport.byte_links import TransportLink, open_tcp
from dap_ai.transport.client import ConnectionClosed, DapClient
from tests.patience import at_worst

pytestmark = pytest.mark.anyio
WAIT_S = at_worst(30.0)
Start = Callable[..., "subprocess.Popen[bytes]"]
Find = Callable[..., Any]


def listening(start_dap_ai: Start, *more: str, **options: Any) -> tuple[subprocess.Popen[bytes], int]:
    """Without a token, unless `more` says one."""
    access = [] if "--token" in more else ["--no-token"]
    process = start_dap_ai("serve", "--listen", "127.0.0.1:0", *access, *more, **options)
    assert process.stderr is not None
    line = process.stderr.readline().decode()
    found = re.search(r"listening on 127\.0\.0\.1:(\d+)", line)
    assert found, line
    return process, int(found[1])


async def connect(port: int) -> DapClient:
    return DapClient(await open_tcp("127.0.0.1", port, WAIT_S))


async def stop_at_crash(client: DapClient, program: Path, **launch: Any) -> dict[str, Any]:
    await client.initialize("debugpy")
    started = client.send("launch", {"program": str(program), "console": "internalConsole", **launch})
    await asyncio.wait_for(client.wait_event("initialized"), WAIT_S)
    await client.request("setExceptionBreakpoints", {"filters": ["uncaught"]}, WAIT_S)
    await client.request("configurationDone", {}, WAIT_S)
    assert (await asyncio.wait_for(started, WAIT_S)).success
    return (await asyncio.wait_for(client.wait_event("stopped"), WAIT_S))[1]


async def test_a_stderr_that_nobody_reads_stops_no_session(start_dap_ai: Start):
    _, port = listening(start_dap_ai)
    noisy = await open_tcp("127.0.0.1", port, WAIT_S)
    noisy.start(lambda _data: None, lambda: None, lambda _full: None)
    noisy.write(encode_frame(b"no message") * 20_000)  # a line of the log each
    noisy.write(encode_frame(b'{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}'))
    client = await connect(port)
    await client.initialize("debugpy")
    await client.close()
    noisy.close()


async def test_over_tcp_an_editor_debugs_and_asks(start_dap_ai: Start, debuggee: Find):
    _, port = listening(start_dap_ai)
    client = await connect(port)
    await stop_at_crash(client, debuggee("crash").path)
    await client.request("ask", {"question": "why?"}, WAIT_S)
    _, ended = await asyncio.wait_for(client.wait_event("askEnded"), WAIT_S)
    assert ended["reason"] == "completed"
    assert "Recommendation" in ended["answer"]
    assert ended["usage"]["provider"] == "offline"
    await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
    await client.close()


async def test_two_editors_have_sessions_of_their_own(start_dap_ai: Start, debuggee: Find):
    _, port = listening(start_dap_ai)
    clients = [await connect(port), await connect(port)]
    stops = await asyncio.gather(*(stop_at_crash(client, debuggee("crash").path) for client in clients))
    assert [stop["reason"] for stop in stops] == ["exception", "exception"]
    for client in clients:
        await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
        await client.close()


async def test_without_the_token_a_client_gets_nowhere(start_dap_ai: Start, debuggee: Find):
    _, port = listening(start_dap_ai, "--token", "sesame")
    client = await connect(port)
    await client.initialize("debugpy")
    with pytest.raises(RequestFailed, match="wants a token"):
        await client.request("evaluate", {"expression": "1"}, WAIT_S)
    with pytest.raises(RequestFailed, match="wants a token"):
        await client.request("launch", {"program": str(debuggee("crash").path)}, WAIT_S)
    with pytest.raises(ConnectionClosed):
        await asyncio.wait_for(client.wait_event("stopped"), WAIT_S)
    client = await connect(port)
    await stop_at_crash(client, debuggee("crash").path, dapAiToken="sesame")
    await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
    await client.close()


async def test_a_client_that_vanishes_leaves_its_siblings_alone(start_dap_ai: Start, debuggee: Find):
    process, port = listening(start_dap_ai)
    first, second = await connect(port), await connect(port)
    await stop_at_crash(first, debuggee("crash").path)
    await first.close()
    await stop_at_crash(second, debuggee("crash").path)
    assert process.poll() is None
    await second.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
    await second.close()


async def test_a_stream_of_junk_ends_its_connection_only(start_dap_ai: Start):
    _, port = listening(start_dap_ai)
    with socket.create_connection(("127.0.0.1", port), WAIT_S) as junk:
        junk.sendall(b"Content-Length: ten\r\n\r\n" + b"x" * 1000)
        junk.settimeout(WAIT_S)
        while junk.recv(4096):
            pass
    client = await connect(port)
    assert (await client.initialize("debugpy"))["supportsAskRequest"]
    await client.close()


def test_over_stdio_the_first_request_is_answered_and_the_end_of_stdin_ends_everything(start_dap_ai: Start):
    process = start_dap_ai("serve")
    body = b'{"seq":0,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}'
    process.stdin.write(encode_frame(body))
    process.stdin.flush()
    seen = b""
    while b'"supportsAskRequest":true' not in seen:
        chunk = process.stdout.read1(65536)
        assert chunk, process.stderr.read().decode()
        seen += chunk
    process.stdin.close()
    assert process.wait(WAIT_S) == 0


def test_stdin_from_a_file_works_too(tmp_path: Path):
    import sys

    requests = tmp_path / "requests"
    body = b'{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}'
    bye = b'{"seq":2,"type":"request","command":"disconnect"}'
    requests.write_bytes(encode_frame(body) + encode_frame(bye))
    with requests.open("rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "dap_ai", "serve"], stdin=stdin, capture_output=True, timeout=WAIT_S
        )
    assert b'"command":"disconnect"' in done.stdout
    assert done.returncode == 0


def test_an_address_that_is_taken_is_named(start_dap_ai: Start):
    _, port = listening(start_dap_ai)
    process = start_dap_ai("serve", "--listen", f"127.0.0.1:{port}")
    assert process.wait(WAIT_S) != 0
    assert f"127.0.0.1:{port}" in process.stderr.read().decode()


def test_a_public_address_needs_a_token(start_dap_ai: Start):
    process = start_dap_ai("serve", "--listen", "0.0.0.0:0", "--no-token")
    assert process.wait(WAIT_S) == 2
    assert "--no-token" in process.stderr.read().decode()


def test_every_link_can_be_closed_before_it_is_used():
    link = TransportLink()
    link.write(b"x")
    link.pause(paused=True)
    link.close()


async def test_served_until_eof_it_ends_with_the_program_that_started_it(start_dap_ai: Start):
    process, port = listening(start_dap_ai, "--until-eof")
    client = await connect(port)
    await client.initialize("debugpy")
    assert process.stdin is not None
    process.stdin.close()
    await asyncio.to_thread(process.wait, WAIT_S)
    with pytest.raises(ConnectionClosed):
        await client.request("threads", {}, WAIT_S)
    await client.close()


async def test_what_is_private_reaches_no_program(start_dap_ai: Start, tmp_path: Path):
    program = tmp_path / "prints.py"
    program.write_text(
        "import os\nnames = sorted(n for n in os.environ if n in {'KEY', 'KEPT', 'DAP_AI_PRIVATE'})\n1 / 0\n"
    )
    _, port = listening(start_dap_ai, env={"KEY": "1", "KEPT": "2", "DAP_AI_PRIVATE": "OTHER,KEY"})
    client = await connect(port)
    stopped = await stop_at_crash(client, program)
    stack = await client.request("stackTrace", {"threadId": stopped["threadId"]}, WAIT_S)
    asked = {"expression": "names", "frameId": stack["stackFrames"][0]["id"], "context": "watch"}
    assert (await client.request("evaluate", asked, WAIT_S))["result"] == "['KEPT']"
    await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
    await client.close()
