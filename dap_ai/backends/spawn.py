"""Runs a debug adapter as a child process: connects its stdio, keeps its stderr for errors, ends its process tree."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import psutil

from dap_ai.protocol.contracts.backend import AdapterCommand
from dap_ai.transport.byte_links import TransportLink

_KEPT_STDERR_BYTES = 4096
_TERM_S = 0.5
_PART_S = 2.0
"""Maximum seconds for an adapter to end after its stdin is closed."""
_POLL_S = 0.02
_WORDS_S = 0.5
"""Seconds to keep reading stderr after stdout has closed; a descendant may keep stderr open."""
_ADAPTER_ENV = "DAP_AI_ADAPTER_ENV"


class AdapterProcess(asyncio.SubprocessProtocol):
    """A debug adapter that runs as our child process.

    `link` is the connection to its stdio; `end` ends the adapter and every process that it started.
    """

    def __init__(self) -> None:
        self.link = TransportLink()
        self.exited = asyncio.Event()
        self.pid = 0
        self.key = ""
        self.carries_launched = False
        self._transport: asyncio.SubprocessTransport | None = None
        self._stderr = b""
        self._ending: asyncio.Task[None] | None = None
        self._open = {1, 2}
        """The file descriptors of the adapter's output pipes that are still open."""
        self._lost: Callable[[], None] | None = None
        self._waiting: asyncio.TimerHandle | None = None

    @classmethod
    async def start(cls, command: AdapterCommand, log: Callable[[str], None]) -> AdapterProcess:
        """Start the adapter in its own process group. Raises OSError."""
        loop = asyncio.get_running_loop()
        options: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        transport, process = await loop.subprocess_exec(cls, *command.argv, env=inherited() | command.env, **options)
        process.pid = transport.get_pid()
        process.key, process.carries_launched = command.key, command.carries_launched
        log(f"started {command.argv} as process {process.pid}")
        return process

    @property
    def last_words(self) -> str:
        """The end of the adapter's stderr output."""
        return self._stderr.decode(errors="replace").strip()

    async def end(self, spares: str = "") -> None:
        """End the process tree with SIGTERM, and after half a second with SIGKILL, even if this call is cancelled.

        A second call waits for the first. If the debuggee must live on, `spares` is the request that started it
        (`launch`, `attach`); then only the adapter ends.
        """
        if self._ending is None:
            ending = self._end_alone(spares) if spares else self._end(_tree(self.pid))
            self._ending = asyncio.get_running_loop().create_task(ending)
        await asyncio.shield(self._ending)

    async def _end_alone(self, spares: str) -> None:
        if self._transport is not None and (stdin := self._transport.get_pipe_transport(0)) is not None:
            stdin.close()
        if spares == "launch" and self.carries_launched:
            self._leave()
            return
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.exited.wait(), _PART_S)
        await self._end(_tree(self.pid)[-1:])

    async def _end(self, tree: list[psutil.Process]) -> None:
        if self.exited.is_set():
            tree = []  # its process id may have been reused
        _signal(tree, psutil.Process.terminate)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._gone(tree), _TERM_S)
        _signal(tree, psutil.Process.kill)
        await self.exited.wait()
        if self._transport is not None:
            self._transport.close()

    def _leave(self) -> None:
        """Detach the adapter from this process without ending it."""
        if self._transport is not None:
            # On closing the pipes, asyncio kills a running process unless its return code is set.
            self._transport.get_extra_info("subprocess").returncode = 0
            self._transport.close()

    async def _gone(self, tree: list[psutil.Process]) -> None:
        await self.exited.wait()
        while any(_runs(process) for process in tree):  # noqa: ASYNC110  there is no event for the end of a grandchild
            await asyncio.sleep(_POLL_S)

    # -- asyncio.SubprocessProtocol ---------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Attach the started adapter's pipes to `link`."""
        self._transport = transport
        self.link.attach(transport.get_pipe_transport(1), transport.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Pass the adapter's stdout on to `link`, and keep the end of its stderr."""
        if fd == 1:
            self.link.data_received(data)
        else:
            self._stderr = (self._stderr + data)[-_KEPT_STDERR_BYTES:]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Close `link`, with a delay, after the adapter has closed its stdout.

        The adapter may write the reason for its end to stderr after it has closed stdout.
        """
        self._open.discard(fd)
        if fd == 1:
            self._lost = lambda: self.link.connection_lost(exc)
            self._waiting = asyncio.get_running_loop().call_later(_WORDS_S, self._lose)
        if not self._open & {1, 2}:
            self._lose()

    def _lose(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()  # a pending timer would keep the whole session in memory
        lost, self._lost = self._lost, None
        if lost is not None:
            lost()

    def process_exited(self) -> None:
        """Note that the adapter has ended."""
        self.exited.set()

    def pause_writing(self) -> None:
        """Tell `link` that the adapter does not read its input at the moment."""
        self.link.pause_writing()

    def resume_writing(self) -> None:
        """Tell `link` that the adapter reads its input again."""
        self.link.resume_writing()


def inherited() -> dict[str, str]:
    """Return the environment for a child: ours, without variables meant only for us, plus the adapter's.

    `DAP_AI_PRIVATE`, set by an editor's extension, names the variables that are meant only for us. `DAP_AI_ADAPTER_ENV`
    is a JSON object with the variables that only the adapter gets: a `PYTHONHOME` for lldb's Python would break ours.
    Raises OSError if it is not such an object.
    """
    private = {*os.environ.get("DAP_AI_PRIVATE", "").split(","), "DAP_AI_PRIVATE", "DAP_AI_TOKEN", _ADAPTER_ENV}
    return {name: value for name, value in os.environ.items() if name not in private} | _for_the_adapter()


def _for_the_adapter() -> dict[str, str]:
    try:
        return msgspec.json.decode(os.environ.get(_ADAPTER_ENV) or "{}", type=dict[str, str])
    except msgspec.DecodeError as error:
        raise OSError(f"{_ADAPTER_ENV} is no JSON object of texts ({error})") from error


def _tree(pid: int) -> list[psutil.Process]:
    """Return a process's descendants and the process itself.

    Call this before any of them ends, because an orphan's ancestry is lost.
    """
    try:
        root = psutil.Process(pid)
        return [*root.children(recursive=True), root]
    except psutil.Error:
        return []


def _signal(tree: list[psutil.Process], send: Callable[[psutil.Process], None]) -> None:
    for process in tree:
        with contextlib.suppress(psutil.Error):  # gone already
            send(process)


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
