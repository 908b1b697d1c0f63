"""Manages the process that answers questions: starts it at the first failure and reuses it for later failures.

The process is not a child of this process, so that tests that wait for their children do not receive it. The process
gets the environment from before the first test.
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
"""Seconds past the answer's time limit during which the answer's last line may still arrive."""
LATE = "no answer in time"
_TICK_S = 0.05
_START_S = 20.0
"""Seconds to wait until the process has started. A start takes half a second, or several on a busy machine."""
_MAX_WORDS = 300
_ERROR = re.compile(
    r"(?:ModuleNotFoundError|ImportError): No module named '[\w.]+'|\w+(?:Error|Exception|Interrupt|Exit)\b"
)
Told = Callable[["Mapping[str, Any]"], object]
"""A callback that receives the body of each `askOutput` event as it arrives, in the asking thread."""
TESTS = {"provider": "offline", "backend": "debugpy", "level": "compute"}
"""Settings for test runs that override the user's: no model is called, so a test run costs nothing."""
_PYTHONS = "PYTHON"
"""Prefix of environment variables meant for the program's own interpreter, such as PYTHONPATH."""
_OF_COVERAGE = ("COV_CORE_", "COVERAGE_")
"""Prefixes of environment variables by which coverage measures child processes of tests."""


class _FixBody(TypedDict):
    """A proposed fix. The fields of these bodies are documented in protocol.wire.ask_messages."""

    file: str
    diff: Safe
    verified: bool
    result: Safe


class FixBody(_FixBody, total=False):
    """A proposed fix, with the fields that may be absent."""

    isFoundBySearch: bool


class SectionBody(TypedDict):
    """A part of an answer."""

    kind: str
    text: Safe


class CauseBody(TypedDict):
    """The root cause that an answer names."""

    line: int
    spot: Safe
    code: Safe
    reason: Safe
    certainty: str


class ReportBody(TypedDict, total=False):
    """An answer in parts; fields that are empty are absent."""

    effect: Safe
    sections: list[SectionBody]
    cause: CauseBody


class EvidenceBody(TypedDict):
    """A value that the answer cites."""

    expression: Safe
    value: Safe


class SuspectBody(TypedDict):
    """A line that may hold the mistake."""

    file: str
    line: int


class AskEndedBody(TypedDict):
    """The fields of `askEnded`'s body that this package uses, and the exception's message; all texts are masked."""

    reason: Safe
    answer: Safe
    fixes: list[FixBody]
    suspects: list[SuspectBody]
    evidence: list[EvidenceBody]
    report: ReportBody
    error: Safe
    message: Safe


class NoAnswerError(Exception):
    """No answer was made; the text gives the reason. `message` is the exception's masked message, if known."""

    def __init__(self, why: Safe, message: Safe = "") -> None:
        super().__init__(why)
        self.why: Safe = why
        self.message: Safe = message


class AnswerProcess:
    """Asks the answering process about one failure at a time. Call `close` at the end.

    Raises OSError on unsupported platforms. `flags`: settings for all answers, as on a command line. `command`: the
    `start_command` of another Python in which dap_ai is installed; if empty, this Python is used.
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
        """Starts the process unless it runs, and does not wait. If the start fails, `ask` reports the error."""
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
        """Asks about the paused failure and returns the body of `askEnded`.

        `context`: return the first context instead of an answer. `limit_s`: seconds by the clock, of which at least
        half is left for the answer if the process has to start first; None means the settings' own limit. `told`
        receives the answer as it is made. Raises NoAnswerError, KeyboardInterrupt.
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
        """Sends the question and serves the paused program meanwhile; None if no answer arrived in time."""
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
        """Returns a list with the job's result, or an empty list if the result has not arrived.

        Passes output before the result to `told`. Raises OSError.
        """
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
        """Returns the socket for jobs once the process runs; None if the process did not start in time.

        Raises OSError.
        """
        jobs, until = self._started(), time.monotonic() + _START_S
        if not self._pid:
            pid = self._line(jobs, lambda: not interrupts.came and time.monotonic() < until)
            self._pid = int(pid or 0)
            self._reap()
        return jobs if self._pid else None

    def close(self) -> None:
        """Ends the process; a second call has no effect. The next question starts another process."""
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
        """Starts the process if necessary and returns its socket. Raises OSError."""
        if self._jobs is None:
            self._jobs, theirs = connected()
            with contextlib.closing(theirs):
                self._starting = subprocess.Popen(  # noqa: S603  our own code
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
        """Waits for the started process, which exits soon because its own child answers."""
        if self._starting is not None:
            self._starting.wait()

    def _line(self, jobs: Link, wanted: Callable[[], bool], tick_s: float = _TICK_S) -> bytes | None:
        """Returns the next line from the process; None if the caller stops waiting.

        Raises OSError, or NoAnswerError if the process has ended.
        """
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
        """Returns the error type (and module name) that ended the process; the rest of its output is not masked."""
        said = self._starting.stderr.read() if self._starting and self._starting.stderr else b""
        lines = said.decode(errors="replace").strip().splitlines()
        error = _ERROR.match(lines[-1]) if lines else None
        return named(error[0]) if error else "the process has ended"


def start_command() -> list[str]:
    """Returns the command that starts the answering process with this Python."""
    return child_python.command("dap_ai.system.child_python:detached", "dap_ai.commands.answers:main")


def _send(jobs: Link, job: Mapping[str, Any], descriptor: int) -> None:
    """Sends a job and a file descriptor, as `socket.send_fds` does from Python 3.9 on."""
    fds = array.array("i", [descriptor])
    jobs.sendmsg([json.dumps(job).encode() + b"\n"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, fds)])


def named(text: str) -> Safe:
    """Marks a name from code (type, module, function, file) as safe: it contains no value of the program."""
    return cast("Safe", text)


def _ended(done: dict[str, Any]) -> AskEndedBody:
    """Returns the final body, whose reason is `limit` if time ran out. Raises NoAnswerError if the answer failed."""
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
    """Defers Ctrl-C until the block ends: inside evaluated code it would appear as that code's error."""

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
