"""The process that answers: started at the first failure, kept for the next, out of the way of the program.

It is no child of this process: tests that wait for their children must not meet it. Its environment is that of before
the first test.
"""

from __future__ import annotations

import _socket
import array
import contextlib
import json
import math
import os
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, TypedDict, cast

from dap_ai.debuggees.python.hosts.post_mortem.holding import Pair, connected
from dap_ai.system import child_python

if TYPE_CHECKING:
    from _socket import socket as Link  # noqa: N812  not that of `socket`, see holding.py

    from dap_ai.debuggees.python.hosts.post_mortem.post_mortem_server import Server
    from dap_ai.protocol.wire.safe import Safe

_LATE_S = 0.2
"""So long after the answer should have been made, the line that ends it may come."""
LATE = "no answer in time"
_TICK_S = 0.05
_START_S = 20.0
"""The process starts within half a second; on a machine that is busy with tests, in several."""
_MAX_WORDS = 300
_ERROR = re.compile(
    r"(?:ModuleNotFoundError|ImportError): No module named '[\w.]+'|\w+(?:Error|Exception|Interrupt|Exit)\b"
)
Told = Callable[["Mapping[str, Any]"], object]
"""Gets the body of each `askOutput` as it comes, in this thread."""
TESTS = {"provider": "offline", "backend": "debugpy", "level": "compute"}
"""Settings in whose place nothing of the user's stands, so that a test run costs nothing."""
_PYTHONS = "PYTHON"
"""Variables that begin so are meant for the interpreter of the program."""
_OF_COVERAGE = ("COV_CORE_", "COVERAGE_")
"""By those that begin so, coverage measures child processes of tests."""


class FixBody(TypedDict):
    """See protocol.wire.ask; so are the others."""

    file: str
    diff: Safe
    verified: bool
    result: Safe


class SuspectBody(TypedDict):
    """A line that may hold the mistake."""

    file: str
    line: int


class AskEndedBody(TypedDict):
    """The body of `askEnded`, of which this is used here, and what the exception says. All texts are masked."""

    reason: Safe
    answer: Safe
    fixes: list[FixBody]
    suspects: list[SuspectBody]
    error: Safe
    message: Safe


class NoAnswerError(Exception):
    """There is no answer; the text says why. `message`: what the exception says, where it came back masked."""

    def __init__(self, why: Safe, message: Safe = "") -> None:
        super().__init__(why)
        self.why: Safe = why
        self.message: Safe = message


class AnswerProcess:
    """Answers about one failure after the other. Call `close` at the end. Raises OSError: not on this platform.

    `flags`: settings, as on a command line, for all of its answers. `command`: the `start_command` of another
    Python, where dap_ai is installed for that one; empty: of this one.
    """

    def __init__(self, flags: Mapping[str, str], command: Sequence[str] = ()) -> None:
        if not hasattr(_socket.socket, "sendmsg") or not hasattr(os, "fork"):
            raise OSError("Unix sockets are needed, which this platform does not have")
        self._flags = json.dumps(dict(flags))
        left_out = (*_OF_COVERAGE, *((_PYTHONS,) if command else ()))
        self._environ = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
        self._cwd = os.getcwd()  # noqa: PTH109
        self._command = list(command) or start_command()
        self._jobs: Link | None = None
        self._starting: subprocess.Popen[bytes] | None = None
        self._pid = self._count = 0
        self._kept = b""

    def start(self) -> None:
        """Begins to start the process, if there is none; nothing is waited for. What goes wrong, `ask` says."""
        with contextlib.suppress(OSError):
            self._started()

    def ask(
        self,
        server: Server,
        limit_s: float | None,
        *,
        question: str = "",
        context: bool = False,
        told: Told | None = None,
    ) -> AskEndedBody:
        """The body of `askEnded` about what is held. `context`: with the first context instead of an answer.

        `limit_s` is by the clock, from now on; half of it is left where the process has to start first. None: the
        settings' own. `told` gets the answer as it is made. Raises Unanswered, KeyboardInterrupt.
        """
        interrupts = _Interrupts()
        job = {"limit_s": limit_s, "question": question, "context": context, "tells": told is not None}
        try:
            with interrupts:
                done = self._ask(server, job, interrupts, told)
        except OSError as error:
            self.close()
            raise NoAnswerError("nobody answers: " + named(error.strerror or type(error).__name__)) from error
        except NoAnswerError:
            self.close()
            raise
        if interrupts.came:
            raise KeyboardInterrupt
        if done is None:
            self.close()
            raise NoAnswerError(LATE)
        return _ended(done)

    def _ask(
        self, server: Server, job: dict[str, Any], interrupts: _Interrupts, told: Told | None
    ) -> dict[str, Any] | None:
        """None: not in time."""
        began, limit_s = time.monotonic(), job["limit_s"]
        jobs = self._ready(interrupts)
        if jobs is None:
            return None
        self._count += 1
        late = math.inf
        if limit_s is not None:
            job["limit_s"] = max(limit_s / 2, began + limit_s - _LATE_S - time.monotonic())
            late = time.monotonic() + job["limit_s"] + _LATE_S
        pair = Pair()
        done: list[dict[str, Any]] = []

        def in_time() -> bool:
            return not interrupts.came and time.monotonic() < late

        def is_pending() -> bool:
            done.extend(self._heard(jobs, told, lambda: False, 0.0))
            return not done and in_time()

        try:
            _send(jobs, {**job, "number": self._count}, pair.theirs.fileno())
            pair.serve(server, is_pending)
        finally:
            pair.close()
        done.extend([] if done else self._heard(jobs, told, in_time, _TICK_S))
        return done[0] if done else None

    def _heard(self, jobs: Link, told: Told | None, wanted: Callable[[], bool], tick_s: float) -> list[dict[str, Any]]:
        """What came of this job, as one item, if it has come; `told` hears what comes before. Raises OSError."""
        while (line := self._line(jobs, wanted, tick_s)) is not None:
            said = json.loads(line)
            if said["number"] != self._count:
                continue
            if "ended" in said:
                return [said]
            if told is not None:
                told(said["said"])
        return []

    def _ready(self, interrupts: _Interrupts) -> Link | None:
        """Where jobs are taken; None: not in time. Raises OSError."""
        jobs, until = self._started(), time.monotonic() + _START_S
        if not self._pid:
            pid = self._line(jobs, lambda: not interrupts.came and time.monotonic() < until)
            self._pid = int(pid or 0)
            self._reap()
        return jobs if self._pid else None

    def close(self) -> None:
        """The process is gone. Again changes nothing; the next question starts another."""
        if self._jobs is not None:
            self._jobs.close()
        self._reap()
        if self._starting is not None and self._starting.stderr:
            self._starting.stderr.close()
        if self._pid:
            with contextlib.suppress(OSError):
                os.kill(self._pid, signal.SIGTERM)
        self._jobs = self._starting = None
        self._pid, self._kept = 0, b""

    def _started(self) -> Link:
        """Raises OSError."""
        if self._jobs is None:
            self._jobs, theirs = connected()
            with contextlib.closing(theirs):
                self._starting = subprocess.Popen(  # noqa: S603  ours
                    [*self._command, str(theirs.fileno()), self._flags],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    cwd=self._cwd,
                    env=self._environ,
                    start_new_session=True,
                )
        return self._jobs

    def _reap(self) -> None:
        """Of the process that was started, which has long left its place to its own child."""
        if self._starting is not None:
            self._starting.wait()

    def _line(self, jobs: Link, wanted: Callable[[], bool], tick_s: float = _TICK_S) -> bytes | None:
        """The next one; None: nobody waits any more. Raises OSError, Unanswered: the process has ended, and why."""
        while b"\n" not in self._kept:
            if not select.select([jobs], [], [], tick_s)[0]:
                if not wanted():
                    return None
                continue
            piece = jobs.recv(65536)
            if not piece:
                raise NoAnswerError("nobody answers: " + self._last_words())
            self._kept += piece
        line, _, self._kept = self._kept.partition(b"\n")
        return line

    def _last_words(self) -> Safe:
        """The error that has ended the process; nobody has masked it: its type, and a module's name."""
        said = self._starting.stderr.read() if self._starting and self._starting.stderr else b""
        lines = said.decode(errors="replace").strip().splitlines()
        error = _ERROR.match(lines[-1]) if lines else None
        return named(error[0]) if error else "the process has ended"


def start_command() -> list[str]:
    """What starts the process with this Python."""
    return child_python.command("dap_ai.system.child_python:detached", "dap_ai.commands.answers:main")


def _send(jobs: Link, job: Mapping[str, Any], descriptor: int) -> None:
    """As `socket.send_fds`, which is not in Python 3.8."""
    fds = array.array("i", [descriptor])
    jobs.sendmsg([json.dumps(job).encode() + b"\n"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, fds)])


def named(text: str) -> Safe:
    """A name that stands in code: of a type, a module, a function, a file. It holds no value of the program."""
    return cast("Safe", text)


def _ended(done: dict[str, Any]) -> AskEndedBody:
    """An Ended; `reason` is `limit` where time has ended it. Raises Unanswered."""
    ended: AskEndedBody | None = done["ended"]
    message: Safe = done["message"]
    if ended is None or ended["reason"] == "failed":
        why: Safe = done["error"] or (ended["error"] if ended else "") or "no answer"
        raise NoAnswerError(why[:_MAX_WORDS], message)
    if ended["reason"] != "completed" and not (ended["reason"] == "limit" and ended["suspects"]):
        raise NoAnswerError(LATE, message)
    ended["message"] = message
    return ended


class _Interrupts:
    """Ctrl-C meanwhile is kept for afterwards: within what is evaluated it would be an error of that."""

    came = False

    def __enter__(self) -> None:
        self._plain: Any = None
        if threading.get_ident() == threading.main_thread().ident:
            self._plain = signal.signal(signal.SIGINT, self._note)

    def _note(self, *_: object) -> None:
        self.came = True

    def __exit__(self, *_: object) -> None:
        if self._plain is not None:
            signal.signal(signal.SIGINT, self._plain)
