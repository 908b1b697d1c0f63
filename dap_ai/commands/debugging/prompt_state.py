"""The state that the prompt's commands share: the current program and the user's breakpoints, watches, displays."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dap_ai.commands.debugging.listing import path_of
from dap_ai.commands.debugging.live_program import LiveProgram
from dap_ai.commands.debugging.prompt_breakpoints import PromptBreakpoints
from dap_ai.commands.display.display import Display
from dap_ai.protocol.wire.errors import RequestFailed


@dataclass
class WatchedExpression:
    """A watched expression with its last known value.

    If `data_id` is empty, the program is stepped line by line instead of using a data breakpoint.
    """

    expression: str
    value: str
    data_id: str = ""

    def listing_line(self) -> str:
        """Return the line that describes this watch in the list of breakpoints."""
        return f"   watching {self.expression} = {self.value}"


@dataclass
class PromptState:
    """The state that the prompt's commands share; a restart of the program replaces `live`."""

    live: LiveProgram
    display: Display
    breakpoints: PromptBreakpoints = field(default_factory=PromptBreakpoints)
    displays: dict[int, str] = field(default_factory=dict[int, str])
    """Expressions to show at each stop, by the user's number for each."""
    watches: list[WatchedExpression] = field(default_factory=list[WatchedExpression])
    next_line: int = 0
    """The source line at which `list` continues; 0 means around the current line."""
    run_lines: Callable[[Sequence[str]], None] = lambda _lines: None
    """A function that queues lines to run before the lines that the user types next."""
    _sources: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def say(self, text: str) -> None:
        """Show the result of a command, if it is not empty."""
        if text:
            self.display.reply(text)

    def note(self, text: str) -> None:
        """Show a status line about the session itself."""
        self.display.status(text)

    @property
    def file(self) -> str:
        """The path of the selected frame's source file; empty if unknown. Raises ProgramOver, ProgramNotStopped."""
        frame = self.live.frame
        return path_of(frame) if frame else ""

    @property
    def line(self) -> int:
        """The selected frame's line; 0 if there is no frame. Raises ProgramOver, ProgramNotStopped."""
        frame = self.live.frame
        return int(frame["line"]) if frame else 0

    async def source(self) -> Sequence[str]:
        """Return the source lines of the selected frame's file; empty if unavailable.

        Raises ProgramOver, ProgramNotStopped.
        """
        frame = self.live.frame
        path = self.file
        if frame is None:
            return ()
        if path:
            linecache.checkcache(path)
            if lines := linecache.getlines(path):
                return lines
        about: Mapping[str, Any] = frame.get("source") or {}
        reference = int(about.get("sourceReference") or 0)
        if not reference:
            return ()
        if path not in self._sources:
            try:
                body = await self.live.controls.request("source", {"sourceReference": reference, "source": about})
                self._sources[path] = str(body.get("content") or "").splitlines()
            except RequestFailed:
                return ()
        return self._sources[path]
