"""The line editor of `dap-ai debug`; the only module that uses prompt_toolkit.

The program's output appears above the line that the user is typing. A paste of several lines is one input. A line that
begins with `!` and ends with `:` continues until an empty line.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.shortcuts import CompleteStyle

from dap_ai.commands.debugging.line_sources import PROMPT, Complete, Interrupted, Lines, LineSuspended
from dap_ai.commands.debugging.screen import Screen

_GIVES_WAY = object()


class Editor(Lines):
    """Reads the user's lines with line editing, history and completion.

    Ctrl-C arrives as a key, not as a signal.
    """

    echoes = True

    def __init__(self, screen: Screen, complete: Complete, history: Path | None) -> None:
        self._screen = screen
        self._typed = ""
        self._pending: set[asyncio.Future[None]] = set()
        output = Vt100_Output.from_pty(sys.stdout, term=os.environ.get("TERM"), enable_bell=False)
        output.enable_cpr = False  # some terminals never report the cursor's position, which would block
        self._session: PromptSession[Any] = PromptSession(
            PROMPT,
            output=output,
            history=_history(history),
            completer=_Names(complete),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            enable_history_search=True,
            key_bindings=_keys(),
            multiline=True,
            prompt_continuation=lambda width, _line, _wrapped: "... ".rjust(width),
        )

    async def line(self) -> str | None:
        """Return the next line, or None at the end of input. Raises Interrupted, LineSuspended."""
        typed, self._typed = self._typed, ""
        self._screen.above = self._above
        try:
            line: Any = await self._session.prompt_async(default=typed, handle_sigint=False)
        except EOFError:
            return None
        except KeyboardInterrupt:
            raise Interrupted from None
        finally:
            self._screen.above = None
            self._session.app.erase_when_done = False
        if line is _GIVES_WAY:
            raise LineSuspended
        return str(line)

    def give_way(self) -> None:
        """Suspend the line being typed, so that something can be shown; the next `line` resumes it."""
        app = self._session.app
        if app.is_running and not app.is_done:
            self._typed = self._session.default_buffer.text
            app.erase_when_done = True
            app.exit(result=_GIVES_WAY)

    def _above(self, write: Callable[[], None]) -> None:
        task = asyncio.ensure_future(_with_prompt_away(write))
        self._pending.add(task)
        task.add_done_callback(self._pending.discard)


async def _with_prompt_away(write: Callable[[], None]) -> None:
    async with in_terminal():
        write()


class _Names(Completer):
    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Return the possible completions of the word before the cursor."""
        del complete_event
        before = document.text_before_cursor
        word = document.get_word_before_cursor(WORD=False) if before[-1:].strip() else ""
        if word in {".", "->", "::", "("}:
            word = ""
        return [Completion(name, start_position=-len(word)) for name in self._complete(before) if name.startswith(word)]


def _history(path: Path | None) -> History:
    """Return the history of typed lines, in a file that only its user can read.

    If the path is None or unusable, return a history in memory.
    """
    if path is None:
        return InMemoryHistory()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(path))


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        lines = buffer.text.split("\n")
        opens = buffer.text.startswith("!") and (
            lines[-1].rstrip().endswith(":") or (len(lines) > 1 and lines[-1].strip())
        )
        if opens:
            buffer.insert_text(
                "\n" + lines[-1][: len(lines[-1]) - len(lines[-1].lstrip())] + "    " * lines[-1].rstrip().endswith(":")
            )
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add(Keys.BracketedPaste)
    def _(event: KeyPressEvent) -> None:
        data = event.data.replace("\r\n", "\n").replace("\r", "\n")
        event.current_buffer.insert_text(data)
        if data.endswith("\n"):
            event.current_buffer.validate_and_handle()

    return keys
