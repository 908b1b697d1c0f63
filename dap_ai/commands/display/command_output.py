"""Prints the lines of the commands.

A Teller prints them from its own thread, because writing to a full pipe on stderr would block a session.
"""

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
    """Print untrusted text; control and invisible characters are shown as escapes."""
    click.echo(visible(text), err=err, nl=nl)


def say_json(value: object) -> None:
    """Print a value as indented JSON; control and invisible characters in its strings are shown as escapes."""
    text = msgspec.json.format(msgspec.json.encode(all_visible(msgspec.to_builtins(value)))).decode()
    click.echo(in_json(text))


def warn(text: str) -> None:
    """Print a line on stderr with the prefix `dap-ai:`."""
    say(f"dap-ai: {text}", err=True)


class Teller:
    """Writes lines in its own thread; while the queue is full, it drops and counts them."""

    def __init__(self, write: Callable[[str], None] = warn) -> None:
        self._write = write
        self._lines: queue.Queue[str | None] = queue.Queue(_MAX_LINES)
        self._dropped = self._told = 0
        """Numbers of lines that were dropped, and of dropped lines that were reported.

        Only `tell` changes the first; only the writing thread changes the second.
        """
        # A daemon, so that a line that cannot be written does not keep the process alive.
        self._thread = threading.Thread(target=self._run, name="stderr", daemon=True)
        self._thread.start()

    def tell(self, text: str) -> None:
        """Queue a line for writing; drop it if the queue is full. Never blocks, never raises."""
        try:
            self._lines.put_nowait(text)
        except queue.Full:
            self._dropped += 1

    def close(self) -> None:
        """Write the queued lines, but wait at most about a second for them."""
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
