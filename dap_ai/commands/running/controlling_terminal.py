"""Whose turn it is at the terminal: the program's while it runs, ours at a stop and at the end.

1. debugpy's launcher puts the program in a process group of its own and makes that the foreground group.
2. Whoever runs in the background must not touch the terminal: what we did not hold when we started, we never take.
3. The terminal's modes are part of the turn: a program that had it in raw mode finds it so again.
4. A program that stops itself (Ctrl-Z) is not our shell's child: we stop too, so that the shell sees it.
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

# preexec_fn, because process_group is new in 3.11; it runs before any thread of ours can hold a lock that it needs.
_OWN_GROUP: dict[str, Any] = (
    {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if sys.platform == "win32" else {"preexec_fn": os.setpgrp}
)


class ControllingTerminal:
    """The controlling terminal. Where there is none, every method does nothing."""

    def __init__(self, *, ours: bool = True) -> None:
        """`ours` is False: it is somebody else's, and left alone."""
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
        """Whether there is one."""
        return self._fd is not None

    def spawning(self) -> dict[str, Any]:
        """How a program that shares it is started: arguments of `Popen`. `spawned` comes next."""
        return _OWN_GROUP

    def spawned(self) -> None:
        """The program is there."""

    def started(self, group: int) -> None:
        """The program runs as process group `group` and has made itself the foreground."""
        if self._fd is not None and not self._held and _foreground(self._fd) == group:
            self._set_foreground(self._before)

    def take(self) -> None:
        """Makes us the foreground, and keeps the modes that the program had set."""
        if self._fd is None or not self._held or _foreground(self._fd) == self._group:
            return
        self._program_modes = modes_of(self._fd)
        self._set_foreground(self._group)
        self._set_modes(self._our_modes)

    def give(self, group: int) -> None:
        """Makes the program's group the foreground again, in its own modes."""
        if self._fd is None or not self._held or _foreground(self._fd) != self._group:
            return
        if self._program_modes:
            self._set_modes(self._program_modes)
        self._set_foreground(group)

    def stop_with(self, group: int) -> None:
        """The program has been stopped from its terminal: stops us as well, and goes on with it afterwards."""
        self.take()
        os.kill(0, signal.SIGTSTP)
        self.resumed(group)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGCONT)

    def resumed(self, group: int) -> None:
        """The shell has let us go on, in the foreground or not."""
        if self._fd is not None:
            self._held = _foreground(self._fd) == self._group
            self.give(group)

    def close(self, *, restore: bool) -> None:
        """Makes us the foreground for the shell to find; `restore`: in the modes that it gave us."""
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
    """The terminal's foreground process group; -1 once it has hung up."""
    try:
        return os.tcgetpgrp(fd)
    except OSError:
        return -1


def modes_of(fd: int) -> Modes:
    """Of a terminal; empty: it is none."""
    if sys.platform == "win32":
        return []
    import termios  # noqa: PLC0415  POSIX only

    try:
        return termios.tcgetattr(fd)
    except termios.error:
        return []


def set_modes(fd: int, modes: Modes) -> None:
    """Sets them, if there are any; the terminal may be gone."""
    if sys.platform != "win32" and modes:
        import termios  # noqa: PLC0415  POSIX only

        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(fd, termios.TCSADRAIN, modes)


@contextlib.contextmanager
def _unstoppable() -> Generator[None]:
    """A background group is stopped by SIGTTOU when it changes the terminal, unless it has blocked the signal."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
