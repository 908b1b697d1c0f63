"""Hands the terminal over between the program and us.

The program has the terminal while it runs; we have it at a stop and at the end.

1. debugpy's launcher puts the program in its own process group and makes that the foreground group.
2. A background process must not touch the terminal: if we were not in the foreground at the start, we never take it.
3. The terminal's modes are handed over too: a program that had set raw mode gets it back.
4. A program that stops itself (Ctrl-Z) is not a child of the user's shell: we stop too, so that the shell notices.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from typing import Any

Modes = list[int | list[bytes | int]]

# preexec_fn, because process_group is new in 3.11; it runs before any of our threads can hold a lock that it needs.
_OWN_GROUP: dict[str, Any] = (
    {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if sys.platform == "win32" else {"preexec_fn": os.setpgrp}
)


class ControllingTerminal:
    """The controlling terminal of this process. Without a terminal, every method does nothing."""

    def __init__(self, *, ours: bool = True) -> None:
        """Open the terminal.

        With `ours` False, leave the terminal alone, because it belongs to another process.
        """
        self._fd = _open() if ours else None
        self._group = 0
        self._before = 0
        self._our_modes: Modes = []
        self._program_modes: Modes = []
        if self._fd is not None:
            self._group = os.getpgrp()
            self._before = os.tcgetpgrp(self._fd)
            self._our_modes = modes_of(self._fd)
        self._held = self._fd is not None and self._before == self._group

    @property
    def present(self) -> bool:
        """Whether this process has a controlling terminal."""
        return self._fd is not None

    def spawning(self) -> dict[str, Any]:
        """Return the `Popen` arguments for a program that shares the terminal; call `spawned` after it has started."""
        return _OWN_GROUP

    def spawned(self) -> None:
        """Take note that the program has been started; the default does nothing."""

    def started(self, group: int) -> None:
        """Restore the former foreground process group, if we run in the background.

        Called when the program runs as process group `group`, and may have made itself the foreground group.
        """
        if self._fd is not None and not self._held and _foreground(self._fd) == group:
            self._set_foreground(self._before)

    def take(self) -> None:
        """Make our process group the foreground group, and save the modes that the program had set."""
        if self._fd is None or not self._held or _foreground(self._fd) == self._group:
            return
        self._program_modes = modes_of(self._fd)
        self._set_foreground(self._group)
        self._set_modes(self._our_modes)

    def give(self, group: int) -> None:
        """Make the program's process group the foreground group again, and restore its terminal modes."""
        if self._fd is None or not self._held or _foreground(self._fd) != self._group:
            return
        if self._program_modes:
            self._set_modes(self._program_modes)
        self._set_foreground(group)

    def stop_with(self, group: int) -> None:
        """Stop our process group, because Ctrl-Z has stopped the program.

        When the shell continues us, continue the program.
        """
        self.take()
        os.kill(0, signal.SIGTSTP)
        self.resumed(group)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGCONT)

    def resumed(self, group: int) -> None:
        """Give the terminal to the program if the shell has continued us in the foreground."""
        if self._fd is not None:
            self._held = _foreground(self._fd) == self._group
            self.give(group)

    def close(self, *, restore: bool) -> None:
        """Make our process group the foreground group again, and close the terminal.

        `restore`: also restore the modes that the terminal had at first.
        """
        if self._fd is None:
            return
        if self._held and _foreground(self._fd) != self._group:
            self._set_foreground(self._group)
            if restore:
                self._set_modes(self._our_modes)
        os.close(self._fd)
        self._fd = None

    def _set_foreground(self, group: int) -> None:
        # The group may be gone, and the terminal too.
        with _unstoppable(), contextlib.suppress(OSError):
            os.tcsetpgrp(self._fd or 0, group)

    def _set_modes(self, modes: Modes) -> None:
        with _unstoppable():
            set_modes(self._fd or 0, modes)


def _open() -> int | None:
    if sys.platform == "win32":
        return None
    try:
        fd = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return None
    try:
        os.tcgetpgrp(fd)
    except OSError:
        os.close(fd)
        return None
    return fd


def _foreground(fd: int) -> int:
    """Return the process group in the terminal's foreground; -1 if the terminal has hung up."""
    try:
        return os.tcgetpgrp(fd)
    except OSError:
        return -1


def modes_of(fd: int) -> Modes:
    """Return a terminal's modes, as termios does; empty if `fd` is not a terminal."""
    if sys.platform == "win32":
        return []
    import termios  # noqa: PLC0415  POSIX only

    try:
        return termios.tcgetattr(fd)
    except termios.error:
        return []


def set_modes(fd: int, modes: Modes) -> None:
    """Set a terminal's modes; do nothing if `modes` is empty or the terminal is gone."""
    if sys.platform != "win32" and modes:
        import termios  # noqa: PLC0415  POSIX only

        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(fd, termios.TCSADRAIN, modes)


@contextlib.contextmanager
def _unstoppable() -> Generator[None]:
    """Block SIGTTOU in this context: the signal would stop a background process that changes the terminal."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
