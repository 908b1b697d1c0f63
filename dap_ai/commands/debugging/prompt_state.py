"""The state shared by the commands: the current program, and the user's settings, which outlive it."""

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
    """A watched expression with its last value; an empty `data_id` means that we watch it line by line."""

    expression: str
    value: str
    data_id: str = ""

    def listing_line(self) -> str:
        """Format the watch as a line of the list."""
        return f"   watching {self.expression} = {self.value}"


@dataclass
class PromptState:
    """The state of the prompt; `live` is replaced when the program is started again."""

    live: LiveProgram
    display: Display
    breakpoints: PromptBreakpoints = field(default_factory=PromptBreakpoints)
    displays: dict[int, str] = field(default_factory=dict[int, str])
    """Expressions to show at each stop, by number."""
    watches: list[WatchedExpression] = field(default_factory=list[WatchedExpression])
    next_line: int = 0
    """The line at which `list` continues; 0: around the current line."""
    run_lines: Callable[[Sequence[str]], None] = lambda _lines: None
    """Queues lines to run before those that are typed next."""
    _sources: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def say(self, text: str) -> None:
        """Show the result of a command, unless it is empty."""
        if text:
            self.display.reply(text)

    def note(self, text: str) -> None:
        """Show a line about the session itself."""
        self.display.status(text)

    @property
    def file(self) -> str:
        """The source file of the selected frame; empty: none. Raises ProgramOver, ProgramNotStopped."""
        frame = self.live.frame
        return path_of(frame) if frame else ""

    @property
    def line(self) -> int:
        """The line of the selected frame; 0: none. Raises ProgramOver, ProgramNotStopped."""
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
