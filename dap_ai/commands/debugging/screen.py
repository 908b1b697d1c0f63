"""What is written to the terminal while a program and a prompt share it.

1. The program's output comes through us (a terminal of its own), so that it never lands within a line that is typed.
2. Its input is our terminal itself: what was typed ahead stays there, for whoever reads next.
3. It leads a session of its own: Ctrl-C reaches us alone, and pauses it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from dap_ai.commands.display.rendering import TerminalDisplay
from dap_ai.commands.running.controlling_terminal import ControllingTerminal, Modes, modes_of, set_modes
from dap_ai.settings.configuration import Settings
from dap_ai.system import programs

_CHUNK_BYTES = 65536


class Screen:
    """Our stdout. `above` is set while a line is being typed: it runs a function with the prompt out of the way."""

    def __init__(self) -> None:
        self.above: Callable[[Callable[[], None]], None] | None = None
        self._rest = b""
        """The beginning of a line that waits for its end, while there is a prompt."""
        self._open_line = False

    def program(self, data: bytes) -> None:
        """What the program writes."""
        if not data:
            return
        if self.above is None:
            self._write(self._rest + data)
            self._rest = b""
            return
        whole, newline, rest = (self._rest + data).rpartition(b"\n")
        self._rest = rest
        if newline:
            self.above(lambda: self._write(whole + newline))

    def fresh(self) -> None:
        """What comes next begins a line."""
        if self._rest:
            rest, self._rest = self._rest, b""
            self._write(rest)
        if self._open_line:
            self._write(b"\n")

    def _write(self, data: bytes) -> None:
        self._open_line = not data.endswith(b"\n")
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


class DebugDisplay(TerminalDisplay):
    """All in one stream, as debuggers do it."""

    def __init__(self, settings: Settings, screen: Screen, *, verbose: bool = False) -> None:
        super().__init__(settings, sys.stdout, sys.stdout, verbose=verbose)
        self._screen = screen

    def program_output(self, category: str, data: bytes) -> None:
        """Above the prompt, if there is one."""
        del category
        self._quiet()
        self._screen.program(data)


class SharedTerminal(ControllingTerminal):
    """See the module's rules. Where stdout is no terminal, the program writes to it itself."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        super().close(restore=False)  # no group of the program's is ever in the foreground
        self._screen = screen
        self._output = self._far = -1
        self._ours: Modes = modes_of(0)
        self._programs: Modes = []
        self._given = False

    @property
    def present(self) -> bool:
        """There is no job control in it."""
        return False

    def spawning(self) -> dict[str, Any]:
        """Its input is ours, its output a terminal of its own."""
        if sys.platform == "win32":
            return super().spawning()
        if not sys.stdout.isatty():
            return {"start_new_session": True}
        self._output, self._far = os.openpty()
        os.set_blocking(self._output, False)
        _set_up(self._far)
        return {"start_new_session": True, "stdout": self._far, "stderr": self._far}

    def spawned(self) -> None:
        """Its output is read from now on."""
        if self._far >= 0:
            os.close(self._far)
            self._far = -1
            asyncio.get_running_loop().add_reader(self._output, self._drain)

    def started(self, group: int) -> None:
        """Nothing is to be taken from it."""

    def take(self) -> None:
        """The program stands still: all that it wrote is shown, and the terminal is in our modes."""
        self._drain()
        if self._given:
            self._given = False
            self._programs = modes_of(0)
            set_modes(0, self._ours)

    def give(self, group: int) -> None:
        """The program goes on, in the modes that it had set."""
        del group
        self._screen.fresh()
        self._given = True
        if self._programs and self._programs != self._ours:
            set_modes(0, self._programs)

    def resumed(self, group: int) -> None:
        """`fg` was typed: nothing has changed for the program."""

    def gone(self) -> None:
        """The program has ended: the rest of its output is shown."""
        self._drain()
        if self._output >= 0:
            asyncio.get_running_loop().remove_reader(self._output)
            os.close(self._output)
            self._output = -1
        self._given, self._programs = False, []
        set_modes(0, self._ours)

    def leave(self) -> None:
        """The program goes on without us: what it writes still comes here, by a process that ends with it."""
        if self._output >= 0:
            self._drain()
            os.set_blocking(self._output, True)
            quiet = subprocess.DEVNULL  # it ends by an error: so does every reader of a terminal that is gone
            cat = programs.locate("cat") or "/bin/cat"
            subprocess.Popen([cat], stdin=self._output, stderr=quiet, start_new_session=True)  # noqa: S603  ours
        self.gone()

    def close(self, *, restore: bool) -> None:
        """As the shell gave it to us."""
        del restore
        set_modes(0, self._ours)

    def _drain(self) -> None:
        with contextlib.suppress(OSError):  # nothing there now, or nobody writes any more
            while self._output >= 0 and (data := os.read(self._output, _CHUNK_BYTES)):
                self._screen.program(data)
            if self._output >= 0:
                asyncio.get_running_loop().remove_reader(self._output)


def _set_up(far: int) -> None:
    """As wide as ours; line ends are made by ours, once."""
    import fcntl  # noqa: PLC0415  POSIX only
    import termios  # noqa: PLC0415  the same

    with contextlib.suppress(OSError, termios.error):
        size = fcntl.ioctl(1, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(far, termios.TIOCSWINSZ, size)
    modes = termios.tcgetattr(far)
    modes[1] &= ~termios.OPOST
    termios.tcsetattr(far, termios.TCSANOW, modes)
