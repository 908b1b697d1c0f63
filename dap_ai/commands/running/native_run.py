"""A run of `dap-ai ask` for a native program, a native process or a core file."""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import Any

from dap_ai.client import Client
from dap_ai.commands.running.native_job import NativeJob
from dap_ai.commands.running.outcome import Wishes
from dap_ai.commands.running.prompt import Prompt
from dap_ai.commands.running.run import Run
from dap_ai.commands.shown.display import Display
from dap_ai.protocol.errors import RequestFailed

_PANICS = ("rust_panic", "__rustc::rust_panic")
"""Where every panic of Rust's passes, as lldb finds it by name, and gdb does from Rust 1.87 on."""
_NOISE = re.compile(
    r"^(?:warning: .*has no plugin for the language|(?:error|warning): .*\b0x[0-9a-f]+\]?: .*\bDW_[A-Z]+_).*(?:\n|\Z)",
    re.MULTILINE,
)
"""What lldb says of its own reading: of Rust, whose values it shows all the same, and of debug information."""
_QUIET_S = 0.03
_SETTLE_S = 0.3
"""So long what the program wrote before it stopped may come after the event of the stop."""


class NativeRun(Run):
    """See Run. Signals stop by themselves, and what the program writes comes from the adapter."""

    def __init__(self, client: Client, display: Display, job: NativeJob, wishes: Wishes, prompt: Prompt) -> None:
        super().__init__(client, display, job, wishes, prompt)
        self._native = job
        self._controls.functions = _PANICS if wishes.stops_at_panics else ()

    async def _start(self) -> None:
        try:
            await super()._start()
        except RequestFailed as error:
            if not self._wishes.core or self._wishes.native == "gdb":
                raise
            text = f"{error.user_text.rstrip('.')}. What lldb cannot read, gdb may: --backend gdb."
            raise RequestFailed(error.command, error.message, text) from error

    async def _first_stop(self) -> None:
        """What is attached to stops by itself."""

    async def _handle(self, name: str, body: dict[str, Any]) -> bool:
        if name == "output":
            body = self._without_noise(body)
            self._native.output(body)
            if not body.get("output"):
                return True
        elif name == "exited":
            await self._native.exited(body["exitCode"], self._controls.request)
        return await super()._handle(name, body)

    def _without_noise(self, body: dict[str, Any]) -> dict[str, Any]:
        """What the program writes comes to lldb by a terminal, as `stdout`; version 19 says its own as `stderr`."""
        text = body.get("output") or ""
        if self._wishes.verbose or body.get("category") == "stdout":
            return body
        return body | {"output": _NOISE.sub("", text)}

    async def _on_stopped(self, body: dict[str, Any]) -> bool:
        if body.get("reason") == "attach" and self._wishes.breakpoints:  # gdb's, on the way to them
            await self._controls.request("continue", {"threadId": body["threadId"]})
            return True
        if self._running:  # else it is another thread of the same stop
            await self._settle()
        if self._controls.function_ids.intersection(body.get("hitBreakpointIds") or ()):
            body = body | {"description": "panic", "text": ""}
        return await super()._on_stopped(await self._native.stopped(body, self._controls.request))

    async def _resume(self, command: str) -> None:
        await self._native.before_going_on(self._controls.request)
        await super()._resume(command)

    async def _settle(self) -> None:
        """Shows the output that is still on its way; all other events keep their order.

        An answer comes first, however long it takes: the silence of an adapter that has no processor says nothing.
        """
        with contextlib.suppress(RequestFailed):
            await self._controls.request("threads")
        others: list[tuple[str, dict[str, Any]]] = []
        loop = asyncio.get_running_loop()
        end = loop.time() + _SETTLE_S
        while loop.time() < end:
            try:
                name, body = await asyncio.wait_for(self._events.get(), _QUIET_S)
            except (TimeoutError, asyncio.TimeoutError):
                break
            if name == "output":
                await self._handle(name, body)
            else:
                others.append((name, body))
        others += [self._events.get_nowait() for _ in range(self._events.qsize())]
        for event in others:
            self._events.put_nowait(event)
