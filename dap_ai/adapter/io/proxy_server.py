"""Serves debug sessions over stdio, on a listening socket, or in this process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

from dap_ai.adapter.io import sockets
from dap_ai.adapter.io.error_boundary import SessionFailed
from dap_ai.adapter.io.family import ChildPlace, Families
from dap_ai.adapter.io.ports import ProxyRecipe
from dap_ai.adapter.io.pump import Pump
from dap_ai.transport import admission
from dap_ai.transport.byte_links import ByteLink, TransportLink, memory_pair
from dap_ai.transport.client import DapClient
from dap_ai.transport.stdio import open_stdio

Begin = Callable[[ByteLink], None]
"""Starts a session with the client at the other end of this link."""

_END_S = 15.0
"""Maximum seconds that a session may take to end after its client left. Even with a hung backend, less is enough."""


class Proxy:
    """Serves debug sessions over stdio, TCP, a Unix socket or in this process. Each session has its own adapter."""

    def __init__(self, recipe: ProxyRecipe) -> None:
        self._recipe = recipe
        self._families = Families(self._serve_beside_others, recipe.log)

    async def serve_stdio(self) -> None:
        """Serve a session on stdin and stdout, and the sessions of its child processes. Raises SessionFailed."""
        await self.serve(await open_stdio())

    async def serve_tcp(self, host: str, port: int, ready: Callable[[str, int], None]) -> None:
        """Serve sessions on a TCP port until cancelled. Raises OSError.

        Calls `ready(host, port)` once the port is listening.
        """

        async def listen(begin: Begin) -> asyncio.Server:
            return await admission.serve((host, port), lambda: TransportLink(begin), self._recipe.log)

        await self._serve_at(listen, lambda listener: ready(*listener.sockets[0].getsockname()[:2]))

    async def serve_unix(self, path: Path, ready: Callable[[], None]) -> None:
        """Serve sessions on a Unix socket until cancelled, for our own user only. Raises OSError."""
        with sockets.bound_at(path) as bound:

            async def listen(begin: Begin) -> asyncio.Server:
                return await admission.serve(bound, lambda: TransportLink(begin), self._recipe.log)

            await self._serve_at(listen, lambda _: ready())

    async def _serve_at(
        self, listen: Callable[[Begin], Awaitable[asyncio.Server]], ready: Callable[[asyncio.Server], None]
    ) -> None:
        running: set[asyncio.Task[None]] = set()

        def begin(link: ByteLink) -> None:
            task = asyncio.get_running_loop().create_task(self._serve_beside_others(link))
            running.add(task)
            task.add_done_callback(running.discard)

        listener = await listen(begin)
        try:
            ready(listener)
            # Not serve_forever: from Python 3.12 on, it waits at its end until every connection has closed.
            await asyncio.Event().wait()
        finally:
            listener.close()
            for task in running:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*running, return_exceptions=True)

    async def open_in_process(self) -> DapClient:
        """Start a session in this process and return its client.

        The client's `close` ends the session too, and raises SessionFailed.
        """
        near, far = memory_pair()
        task = asyncio.get_running_loop().create_task(self.serve(far, eager=True))

        async def end() -> None:
            await asyncio.wait([task], timeout=_END_S)
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.result()

        return DapClient(near, end)

    async def serve(self, link: ByteLink, place: ChildPlace | None = None, *, eager: bool = False) -> None:
        """Serve one session for the client at this link until the session ends. Raises SessionFailed.

        If `eager`, the agent is created at the launch.
        """
        await Pump(self._recipe, link, self._families, place, eager=eager).run()

    async def _serve_beside_others(self, link: ByteLink, place: ChildPlace | None = None) -> None:
        """Serve one session. Its failure does not end other sessions."""
        with contextlib.suppress(SessionFailed):  # the event loop has reported it
            await self.serve(link, place)
