"""Controls the terminal while the debugged program and the prompt share it.

1. We forward the program's output from its own terminal, so that it never appears within a line being typed.
2. The program's input is our terminal: text typed ahead stays there for the next reader.
3. The program leads its own session: Ctrl-C reaches only us, and we pause the program.
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
    """Our stdout, to which we and the debugged program write.

    `above` is set while the user types a line: it calls a function with the prompt temporarily removed.
    """

    def __init__(self) -> None:
        self.above: Callable[[Callable[[], None]], None] | None = None
        self._rest = b""
        """An incomplete line of output, held back while the prompt is shown."""
        self._open_line = False

    def program(self, data: bytes) -> None:
        """Write output of the program; while the prompt is shown, write only whole lines."""
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
        """Write the output that was held back, and end its line, so that our next output begins a new line."""
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
    """A terminal display that writes everything to stdout, as pdb and gdb do."""

    def __init__(self, settings: Settings, screen: Screen, *, verbose: bool = False) -> None:
        super().__init__(settings, sys.stdout, sys.stdout, verbose=verbose)
        self._screen = screen

    def program_output(self, category: str, data: bytes) -> None:
        """Show program output, above the prompt if one is shown."""
        del category
        self._quiet()
        self._screen.program(data)


class SharedTerminal(ControllingTerminal):
    """The terminal that the prompt shares with the program, under the three rules of this module.

    If stdout is not a terminal, the program writes to it directly.
    """

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        super().close(restore=False)  # the program's process group is never in the foreground
        self._screen = screen
        self._output = self._far = -1
        self._ours: Modes = modes_of(0)
        self._programs: Modes = []
        self._given = False

    @property
    def present(self) -> bool:
        """Always False, because the program does not take part in job control."""
        return False

    def spawning(self) -> dict[str, Any]:
        """Return arguments for `Popen` that give the program our input and a new terminal for its output."""
        if sys.platform == "win32":
            return super().spawning()
        if not sys.stdout.isatty():
            return {"start_new_session": True}
        self._output, self._far = os.openpty()
        os.set_blocking(self._output, False)
        _set_up(self._far)
        return {"start_new_session": True, "stdout": self._far, "stderr": self._far}

    def spawned(self) -> None:
        """Start reading the program's output; called after the program has been started."""
        if self._far >= 0:
            os.close(self._far)
            self._far = -1
            asyncio.get_running_loop().add_reader(self._output, self._drain)

    def started(self, group: int) -> None:
        """Do nothing: the program never takes the foreground."""

    def take(self) -> None:
        """Show the stopped program's pending output, and restore our terminal modes."""
        self._drain()
        if self._given:
            self._given = False
            self._programs = modes_of(0)
            set_modes(0, self._ours)

    def give(self, group: int) -> None:
        """Restore the terminal modes that the program had set; called when the program continues."""
        del group
        self._screen.fresh()
        self._given = True
        if self._programs and self._programs != self._ours:
            set_modes(0, self._programs)

    def resumed(self, group: int) -> None:
        """Do nothing, because the shell's `fg` does not concern the program."""

    def gone(self) -> None:
        """Show the ended program's remaining output, and restore our terminal modes."""
        self._drain()
        if self._output >= 0:
            asyncio.get_running_loop().remove_reader(self._output)
            os.close(self._output)
            self._output = -1
        self._given, self._programs = False, []
        set_modes(0, self._ours)

    def leave(self) -> None:
        """Let a separate process forward the program's output, because the program continues without us."""
        if self._output >= 0:
            self._drain()
            os.set_blocking(self._output, True)
            quiet = subprocess.DEVNULL  # cat ends with an error, as every reader does when its terminal closes
            cat = programs.locate("cat") or "/bin/cat"
            subprocess.Popen([cat], stdin=self._output, stderr=quiet, start_new_session=True)  # noqa: S603  ours
        self.gone()

    def close(self, *, restore: bool) -> None:
        """Restore the terminal modes that the shell gave us."""
        del restore
        set_modes(0, self._ours)

    def _drain(self) -> None:
        with contextlib.suppress(OSError):  # no data available, or the writing end is closed
            while self._output >= 0 and (data := os.read(self._output, _CHUNK_BYTES)):
                self._screen.program(data)
            if self._output >= 0:
                asyncio.get_running_loop().remove_reader(self._output)


def _set_up(far: int) -> None:
    """Give the program's terminal our size, and turn off its output processing, because our terminal does that."""
    import fcntl  # noqa: PLC0415  POSIX only
    import termios  # noqa: PLC0415  the same

    with contextlib.suppress(OSError, termios.error):
        size = fcntl.ioctl(1, termios.TIOCGWINSZ, b"\0" * 8)
        fcntl.ioctl(far, termios.TIOCSWINSZ, size)
    modes = termios.tcgetattr(far)
    modes[1] &= ~termios.OPOST
    termios.tcsetattr(far, termios.TCSANOW, modes)
