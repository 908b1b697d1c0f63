"""Reading a line of the user's while the program stands still.

1. Our stdin is the program's too, so never more than a line is read, and only when one is asked for: what follows
   is the program's, as a shell's `read` leaves it.
2. A thread waits for the line: signals, and the end of the program, are seen meanwhile.
3. What only a person may answer is not answered by what was typed before, nor by a pipe.
4. The prompt never reaches a stdout that is no terminal, and the lines are written to no file.
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
    """`editing`: a line is edited on stdout, where that is a terminal; else no prompt ever reaches stdout.

    `asks`: a person may be asked for consent. `text` stands before a line.
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
        """Whether the user sees the line already, having typed it."""
        return self._interactive

    def read(self, tell: Callable[[str | None], None]) -> None:
        """Calls `tell` with the next line without its end, from a thread; None: the input has ended."""
        self._waiting = True
        threading.Thread(target=self._read, args=(tell,), daemon=True).start()

    @property
    def has_person(self) -> bool:
        """Whether somebody sees a question on stderr and can type an answer: not in the background, on POSIX only."""
        if not (self._asks and self._interactive and sys.stderr.isatty() and sys.platform != "win32"):
            return False
        with contextlib.suppress(OSError):
            return os.tcgetpgrp(_STDIN) == os.getpgrp()
        return False

    def ask(self, question: str, tell: Callable[[str | None], None]) -> None:
        """As `read`, of a line that is typed from now on; after `drop`, nothing is told."""
        _forget_typed()
        self._waiting = True
        self._wake = os.pipe()
        threading.Thread(target=self._ask, args=(question, tell, self._wake[0]), daemon=True).start()

    def drop(self) -> None:
        """What was asked needs no answer any more; what was typed of it is forgotten."""
        if self._wake:
            os.close(self._wake[1])
            self._wake = None
            _forget_typed()
            self._show("\n")

    def interrupted(self) -> bool:
        """After a SIGINT: whether the user goes on with an empty line. The terminal has dropped what was typed."""
        if self._interactive and not self._edits:
            self._show(f"\n{self._text}")
        return self._interactive

    def close(self) -> None:
        """Leaves a terminal in which a line was still being edited as it was."""
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
        import select  # noqa: PLC0415  for a terminal on POSIX only

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
            set_modes(_STDIN, self._modes)
            self._modes = []

    def _show(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def read_line(prompt: Prompt, events: Events) -> None:
    """The next line comes as the event `line`; None as its `text`: the input has ended."""
    loop = asyncio.get_running_loop()

    def tell(text: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the run has ended, and its loop with it
            loop.call_soon_threadsafe(events.put_nowait, ("line", {"text": text}))

    prompt.read(tell)


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


def _forget_typed() -> None:
    """What was typed before a question is no answer to it."""
    import termios  # noqa: PLC0415  POSIX only

    with contextlib.suppress(OSError, termios.error):
        termios.tcflush(_STDIN, termios.TCIFLUSH)
