"""The interface to sources of lines, and a source that works for any terminal or pipe."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from typing import Protocol

from dap_ai.commands.running.prompt import Prompt

PROMPT = "(dap-ai) "


class Interrupted(Exception):  # noqa: N818  a state, not a mistake
    """Raised at Ctrl-C at the prompt; the typed text is discarded."""


class LineSuspended(Exception):  # noqa: N818  a state, not a mistake
    """Raised by `line` if something must be shown first."""


class Lines(Protocol):
    """A source of lines that reads only one requested line at a time, because the rest may be the program's input."""

    echoes: bool
    """Whether the terminal already shows the line that the user typed."""

    async def line(self) -> str | None:
        """Return the next line, or several pasted lines; None at the end. Raises Interrupted, LineSuspended."""
        ...

    def give_way(self) -> None:
        """Suspend the line that is being typed so that something can be shown; the next `line` resumes it."""

    def interrupted(self) -> None:
        """Handle a SIGINT while waiting for a line."""

    def close(self) -> None:
        """Stop reading."""


Complete = Callable[[str], Iterable[str]]
"""Returns completions, as whole words, for the text before the cursor."""


class PlainLines(Lines):
    """Reads a terminal without an editor, or a pipe, byte by byte, because the program's input may follow."""

    def __init__(self) -> None:
        self._prompt = Prompt(text=PROMPT)
        self.echoes = self._prompt.echoes
        self._waiting: asyncio.Future[str | None] | None = None
        self._wake = asyncio.Event()

    async def line(self) -> str | None:
        """Implements the method of Lines for a plain terminal or a pipe."""
        if self._waiting is None:
            loop = asyncio.get_running_loop()
            waiting: asyncio.Future[str | None] = loop.create_future()

            def set_line(text: str | None) -> None:
                if not waiting.done():
                    waiting.set_result(text)

            def tell(text: str | None) -> None:
                with contextlib.suppress(RuntimeError):  # the loop has been closed
                    loop.call_soon_threadsafe(set_line, text)

            self._waiting = waiting
            self._prompt.read(tell)
        self._wake.clear()
        wake = asyncio.ensure_future(self._wake.wait())
        try:
            await asyncio.wait({self._waiting, wake}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            wake.cancel()
        if not self._waiting.done():
            raise LineSuspended
        line, self._waiting = self._waiting.result(), None
        return line

    def give_way(self) -> None:
        """Suspend `line`; the text that is being typed stays on screen."""
        self._wake.set()

    def interrupted(self) -> None:
        """Show the prompt again; the terminal has discarded what was typed."""
        self._prompt.interrupted()

    def close(self) -> None:
        """Implements the method of Lines for a plain terminal or a pipe."""
        self._prompt.close()
