"""The process that answers: started at the first failure, kept for the next, out of the way of the program.

It is no child of this process: tests that wait for their children must not meet it. What a test may have replaced
(`subprocess.Popen`, `time.monotonic`, the environment) is taken as it was before the first test.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, cast

from dap_ai import held
from dap_ai.backends.debugpy.inject.post_mortem.holding import Pair

if TYPE_CHECKING:
    from dap_ai.backends.debugpy.inject.post_mortem.server import Server
    from dap_ai.protocol.wire.safe import Safe

_ON_ITS_OWN = "import os; os.fork() and os._exit(0); "
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
Told = Callable[[Mapping[str, Any]], object]
"""Gets the body of each `askOutput` as it comes, in this thread."""
TESTS = {"provider": "offline", "backend": "debugpy", "level": "compute"}
"""Settings in whose place nothing of the user's stands, so that a test run costs nothing."""
_now, _kill = time.monotonic, os.kill
_Popen: type[subprocess.Popen[bytes]] = subprocess.Popen


class Fix(TypedDict):
    """See protocol.wire.ask; so are the others."""

    file: str
    diff: Safe
    verified: bool
    result: Safe


class Suspect(TypedDict):
    """A line that may hold the mistake."""

    file: str
    line: int


class Ended(TypedDict):
    """The body of `askEnded`, of which this is used here, and what the exception says. All texts are masked."""

    reason: Safe
    answer: Safe
    fixes: list[Fix]
    suspects: list[Suspect]
    error: Safe
    message: Safe


class Unanswered(Exception):  # noqa: N818  a state, not a mistake
    """There is no answer; the text says why. `message`: what the exception says, where it came back masked."""

    def __init__(self, why: Safe, message: Safe = "") -> None:
        super().__init__(why)
        self.why: Safe = why
        self.message: Safe = message


class Answerer:
    """Answers about one failure after the other. Call `close` at the end. Raises OSError: not on this platform.

    `flags`: settings, as on a command line, for all of its answers.
    """

    def __init__(self, flags: Mapping[str, str]) -> None:
        if not hasattr(socket, "send_fds") or not hasattr(os, "fork"):
            raise OSError("Unix sockets are needed, which this platform does not have")
        self._flags = json.dumps(dict(flags))
        self._environ, self._cwd = dict(os.environ), os.getcwd()  # noqa: PTH109
        self._jobs: socket.socket | None = None
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
    ) -> Ended:
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
            raise Unanswered("nobody answers: " + named(error.strerror or type(error).__name__)) from error
        except Unanswered:
            self.close()
            raise
        if interrupts.came:
            raise KeyboardInterrupt
        if done is None:
            self.close()
            raise Unanswered(LATE)
        return _ended(done)

    def _ask(
        self, server: Server, job: dict[str, Any], interrupts: _Interrupts, told: Told | None
    ) -> dict[str, Any] | None:
        """None: not in time."""
        began, limit_s = _now(), job["limit_s"]
        jobs = self._ready(interrupts)
        if jobs is None:
            return None
        self._count += 1
        late = math.inf
        if limit_s is not None:
            job["limit_s"] = max(limit_s / 2, began + limit_s - _LATE_S - _now())
            late = _now() + job["limit_s"] + _LATE_S
        pair, done = Pair(), list[dict[str, Any]]()

        def in_time() -> bool:
            return not interrupts.came and _now() < late

        def wanted() -> bool:
            done.extend(self._heard(jobs, told, lambda: False, 0.0))
            return not done and in_time()

        try:
            socket.send_fds(jobs, [json.dumps(job | {"number": self._count}).encode() + b"\n"], [pair.theirs.fileno()])
            pair.serve(server, wanted)
        finally:
            pair.close()
        done.extend([] if done else self._heard(jobs, told, in_time, _TICK_S))
        return done[0] if done else None

    def _heard(
        self, jobs: socket.socket, told: Told | None, wanted: Callable[[], bool], tick_s: float
    ) -> list[dict[str, Any]]:
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

    def _ready(self, interrupts: _Interrupts) -> socket.socket | None:
        """Where jobs are taken; None: not in time. Raises OSError."""
        jobs, until = self._started(), _now() + _START_S
        if not self._pid:
            pid = self._line(jobs, lambda: not interrupts.came and _now() < until)
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
                _kill(self._pid, signal.SIGTERM)
        self._jobs = self._starting = None
        self._pid, self._kept = 0, b""

    def _started(self) -> socket.socket:
        """Raises OSError."""
        if self._jobs is None:
            self._jobs, theirs = socket.socketpair()
            python, flag, text = held.command("dap_ai.commands.answers")
            with theirs:
                self._starting = _Popen(
                    [python, flag, _ON_ITS_OWN + text, str(theirs.fileno()), self._flags],
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

    def _line(self, jobs: socket.socket, wanted: Callable[[], bool], tick_s: float = _TICK_S) -> bytes | None:
        """The next one; None: nobody waits any more. Raises OSError, Unanswered: the process has ended, and why."""
        while b"\n" not in self._kept:
            if not select.select([jobs], [], [], tick_s)[0]:
                if not wanted():
                    return None
                continue
            piece = jobs.recv(65536)
            if not piece:
                raise Unanswered("nobody answers: " + self._last_words())
            self._kept += piece
        line, _, self._kept = self._kept.partition(b"\n")
        return line

    def _last_words(self) -> Safe:
        """The error that has ended the process; nobody has masked it: its type, and a module's name."""
        said = self._starting.stderr.read() if self._starting and self._starting.stderr else b""
        lines = said.decode(errors="replace").strip().splitlines()
        error = _ERROR.match(lines[-1]) if lines else None
        return named(error[0]) if error else "the process has ended"


def named(text: str) -> Safe:
    """A name that stands in code: of a type, a module, a function, a file. It holds no value of the program."""
    return cast("Safe", text)


def _ended(done: dict[str, Any]) -> Ended:
    """An Ended; `reason` is `limit` where time has ended it. Raises Unanswered."""
    ended: Ended | None = done["ended"]
    message: Safe = done["message"]
    if ended is None or ended["reason"] == "failed":
        why: Safe = done["error"] or (ended["error"] if ended else "") or "no answer"
        raise Unanswered(why[:_MAX_WORDS], message)
    if ended["reason"] != "completed" and not (ended["reason"] == "limit" and ended["suspects"]):
        raise Unanswered(LATE, message)
    ended["message"] = message
    return ended


class _Interrupts:
    """Ctrl-C meanwhile is kept for afterwards: within what is evaluated it would be an error of that."""

    came = False

    def __enter__(self) -> None:
        self._plain: Any = None
        if threading.current_thread() is threading.main_thread():
            self._plain = signal.signal(signal.SIGINT, self._note)

    def _note(self, *_: object) -> None:
        self.came = True

    def __exit__(self, *_: object) -> None:
        if self._plain is not None:
            signal.signal(signal.SIGINT, self._plain)
