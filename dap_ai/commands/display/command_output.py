"""Lines of the commands; those that nobody has to read, which hold no session up when stderr is a full pipe."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

import click
import msgspec

from dap_ai.protocol.wire.visible import all_visible, in_json, visible

_MAX_LINES = 1000
_CLOSE_S = 1.0


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text of whatever origin: what would act on the terminal, or hide, as escapes."""
    click.echo(visible(text), err=err, nl=nl)


def say_json(value: object) -> None:
    """Print a report as JSON in lines, each text in it as `say` would print it."""
    text = msgspec.json.format(msgspec.json.encode(all_visible(msgspec.to_builtins(value)))).decode()
    click.echo(in_json(text))


def warn(text: str) -> None:
    """A line on stderr with the command's name."""
    say(f"dap-ai: {text}", err=True)


class Teller:
    """Writes lines in a thread of its own. While they are not read, lines are dropped, and counted."""

    def __init__(self, write: Callable[[str], None] = warn) -> None:
        self._write = write
        self._lines: queue.Queue[str | None] = queue.Queue(_MAX_LINES)
        self._dropped = self._told = 0
        """Each is changed by one thread only: that which tells, and that which writes."""
        # A daemon: at the end, a line that cannot be written keeps no process alive.
        self._thread = threading.Thread(target=self._run, name="stderr", daemon=True)
        self._thread.start()

    def tell(self, text: str) -> None:
        """Write a line soon. Never blocks, never raises."""
        try:
            self._lines.put_nowait(text)
        except queue.Full:
            self._dropped += 1

    def close(self) -> None:
        """What waits is still written, if it is read within a second."""
        try:
            self._lines.put(None, timeout=_CLOSE_S)
        except queue.Full:
            return
        self._thread.join(_CLOSE_S)

    def _run(self) -> None:
        while (text := self._lines.get()) is not None:
            dropped = self._dropped - self._told
            self._told += dropped
            try:
                self._write(text)
                if dropped:
                    self._write(f"{dropped} lines before or after this one were dropped: nobody read them")
            except OSError:
                return  # stderr is closed
