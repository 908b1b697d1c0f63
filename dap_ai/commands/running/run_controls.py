"""Sends the requests that control the program in a run (breakpoints, continue, pause), and queues its events."""

from __future__ import annotations

import asyncio
import contextlib
import linecache
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dap_ai.commands.options.command_line import BreakpointOption, breakpoints_by_file
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.transport.client import DapClient

Events = asyncio.Queue[tuple[str, dict[str, Any]]]
"""A queue of events in order, each as its name and its body."""
_OF_DEBUGGEE = ("initialized", "process", "stopped", "continued", "output", "exited", "terminated")
_HEARD = frozenset((*_OF_DEBUGGEE, "askOutput", "askApproval", "askEnded", "askCaught"))


def hear(client: DapClient, events: Events) -> None:
    """Queue the events of a session that a run handles.

    Other events are dropped, because an adapter's event named `consent` or `line` must not pass for user input.
    """
    client.on_event(lambda name, body: events.put_nowait((name, body)) if name in _HEARD else None)


_REQUEST_S = 20.0


class Controls:
    """Sends the requests of one session. Methods raise RequestFailed, ConnectionClosed, TimeoutError."""

    def __init__(self, client: DapClient, breakpoints: Sequence[BreakpointOption], exceptions: Sequence[str]) -> None:
        self._client = client
        self._breakpoints = breakpoints
        self.capabilities: Mapping[str, Any] = {}
        """The adapter's capabilities from the response to `initialize`."""
        self.filters: Sequence[str] = exceptions
        """Names of the adapter's exception filters to set."""
        self.functions: Sequence[str] = ()
        """Names of functions to stop at, if the program has them."""
        self.function_ids: set[int] = set()
        """The adapter's ids of the breakpoints on `functions`."""

    async def request(self, command: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request to the session and return the body of its response."""
        return await self._client.request(command, arguments, timeout_s=_REQUEST_S)

    async def set_stops(self) -> list[str]:
        """Set all breakpoints and exception filters; return one line per breakpoint that the debugger refused."""
        objections: list[str] = []
        for file, lines in breakpoints_by_file(self._breakpoints).items():
            body = await self.request("setBreakpoints", {"source": {"path": file}, "breakpoints": lines})
            for line, answer in zip(lines, body.get("breakpoints", []), strict=False):
                if answer.get("message") and not answer.get("verified"):
                    objections.append(f"{file}:{line['line']}: {answer['message']}")
        await self.request("setExceptionBreakpoints", {"filters": list(self.filters)})
        await self._set_functions(self.functions)
        return objections

    async def clear_stops(self) -> None:
        """Remove all breakpoints and exception filters from the debugger."""
        for file in breakpoints_by_file(self._breakpoints):
            await self.request("setBreakpoints", {"source": {"path": file}, "breakpoints": []})
        await self.request("setExceptionBreakpoints", {"filters": []})
        await self._set_functions([])

    async def _set_functions(self, names: Sequence[str]) -> None:
        if self.functions:
            with contextlib.suppress(RequestFailed):  # the user did not request these breakpoints
                arguments = {"breakpoints": [{"name": name} for name in names]}
                answers = (await self.request("setFunctionBreakpoints", arguments)).get("breakpoints", ())
                self.function_ids = {answer["id"] for answer in answers if "id" in answer}

    async def set_functions(self, wanted: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Set the user's function breakpoints in addition to `functions`.

        Return the debugger's answers to the user's breakpoints.
        """
        ours = [{"name": name} for name in self.functions]
        asked = {"breakpoints": [*ours, *wanted]}
        answers = (await self.request("setFunctionBreakpoints", asked)).get("breakpoints", [])
        self.function_ids = {answer["id"] for answer in answers[: len(ours)] if "id" in answer}
        return answers[len(ours) :]

    async def pause(self) -> None:
        """Pause the program at its current place."""
        threads = (await self.request("threads"))["threads"]
        await self.request("pause", {"threadId": threads[0]["id"]})

    async def place(self, thread_id: int) -> str:
        """Describe where a thread is stopped, as `shop.py:12 in total: return 1`.

        Returns an empty string if the thread has no frame.
        """
        with contextlib.suppress(RequestFailed):
            frames = (await self.request("stackTrace", {"threadId": thread_id, "levels": 1}))["stackFrames"]
            return _place(frames[0]) if frames else ""
        return ""


def _place(frame: dict[str, Any]) -> str:
    source: dict[str, Any] = frame.get("source") or {}
    path: str = source.get("path") or ""
    line: int = frame["line"]
    linecache.checkcache(path)
    text = linecache.getline(path, line).strip()
    near = os.path.relpath(path) if path and Path(path).is_relative_to(Path.cwd()) else path or "no file"
    return f"{near}:{line} in {frame['name']}" + (f": {text}" if text else "")
