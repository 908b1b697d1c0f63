"""A program on a pseudo terminal, as a person would run it, and when it showed what. POSIX only.

A thread reads all the time, so that a program that prints much never waits for its reader. It answers the one thing
that a terminal is asked, where its cursor is: who asks would else wait for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import queue
import re
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence

import psutil
from _dap import ROOT, Failed

ROWS, COLUMNS = 50, 120
PATIENCE_S = 600.0
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_=>78])|[\r\x07\x08]")
_UNFINISHED = re.compile(r"\x1b[^\x1b]{0,40}\Z")
_WHERE_IS_THE_CURSOR = b"\x1b[6n"
_TOP_LEFT = b"\x1b[1;1R"
_MAX_KEPT_CHARS = 4000


class Screen:
    """One program on a terminal of its own. What `wait_for` finds is behind it: it looks only forward."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self._near, far = os.openpty()
        fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._pieces: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
        self._raw = self._text = ""
        self._at = self.began = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=far,
            stdout=far,
            stderr=far,
            cwd=ROOT,
            env=dict(environ),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(far, termios.TIOCSCTTY, 0),  # noqa: PLW1509  only the child can take it
        )
        os.close(far)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def type(self, line: str) -> float:
        """Types a line and Enter; when it did, as `time.perf_counter` counts."""
        typed = time.perf_counter()
        os.write(self._near, line.encode() + b"\r")
        return typed

    def wait_for(self, text: str) -> float:
        """When the text was on the screen. Raises Failed if the program ends before, or after PATIENCE_S."""
        deadline = time.perf_counter() + PATIENCE_S
        while text not in self._text:
            data = b""
            with contextlib.suppress(queue.Empty):
                self._at, data = self._pieces.get(timeout=max(0.0, deadline - time.perf_counter()))
            if not data:
                raise Failed(f"{text!r} never came; the screen shows: {self._text[-1500:]}")
            self._take(data.decode(errors="replace"))
        self._text = self._text.partition(text)[2]
        return self._at

    def _take(self, piece: str) -> None:
        raw = self._raw + piece
        cut = _UNFINISHED.search(raw)
        whole = raw[: cut.start()] if cut and not _SEQUENCE.match(raw, cut.start()) else raw
        self._raw = raw[len(whole) :]
        self._text = self._text[-_MAX_KEPT_CHARS:] + _SEQUENCE.sub("", whole)

    def _read(self) -> None:
        data = b"-"
        while data:
            try:
                data = os.read(self._near, 65536)
            except OSError:  # nobody has the other end open any more
                data = b""
            self._pieces.put((time.perf_counter(), data))
            if _WHERE_IS_THE_CURSOR in data:
                os.write(self._near, _TOP_LEFT)

    def close(self, patience_s: float = 0.0) -> None:
        """Ends the program and what it has started; waits first whether it ends by itself."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience_s)
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self._process.pid).children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()
        self._process.kill()
        self._process.wait()
        self._reader.join(5)
        os.close(self._near)
