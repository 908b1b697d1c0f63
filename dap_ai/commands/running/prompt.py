"""Reads a line from the user while the program is stopped.

1. The program shares our stdin, so at most one line is read, and only when requested. The rest belongs to the program,
   as after a shell's `read`.
2. A thread waits for the line, so that signals and the end of the program are noticed meanwhile.
3. A request for consent ignores text typed before it, and all input that does not come from a terminal.
4. The prompt is written to stdout only if that is a terminal, and the lines are not written to any file.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Generator

from dap_ai.commands.running.chat_input import PROMPT
from dap_ai.commands.running.controlling_terminal import Modes, set_modes
from dap_ai.commands.running.run_controls import Events

_STDIN = 0


class Prompt:
    """A prompt at which the user enters lines.

    `editing`: edit lines on stdout if it is a terminal; otherwise no prompt is written to stdout. `asks`: a person may
    be asked for consent. `text`: the prompt before each line.
    """

    def __init__(self, *, editing: bool = True, asks: bool = True, text: str = PROMPT) -> None:
        self._text = text
        self._interactive = os.isatty(_STDIN)
        self._asks = asks
        self._wake: tuple[int, int] | None = None
        self._edits = editing and self._interactive and sys.stdout.isatty() and _has_readline()
        self._waiting = False
        self._modes: Modes = []

    @property
    def echoes(self) -> bool:
        """Whether the terminal already shows the line that the user typed."""
        return self._interactive

    def read(self, tell: Callable[[str | None], None]) -> None:
        """Read a line in a thread, and call `tell` with the line without its line end.

        `tell` gets None at the end of input.
        """
        self._waiting = True
        threading.Thread(target=self._read, args=(tell,), daemon=True).start()

    @property
    def has_person(self) -> bool:
        """Whether a person can see a question on stderr and type an answer.

        False in the background and on Windows.
        """
        if not (self._asks and self._interactive and sys.stderr.isatty() and sys.platform != "win32"):
            return False
        with contextlib.suppress(OSError):
            return os.tcgetpgrp(_STDIN) == os.getpgrp()
        return False

    def ask(self, question: str, tell: Callable[[str | None], None]) -> None:
        """Show a question and call `tell` from a thread with a line typed after it, unless `drop` is called before."""
        _forget_typed()
        self._waiting = True
        self._wake = os.pipe()
        threading.Thread(target=self._ask, args=(question, tell, self._wake[0]), daemon=True).start()

    def drop(self) -> None:
        """Withdraw the question, and discard the text typed so far."""
        if self._wake:
            os.close(self._wake[1])
            self._wake = None
            _forget_typed()
            self._show("\n")

    def interrupted(self) -> bool:
        """Show the prompt again after a SIGINT; return whether the user can go on typing.

        The terminal has already discarded the typed text.
        """
        if self._interactive and not self._edits:
            self._show(f"\n{self._text}")
        return self._interactive

    def close(self) -> None:
        """Withdraw the question, and restore the terminal's modes if a line was still being edited."""
        self.drop()
        if self._waiting and self._interactive:
            self._show("\n")
        set_modes(_STDIN, self._modes)

    def _read(self, tell: Callable[[str | None], None]) -> None:
        line = self._edited() if self._edits else self._plain()
        self._waiting = False
        if line is None and self._interactive:
            self._show("\n")
        tell(line)

    def _ask(self, question: str, tell: Callable[[str | None], None], wake: int) -> None:
        import select  # noqa: PLC0415  used for a terminal on POSIX only

        self._show(question)
        line = bytearray()
        with contextlib.suppress(OSError):
            while not line.endswith(b"\n") and wake not in select.select([_STDIN, wake], [], [])[0]:
                if not (byte := os.read(_STDIN, 1)):
                    break
                line += byte
        dropped = bool(select.select([wake], [], [], 0)[0])
        os.close(wake)
        self._waiting = False
        if not dropped:
            if self._wake:
                os.close(self._wake[1])
                self._wake = None
            if not line.endswith(b"\n"):
                self._show("\n")
            tell(line.decode(errors="replace").strip())

    def _edited(self) -> str | None:
        with contextlib.suppress(EOFError, OSError), self._interrupt_as_key():
            return input(self._text)
        return None

    def _plain(self) -> str | None:
        if self._interactive:
            self._show(self._text)
        line = bytearray()
        with contextlib.suppress(OSError):
            while (byte := os.read(_STDIN, 1)) and byte != b"\n":
                line += byte
            return line.decode(errors="replace").rstrip("\r") if line or byte else None
        return None

    @contextlib.contextmanager
    def _interrupt_as_key(self) -> Generator[None]:
        """Disable the signals of Ctrl-C and Ctrl-Z in this context, so that the line editor gets the keys.

        The line editor runs in a thread, which would not receive the signals.
        """
        import termios  # noqa: PLC0415  POSIX only, as readline is

        self._modes = termios.tcgetattr(_STDIN)
        modes = termios.tcgetattr(_STDIN)
        for key in (termios.VINTR, termios.VSUSP):
            modes[6][key] = bytes([os.fpathconf(_STDIN, "PC_VDISABLE")])
        termios.tcsetattr(_STDIN, termios.TCSADRAIN, modes)
        try:
            yield
        finally:
            set_modes(_STDIN, self._modes)
            self._modes = []

    def _show(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def read_line(prompt: Prompt, events: Events) -> None:
    """Start reading a line, which arrives as the event `line`.

    The event's `text` is None at the end of input.
    """
    loop = asyncio.get_running_loop()

    def tell(text: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the run has ended, and its loop with it
            loop.call_soon_threadsafe(events.put_nowait, ("line", {"text": text}))

    prompt.read(tell)


def _has_readline() -> bool:
    """Return whether readline is available; if so, bind Ctrl-C to clear the line."""
    try:
        import readline  # noqa: PLC0415  not on Windows; only a chat on a terminal needs it
    except ImportError:
        return False
    if "libedit" in (readline.__doc__ or ""):
        readline.parse_and_bind("bind ^C em-kill-line")
    else:
        readline.parse_and_bind(r'"\C-c": kill-whole-line')
    return True


def _forget_typed() -> None:
    """Discard text that was typed before a question, because it cannot be the answer."""
    import termios  # noqa: PLC0415  POSIX only

    with contextlib.suppress(OSError, termios.error):
        termios.tcflush(_STDIN, termios.TCIFLUSH)
