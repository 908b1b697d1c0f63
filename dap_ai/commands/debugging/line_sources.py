"""Where lines come from, and a source that every terminal and every pipe has."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from typing import Protocol

from dap_ai.commands.running.prompt import Prompt

PROMPT = "(dap-ai) "


class Interrupted(Exception):  # noqa: N818  a state, not a mistake
    """Ctrl-C at the prompt: what was typed is dropped."""


class LineSuspended(Exception):  # noqa: N818  a state, not a mistake
    """Something is to be shown first."""


class Lines(Protocol):
    """One line at a time, and only when one is wanted: what follows may be the program's input."""

    echoes: bool
    """The user sees a line already, having typed it."""

    async def line(self) -> str | None:
        """The next one, or several that were pasted; None: there are no more. Raises Interrupted, LineSuspended."""
        ...

    def give_way(self) -> None:
        """Something is to be shown: the line that is being typed ends, and is offered again by the next `line`."""

    def interrupted(self) -> None:
        """SIGINT has come while a line is awaited."""

    def close(self) -> None:
        """Nobody reads any more."""


Complete = Callable[[str], Iterable[str]]
"""What a line to the cursor can go on with: whole words."""


class PlainLines(Lines):
    """A terminal without an editor, or a pipe: read byte by byte, as the program's input may follow."""

    def __init__(self) -> None:
        self._prompt = Prompt(text=PROMPT)
        self.echoes = self._prompt.echoes
        self._waiting: asyncio.Future[str | None] | None = None
        self._wake = asyncio.Event()

    async def line(self) -> str | None:
        """See Lines."""
        if self._waiting is None:
            loop = asyncio.get_running_loop()
            waiting: asyncio.Future[str | None] = loop.create_future()

            def set_line(text: str | None) -> None:
                if not waiting.done():
                    waiting.set_result(text)

            def tell(text: str | None) -> None:
                with contextlib.suppress(RuntimeError):  # all is over, and the loop with it
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
        """The line that is being typed stays where it is."""
        self._wake.set()

    def interrupted(self) -> None:
        """The terminal has dropped what was typed."""
        self._prompt.interrupted()

    def close(self) -> None:
        """See Lines."""
        self._prompt.close()
