"""A client of a running Jupyter kernel, found by its connection file. The only module that uses `jupyter_client`."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dap_ai.system.extras import JUPYTER, MissingExtraError
from dap_ai.system.texts import code

_REACH_S = 5.0
_LOOPBACK = ("127.0.0.1", "localhost", "0.0.0.0", "::1")  # noqa: S104  only compared with, not bound to


class CannotReachError(Exception):
    """Raised if a kernel does not exist or does not respond; the text gives the reason and a remedy."""


class NoReplyError(Exception):
    """Raised if the kernel does not respond in time; a kernel drops a request whose handler fails."""


def found(wanted: str) -> str:
    """Return the path of a kernel's connection file. Raises CannotReachError.

    `wanted` is its path, a part of its name, or an empty string for the newest kernel.
    """
    if wanted and Path(wanted).expanduser().is_file():
        return str(Path(wanted).expanduser().absolute())
    try:
        client: Any = JUPYTER.load("jupyter_client")
        return str(client.find_connection_file(wanted or "kernel-*.json"))
    except MissingExtraError as error:
        raise CannotReachError(f"{error}.") from error
    except OSError as error:
        raise CannotReachError(
            f"there is no connection file {code(wanted)}: `%connect_info` in the notebook tells its name"
            if wanted
            else "no kernel of yours runs here"
        ) from error


class Kernel:
    """A client of a running Jupyter kernel that sends one request at a time.

    The kernel takes the next response for the response to its last request, whichever client sent that request.
    """

    def __init__(self, path: str) -> None:
        """Load the connection file `path`. Raises CannotReachError."""
        try:
            client: Any = JUPYTER.load("jupyter_client.asynchronous.client")
            self._client: Any = client.AsyncKernelClient(connection_file=path)
            self._client.load_connection_file()
        except MissingExtraError as error:
            raise CannotReachError(f"{error}.") from error
        except (OSError, ValueError) as error:
            raise CannotReachError(f"{path} is no connection file of a kernel: {error}") from error
        if self._client.transport == "tcp" and self._client.ip not in _LOOPBACK:
            raise CannotReachError("the kernel runs on another machine: run dap-ai there")
        self._turn = asyncio.Lock()
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._status = asyncio.Event()

    async def open(self, heard: Callable[[str, dict[str, Any], str], None]) -> None:
        """Connect to the kernel. Raises CannotReachError.

        `heard` is called with the type, content and parent request id of each message that the kernel publishes.
        """
        wanted = {"shell": True, "iopub": True, "stdin": False, "hb": True, "control": True}
        self._client.start_channels(**wanted)
        self._tasks = [asyncio.create_task(self._hear(heard)), asyncio.create_task(self._take())]
        try:
            await self._ask(self._client.session.msg("kernel_info_request", {}), _REACH_S)
            ends = time.monotonic() + _REACH_S
            while not self._status.is_set() and time.monotonic() < ends:  # missed before it subscribed
                await self._ask(self._client.session.msg("kernel_info_request", {}), _REACH_S)
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._status.wait(), 0.2)
        except NoReplyError as error:
            raise CannotReachError("the kernel does not answer: it has ended, or hangs") from error

    async def debug(self, seq: int, command: str, arguments: Mapping[str, Any], limit_s: float) -> dict[str, Any]:
        """Send a DAP request and return the response. Raises NoReplyError."""
        content = {"type": "request", "seq": seq, "command": command, "arguments": dict(arguments)}
        async with self._turn:
            return await self._ask(self._client.session.msg("debug_request", content), limit_s)

    def run(self, code: str) -> str:
        """Execute code once the kernel is idle, without a trace in the notebook; return the request's message id."""
        content = {"code": code, "silent": True, "store_history": False, "allow_stdin": False, "stop_on_error": False}
        message = self._client.session.msg("execute_request", content)
        self._client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    @property
    def is_alive(self) -> bool:
        """Whether the kernel's heartbeat responds."""
        return bool(self._client.hb_channel.is_beating())

    async def _ask(self, message: dict[str, Any], limit_s: float) -> dict[str, Any]:
        name = message["header"]["msg_id"]
        self._waiting[name] = asyncio.get_running_loop().create_future()
        self._client.control_channel.send(message)
        try:
            return await asyncio.wait_for(self._waiting[name], limit_s)
        except asyncio.TimeoutError as error:
            raise NoReplyError from error
        finally:
            self._waiting.pop(name, None)

    async def _take(self) -> None:
        while True:
            reply = await self._client.control_channel.get_msg(timeout=None)
            waiting = self._waiting.get(reply["parent_header"].get("msg_id", ""))
            if waiting and not waiting.done():
                waiting.set_result(reply["content"])

    async def _hear(self, heard: Callable[[str, dict[str, Any], str], None]) -> None:
        while True:
            said = await self._client.iopub_channel.get_msg(timeout=None)
            self._status.set()
            heard(said["msg_type"], said["content"], said["parent_header"].get("msg_id", ""))

    async def close(self) -> None:
        """Close the connection; the kernel keeps running."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._client.stop_channels()
