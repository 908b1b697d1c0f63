"""What the commands work with: the program of now, and what its user has set up, which outlives it."""

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
    """`data_id`: the debugger watches it; empty: we do, line by line."""

    expression: str
    value: str
    data_id: str = ""

    def listing_line(self) -> str:
        """A line of the list."""
        return f"   watching {self.expression} = {self.value}"


@dataclass
class PromptState:
    """`live` is replaced when the program is started again."""

    live: LiveProgram
    display: Display
    breakpoints: PromptBreakpoints = field(default_factory=PromptBreakpoints)
    displays: dict[int, str] = field(default_factory=dict[int, str])
    """Expressions that are shown at each stop, by number."""
    watches: list[WatchedExpression] = field(default_factory=list[WatchedExpression])
    next_line: int = 0
    """Where `list` goes on; 0: around the current line."""
    run_lines: Callable[[Sequence[str]], None] = lambda _lines: None
    """Puts lines before those that are typed next."""
    _sources: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def say(self, text: str) -> None:
        """What a command has found."""
        if text:
            self.display.reply(text)

    def note(self, text: str) -> None:
        """A line about the session itself."""
        self.display.status(text)

    @property
    def file(self) -> str:
        """The source file of the selected frame; empty: none. Raises Over, NotStopped."""
        frame = self.live.frame
        return path_of(frame) if frame else ""

    @property
    def line(self) -> int:
        """The selected frame's; 0: none. Raises Over, NotStopped."""
        frame = self.live.frame
        return int(frame["line"]) if frame else 0

    async def source(self) -> Sequence[str]:
        """The lines of the selected frame's file; empty: nobody has them. Raises Over, NotStopped."""
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
