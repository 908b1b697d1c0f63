"""Reading a line of the user's while the program stands still.

1. Our stdin is the program's too, so never more than a line is read, and only when one is asked for: what follows
   is the program's, as a shell's `read` leaves it.
2. A thread waits for the line: signals, and the end of the program, are seen meanwhile.
3. The prompt never reaches a stdout that is no terminal, and the lines are written to no file.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Generator

from dap_ai.commands.chat import PROMPT
from dap_ai.commands.terminal import Modes

_STDIN = 0


class Prompt:
    """`editing`: a line is edited on stdout, where that is a terminal; else no prompt ever reaches stdout."""

    def __init__(self, *, editing: bool = True) -> None:
        self._interactive = os.isatty(_STDIN)
        self._edits = editing and self._interactive and sys.stdout.isatty() and _has_readline()
        self._waiting = False
        self._modes: Modes = []

    @property
    def echoes(self) -> bool:
        """Whether the user sees the line already, having typed it."""
        return self._interactive

    def read(self, tell: Callable[[str | None], None]) -> None:
        """Calls `tell` with the next line without its end, from a thread; None: the input has ended."""
        self._waiting = True
        threading.Thread(target=self._read, args=(tell,), daemon=True).start()

    def interrupted(self) -> bool:
        """After a SIGINT: whether the user goes on with an empty line. The terminal has dropped what was typed."""
        if self._interactive and not self._edits:
            self._show(f"\n{PROMPT}")
        return self._interactive

    def close(self) -> None:
        """Leaves a terminal in which a line was still being edited as it was."""
        if self._waiting and self._interactive:
            self._show("\n")
        if self._modes:
            _set_modes(self._modes)

    def _read(self, tell: Callable[[str | None], None]) -> None:
        line = self._edited() if self._edits else self._plain()
        self._waiting = False
        if line is None and self._interactive:
            self._show("\n")
        tell(line)

    def _edited(self) -> str | None:
        with contextlib.suppress(EOFError, OSError), self._interrupt_as_key():
            return input(PROMPT)
        return None

    def _plain(self) -> str | None:
        if self._interactive:
            self._show(PROMPT)
        line = bytearray()
        with contextlib.suppress(OSError):
            while (byte := os.read(_STDIN, 1)) and byte != b"\n":
                line += byte
            return line.decode(errors="replace").rstrip("\r") if line or byte else None
        return None

    @contextlib.contextmanager
    def _interrupt_as_key(self) -> Generator[None]:
        """Ctrl-C and Ctrl-Z reach the line editor, which would not hear of their signals: it is in a thread."""
        import termios  # noqa: PLC0415  POSIX only, as readline is

        self._modes = termios.tcgetattr(_STDIN)
        modes = termios.tcgetattr(_STDIN)
        for key in (termios.VINTR, termios.VSUSP):
            modes[6][key] = bytes([os.fpathconf(_STDIN, "PC_VDISABLE")])
        termios.tcsetattr(_STDIN, termios.TCSADRAIN, modes)
        try:
            yield
        finally:
            _set_modes(self._modes)
            self._modes = []

    def _show(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _has_readline() -> bool:
    """Whether `input` edits lines from now on, with Ctrl-C for an empty one."""
    try:
        import readline  # noqa: PLC0415  not on Windows; only a chat on a terminal needs it
    except ImportError:
        return False
    if "libedit" in (readline.__doc__ or ""):
        readline.parse_and_bind("bind ^C em-kill-line")
    else:
        readline.parse_and_bind(r'"\C-c": kill-whole-line')
    return True


def _set_modes(modes: Modes) -> None:
    import termios  # noqa: PLC0415  POSIX only

    with contextlib.suppress(OSError, termios.error):
        termios.tcsetattr(_STDIN, termios.TCSADRAIN, modes)
