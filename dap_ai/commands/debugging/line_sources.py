"""The interface for reading the user's lines, and an implementation for any terminal or pipe."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from typing import Protocol

from dap_ai.commands.running.prompt import Prompt

PROMPT = "(dap-ai) "


class Interrupted(Exception):  # noqa: N818  a state, not a mistake
    """Raised if the user presses Ctrl-C at the prompt; the typed text is discarded."""


class LineSuspended(Exception):  # noqa: N818  a state, not a mistake
    """Raised by `line` if an event must be shown before the user goes on typing."""


class Lines(Protocol):
    """A source of the user's lines.

    It reads one line at a time and only when asked, because the rest of the input may belong to the program.
    """

    echoes: bool
    """Whether the terminal already shows the line that the user typed."""

    async def line(self) -> str | None:
        """Return the next line, or several pasted lines; None at the end of input.

        Raises Interrupted, LineSuspended.
        """
        ...

    def give_way(self) -> None:
        """Suspend the line being typed, so that something can be shown; the next `line` resumes it."""

    def interrupted(self) -> None:
        """Handle a SIGINT that arrives while `line` waits."""

    def close(self) -> None:
        """Stop reading lines, and restore the terminal."""


Complete = Callable[[str], Iterable[str]]
"""A function that returns completions, as whole words, for the text before the cursor."""


class PlainLines(Lines):
    """Reads lines from a pipe, or from a terminal without line editing.

    It reads byte by byte, because the input after a line may belong to the program.
    """

    def __init__(self) -> None:
        self._prompt = Prompt(text=PROMPT)
        self.echoes = self._prompt.echoes
        self._waiting: asyncio.Future[str | None] | None = None
        self._wake = asyncio.Event()

    async def line(self) -> str | None:
        """Return the next line, or None at the end of input. Raises LineSuspended."""
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
        """Suspend `line`; the text being typed stays on screen."""
        self._wake.set()

    def interrupted(self) -> None:
        """Show the prompt again; the terminal has discarded what was typed."""
        self._prompt.interrupted()

    def close(self) -> None:
        """Stop reading lines, and restore the terminal's modes."""
        self._prompt.close()
