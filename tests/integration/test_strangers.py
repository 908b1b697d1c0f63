"""Who is no client: streams that are no DAP, clients without the token, at every door of `dap-ai serve`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.framing import encode_frame
from dap_ai.transport.byte_links import TransportLink, open_tcp
from dap_ai.transport.client import DapClient
from tests.integration.test_web_page import FIRST_BYTES, INITIALIZE, interpreter_that_writes, launches
from tests.patience import at_worst
from tests.unit.protocol.test_framing import NO_DAP

pytestmark = pytest.mark.anyio
WAIT_S = at_worst(30.0)
UNSTARTED = "Server is not available"
"""As debugpy's adapter answers what comes too early: so it has been asked."""
Start = Callable[..., "subprocess.Popen[bytes]"]
unix_only = pytest.mark.skipif(sys.platform == "win32", reason="no Unix sockets there")


@pytest.fixture
def folder() -> Iterator[Path]:
    """One whose name leaves room for sockets'."""
    with tempfile.TemporaryDirectory(prefix="dap") as name:
        yield Path(name)


class Door:
    """A running `dap-ai serve --listen`."""

    def __init__(self, start: Start, address: str, *more: str, **env: str) -> None:
        self.process = start("serve", "--listen", address, *more, env=env)
        assert self.process.stderr is not None
        line = self.process.stderr.readline().decode().strip()
        assert "listening on " in line, line
        self.address = line.partition("listening on ")[2]

    def line(self) -> str:
        """The next that it says."""
        assert self.process.stderr is not None
        return self.process.stderr.readline().decode().strip()

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def connected(self) -> socket.socket:
        """A stranger's end of a connection."""
        if self.address.startswith("/"):
            link = socket.socket(socket.AF_UNIX)
            link.connect(self.address)
        else:
            link = socket.create_connection(("127.0.0.1", self.port))
        link.settimeout(WAIT_S)
        return link

    async def client(self, first: bytes = b"") -> DapClient:
        """One that begins with these bytes."""
        loop = asyncio.get_running_loop()
        if self.address.startswith("/"):
            _, link = await loop.create_unix_connection(lambda: TransportLink(lambda _link: None), self.address)
        else:
            link = await open_tcp("127.0.0.1", self.port, WAIT_S)
        link.write(first)
        return DapClient(link)

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()


def said(link: socket.socket, stream: bytes) -> bytes:
    """What comes before the end of the connection."""
    answer = b""
    with contextlib.suppress(ConnectionError):
        link.sendall(stream)
        while piece := link.recv(65536):
            answer += piece
    return answer


def streams(marker: Path) -> list[bytes]:
    """Each is no DAP, and goes on with what is. Where no token is wanted, one may be given all the same."""
    bodies = [attack["body"].encode() for attack in launches(0, marker)]
    referer = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\nReferer: http://x/content-length:%d\r\n\r\n"
    posted = [referer % FIRST_BYTES + body for body in bodies]
    return [*posted, *(each + encode_frame(INITIALIZE) for each in NO_DAP if not each.startswith(b"DAP-AI-Token"))]


@pytest.mark.parametrize(
    ("listen", "access"),
    [("127.0.0.1:0", "--no-token"), ("127.0.0.1:0", "--token=sesame"), pytest.param("unix", None, marks=unix_only)],
)
async def test_a_stream_that_is_no_dap_is_closed_unanswered_and_starts_nothing(
    listen: str, access: str | None, start_dap_ai: Start, folder: Path, tmp_path: Path
):
    address = f"unix:{folder}/door" if listen == "unix" else listen
    door, marker = Door(start_dap_ai, address, *filter(None, [access])), tmp_path / "ran"
    for stream in streams(marker):
        with door.connected() as link:
            assert said(link, stream) == b"", stream[:60]
    assert door.children() == []
    assert not marker.exists()


async def test_what_comes_behind_a_stream_that_was_given_up_is_not_looked_at(start_dap_ai: Start, tmp_path: Path):
    door, marker = Door(start_dap_ai, "127.0.0.1:0", "--no-token"), tmp_path / "ran"
    with door.connected() as link:
        link.sendall(encode_frame(INITIALIZE))
        assert link.recv(65536)
        launch = launches(0, marker)[1]["body"].encode()
        answer = said(link, b"POST / HTTP/1.1\r\n\r\n")
        assert b"launch" not in answer + said(link, encode_frame(launch))
    assert not marker.exists()


@unix_only
async def test_at_the_socket_of_a_session_a_stream_that_is_no_dap_is_closed(start_dap_ai: Start, folder: Path):
    door = Door(start_dap_ai, "127.0.0.1:0", "--no-token", DAP_AI_SOCKETS=str(folder / "own"))
    client = await door.client()
    await client.initialize("x")
    (place,) = (folder / "own").glob("*.sock")
    for stream in NO_DAP[:14]:
        with socket.socket(socket.AF_UNIX) as guest:
            guest.settimeout(WAIT_S)
            guest.connect(str(place))
            assert said(guest, stream) == b""
    with pytest.raises(RequestFailed, match=UNSTARTED):
        await client.request("threads", {}, WAIT_S)
    await client.close()


async def test_the_token_is_made_shown_and_kept_for_editors(start_dap_ai: Start, folder: Path):
    door = Door(start_dap_ai, "127.0.0.1:0", DAP_AI_SOCKETS=str(folder / "own"))
    file = Path(door.line().rpartition(": ")[2])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and file.parent == folder / "own"
    kept = json.loads(file.read_text())
    assert (kept["host"], kept["port"], kept["pid"]) == ("127.0.0.1", door.port, door.process.pid)
    assert f'"dapAiToken": "{kept["token"]}"' in door.line()
    assert len(kept["token"]) >= 32
    client = await door.client()
    await client.initialize("x")
    with pytest.raises(RequestFailed, match="wants a token"):
        await client.request("launch", {"code": "1"}, WAIT_S)
    await client.close()
    door.process.terminate()
    await asyncio.to_thread(door.process.wait, WAIT_S)
    assert not file.exists()


async def test_a_token_may_come_as_the_first_line(start_dap_ai: Start):
    door = Door(start_dap_ai, "127.0.0.1:0", "--token", "sesame")
    client = await door.client(b"DAP-AI-Token: sesame\r\n")
    await client.initialize("x")
    with pytest.raises(RequestFailed, match=UNSTARTED):
        await client.request("threads", {}, WAIT_S)
    await client.close()


async def test_a_wrong_token_ends_the_connection_and_nothing_was_started(start_dap_ai: Start, tmp_path: Path):
    door, marker = Door(start_dap_ai, "127.0.0.1:0", "--token", "sesame"), tmp_path / "ran"
    launch = launches(0, marker)[1]["body"].encode()
    for token in (b"", b"x", b"sesam", b"sesame2", b"\xff\xfe", b"Sesame"):
        with door.connected() as link:
            assert said(link, b"DAP-AI-Token: " + token + b"\r\n" + encode_frame(launch)) == b""
    for wrong in ("", "x", None, 7, ["sesame"], {"a": 1}, "\ud800"):
        with door.connected() as link:
            body = {"seq": 1, "type": "request", "command": "launch"}
            arguments = {"code": "1", "python": str(interpreter_that_writes(marker)), "dapAiToken": wrong}
            answer = said(link, encode_frame(json.dumps({**body, "arguments": arguments}).encode()))
            assert b"unauthorized" in answer
    assert door.children() == []
    assert not marker.exists()


async def test_without_a_token_a_client_names_no_program_that_runs_beside_its_own(start_dap_ai: Start, tmp_path: Path):
    door, marker = Door(start_dap_ai, "127.0.0.1:0", "--no-token"), tmp_path / "ran"
    program = str(interpreter_that_writes(marker))
    for key in ("python", "pythonPath", "debugLauncherPath", "debugLauncherPython"):
        client = await door.client()
        await client.initialize("x")
        with pytest.raises(RequestFailed, match=key):
            await client.request("launch", {"code": "1", key: program}, WAIT_S)
        await client.close()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    planted = tmp_path / ".venv" / "bin" / "python"
    planted.write_bytes(Path(program).read_bytes())
    planted.chmod(0o755)
    client = await door.client()
    await client.initialize("x")
    started = client.send("launch", {"code": "1", "cwd": str(tmp_path), "console": "internalConsole"})
    await asyncio.wait_for(client.wait_event("initialized"), WAIT_S)
    await client.request("configurationDone", {}, WAIT_S)
    assert (await asyncio.wait_for(started, WAIT_S)).success
    assert not marker.exists()
    await client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
    await client.close()


@unix_only
async def test_at_a_unix_socket_its_user_debugs_without_a_token(start_dap_ai: Start, folder: Path):
    path = folder / "door"
    door = Door(start_dap_ai, f"unix:{path}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    client = await door.client()
    assert (await client.initialize("x"))["supportsAskRequest"]
    await client.close()
    second = start_dap_ai("serve", "--listen", f"unix:{path}")
    assert await asyncio.to_thread(second.wait, WAIT_S) == 1
    door.process.kill()
    await asyncio.to_thread(door.process.wait, WAIT_S)
    third = Door(start_dap_ai, f"unix:{path}")  # what a killed one has left is in nobody's way
    third.process.terminate()
    await asyncio.to_thread(third.process.wait, WAIT_S)
    assert not path.exists()
