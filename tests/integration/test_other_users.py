"""Another user of the machine reaches for every socket that a session opens: real users, adapters and debuggees."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_ai.backends.spawn import AdapterProcess
from dap_ai.protocol.contracts.backend import AdapterCommand
from dap_ai.protocol.wire.framing import encode_frame
from dap_ai.system import programs
from dap_ai.transport import peer_users
from dap_ai.transport.client import DapClient
from tests.integration import native, users
from tests.integration.listening import Listener, listeners, watched
from tests.integration.native_session import ADAPTERS
from tests.patience import at_worst, patient

pytestmark = pytest.mark.anyio
WAIT_S = at_worst(60.0)
QUIET_S = 0.5
ATTACH_S = patient(5.0)
FAMILY = (Path(__file__).parents[1] / "debuggees" / "family.py").read_text(encoding="utf-8")
LINE = next(number for number, text in enumerate(FAMILY.splitlines(), 1) if "rest = total" in text)
SLEEPS = "import time\nprint('up', flush=True)\ntime.sleep(60)\n"
SLOW_LAUNCHER = f"""\
#!/bin/sh
case "$*" in *launcher*) while [ ! -e "$HOME/go" ]; do sleep 0.02; done ;; esac
exec {sys.executable} "$@"
"""


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:  # instead of that of every test: a session here is another user's
    users.need()
    programs = {"family.py": FAMILY, "sleeps.py": SLEEPS, "python-slow": SLOW_LAUNCHER}
    with users.home_of_user(programs) as folder:
        (folder / "python-slow").chmod(0o755)
        yield folder


@pytest.fixture(scope="module")
def stranger(home: Path) -> Iterator[users.Stranger]:
    with users.stranger_at_work() as other:
        yield other


class Session:
    """A client of the user's `dap-ai serve`. `children`: what it was told of child processes."""

    def __init__(self, process: AdapterProcess) -> None:
        self.process = process
        self.client = DapClient(process.link, process.end)
        self.children: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.client.on_event(self._note)

    def _note(self, name: str, body: dict[str, Any]) -> None:
        self.said.append(name)
        if name == "debugpyAttach":
            self.children.append(body)

    async def begin(self, command: str, arguments: dict[str, Any]) -> asyncio.Future[Any]:
        await self.client.initialize("debugpy")
        return self.client.send(command, arguments)

    async def configured(self, started: asyncio.Future[Any], *lines: int, path: Path | None = None) -> None:
        initialized = asyncio.ensure_future(self.client.wait_event("initialized"))
        await asyncio.wait([started, initialized], timeout=WAIT_S, return_when=asyncio.FIRST_COMPLETED)
        assert initialized.done(), started.result().content
        points = {"source": {"path": str(path)}, "breakpoints": [{"line": line} for line in lines]}
        await self.client.request("setBreakpoints", points, WAIT_S)
        await self.client.request("configurationDone", {}, WAIT_S)
        assert (await asyncio.wait_for(started, WAIT_S)).success

    async def stopped(self) -> None:
        await asyncio.wait_for(self.client.wait_event("stopped"), WAIT_S)

    async def answers(self) -> None:
        assert (await self.client.request("threads", {}, WAIT_S))["threads"]

    def listeners(self) -> set[Listener]:
        return listeners([self.process.pid])


@contextlib.asynccontextmanager
async def session(home: Path, *backend: str) -> AsyncGenerator[Session]:
    """`dap-ai serve` of that user, on its standard streams."""
    env = users.environment(home) | {"DAP_AI_SOCKETS": str(home / "sockets")}
    command = users.as_user(sys.executable, "-m", "dap_ai", "serve", *backend)
    async with opened_by(AdapterCommand(command, env)) as opened:
        yield opened


@contextlib.asynccontextmanager
async def opened_by(serve: AdapterCommand) -> AsyncGenerator[Session]:
    process = await AdapterProcess.start(serve, lambda _text: None)
    try:
        yield (opened := Session(process))
        with contextlib.suppress(Exception):  # the process is ended in any case
            await opened.client.request("disconnect", {"terminateDebuggee": True}, WAIT_S)
        await opened.client.close()
    finally:
        await process.end()


@contextlib.asynccontextmanager
async def program_of_user(*arguments: str | Path) -> AsyncGenerator[int]:
    """A Python program of that user's that runs; its process id."""
    command = users.as_user(sys.executable, *arguments)
    program = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        yield program.pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            program.kill()
        await program.wait()


def dap(*requests: tuple[str, dict[str, Any]]) -> list[str]:
    return [
        encode_frame(
            json.dumps({"seq": seq, "type": "request", "command": command, "arguments": arguments}).encode()
        ).decode()
        for seq, (command, arguments) in enumerate(requests, 1)
    ]


INITIALIZE = ("initialize", {"adapterID": "debugpy"})
EVENT = encode_frame(b'{"seq": 1, "type": "event", "event": "process", "body": {"systemProcessId": 1}}').decode()
REACHES = {
    "a client's request": dap(INITIALIZE, ("attach", {})),
    "a launcher's event": [EVENT],
    "a debugger's packet": ["+$qSupported:multiprocess+#c6"],
    "nothing": [],
}


async def reach(stranger: users.Stranger, listener: Listener, *say: str, **more: Any) -> dict[str, Any]:
    return await asyncio.to_thread(stranger.attempt, listener.where, say=say, **{"wait_s": QUIET_S} | more)


async def nobody_gets_in(stranger: users.Stranger, found: set[Listener]) -> None:
    for listener in sorted(found):
        for what, say in REACHES.items():
            attempt = await reach(stranger, listener, *say)
            assert attempt["closed"] and not attempt["heard"], (listener, what, attempt)


async def test_no_port_of_a_python_session_lets_another_user_in(home: Path, stranger: users.Stranger):
    async with session(home) as opened:
        program = home / "family.py"
        started = await opened.begin("launch", {"program": str(program), "args": ["spawn"], "subProcess": True})
        await opened.configured(started, LINE, path=program)
        while not opened.children:
            await asyncio.wait_for(opened.client.wait_event("debugpyAttach"), WAIT_S)
        found = opened.listeners()
        assert {listener.kind for listener in found} == {"tcp", "unix"}
        await nobody_gets_in(stranger, found)
        await opened.answers()


async def test_another_user_cannot_attach_to_a_process_of_ours_by_the_adapter(home: Path, stranger: users.Stranger):
    native.need_attach()
    if gdb := shutil.which("gdb", path=programs.search_path()):
        subprocess.run([gdb, "--version"], capture_output=True, check=True, timeout=WAIT_S)  # its first start writes
    written = home / "written"
    code = f"__import__('os').open({str(written)!r}, 64)"  # 64: O_CREAT
    async with session(home) as opened, program_of_user(home / "sleeps.py") as pid:
        started = await opened.begin("launch", {"program": str(home / "sleeps.py")})
        await opened.configured(started, path=home / "sleeps.py")
        begin = dap(INITIALIZE, ("attach", {"processId": pid}))
        go_on = dap(("configurationDone", {}), ("evaluate", {"expression": code}))
        for listener in opened.listeners():
            await reach(stranger, listener, *begin, until='"event":"initialized"', then=go_on, wait_s=ATTACH_S)
        assert not written.exists(), f"written by user {written.stat().st_uid}"
        await opened.answers()


async def test_root_may_attach_to_a_program_of_another_user(home: Path):
    native.need_attach()
    serve = AdapterCommand([sys.executable, "-m", "dap_ai", "serve"], {})
    async with opened_by(serve) as opened, program_of_user(home / "sleeps.py") as pid:
        started = await opened.begin("attach", {"processId": pid})
        await opened.configured(started, path=home / "sleeps.py")
        await opened.answers()


async def test_another_user_cannot_be_the_launcher_nor_the_debuggee(home: Path, stranger: users.Stranger):
    async with session(home) as opened:
        arguments = {"program": str(home / "sleeps.py"), "python": str(home / "python-slow"), "env": {"KEY": "salt"}}
        started = await opened.begin("launch", arguments)
        while "debugpySockets" not in opened.said or len(found := opened.listeners()) < 4:
            await asyncio.sleep(0.02)
        await nobody_gets_in(stranger, found)
        (home / "go").touch()
        await opened.configured(started, path=home / "sleeps.py")
        await opened.answers()


async def test_another_user_cannot_be_the_program_that_an_attach_waits_for(home: Path, stranger: users.Stranger):
    async with session(home) as opened:
        started = await opened.begin("attach", {"listen": {"host": "127.0.0.1", "port": 0}})
        event = await asyncio.wait_for(opened.client.wait_event("debugpyWaitingForServer"), WAIT_S)
        await nobody_gets_in(stranger, opened.listeners())
        address = f"127.0.0.1:{event[1]['port']}"
        async with program_of_user("-m", "debugpy", "--connect", address, home / "sleeps.py"):
            await opened.configured(started, path=home / "sleeps.py")
            await opened.answers()


@pytest.mark.parametrize(
    ("host", "by"), [("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "::ffff:127.0.0.1"), ("::1", "::1")]
)
@pytest.mark.parametrize("leaves", ["", "closes", "resets"])
async def test_another_user_is_known_by_any_address_and_when_gone_again(
    host: str, by: str, leaves: str, stranger: users.Stranger
):
    with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        listener.settimeout(WAIT_S)
        order = {"say": ["x"], "leaves": leaves, "wait_s": WAIT_S}
        reached = asyncio.create_task(asyncio.to_thread(stranger.attempt, (by, listener.getsockname()[1]), **order))
        if leaves:
            await reached
        connected, _ = await asyncio.to_thread(listener.accept)
        with connected:
            assert peer_users.is_of_another_user(connected)
        assert (await reached)["closed"]


@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_no_native_adapter_lets_another_user_in(
    adapter: str, home: Path, stranger: users.Stranger, tmp_path: Path
):
    argv = native.need(adapter)
    program = native.build("crash", tmp_path)
    async with session(home, "--backend", " ".join(argv)) as opened:
        with watched([opened.process.pid]) as found:
            started = await opened.begin("launch", {"program": str(program)})
            await opened.configured(started, path=program)
            await opened.stopped()
        await nobody_gets_in(stranger, opened.listeners())
        assert {listener.kind for listener in found} == {"unix"}, found  # the one of ours, by which guests join
        await opened.answers()


def test_the_users_of_these_tests_are_others():
    assert len({os.getuid(), users.USER, users.STRANGER}) == 3
