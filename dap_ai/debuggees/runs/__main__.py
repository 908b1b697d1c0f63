"""The debug adapter of agent runs: DAP on stdin and stdout, `python -m dap_ai.debuggees.runs`."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import msgspec

if TYPE_CHECKING:
    from dap_ai.debuggees.runs.running.live_stage import LiveStage

from dap_ai.debuggees.runs.adapter.background_analysis import BackgroundAnalysis
from dap_ai.debuggees.runs.adapter.background_reader import ReadingOn, first_of
from dap_ai.debuggees.runs.adapter.document_folder import Folder
from dap_ai.debuggees.runs.adapter.run_growth import Growth, PartialAnalysis
from dap_ai.debuggees.runs.adapter.run_session import Loaded, RequestError
from dap_ai.debuggees.runs.json_documents import decoded
from dap_ai.debuggees.runs.readers.base import CannotRead
from dap_ai.debuggees.runs.running.happening import Happening
from dap_ai.debuggees.runs.running.live_launch import LiveLaunch
from dap_ai.debuggees.runs.running.live_session import LiveSession
from dap_ai.protocol.wire.framing import encode_frame

_MAX_BYTES = 64 * 1024 * 1024
_ENDING_S = 5.0
"""So long an agent that is told to end is waited for."""
_MAX_HEADERS = 100
_SWITCH_S = 0.001
"""For which a request waits at most until the thread that reads on lets it run."""
_COMMAND_S = 10.0
"""Within which a command of the console answers: a regular expression may take for ever."""


def main() -> None:
    """Serves one client, and leaves no document behind."""
    sys.setswitchinterval(_SWITCH_S)
    for name in ("SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):
            signal.signal(number, _leave)
    folder = Folder()
    try:
        stages = Stages(folder)
        session = LiveSession(load, folder.writer, bounded, stages.make)
        serve(sys.stdin.buffer, sys.stdout.buffer, session, folder.end, stages)
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # the client is gone
    finally:
        folder.end()


def _leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)


class Stages:
    """Makes the stage of a live agent, once a client wants one."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.tell: Callable[[Happening], None] = lambda _: None
        """Takes what happens there; the one who serves sets it."""
        self.made: LiveStage | None = None

    def _emit(self, happening: Happening) -> None:
        self.tell(happening)

    def make(self, wanted: LiveLaunch) -> LiveStage:
        """Raises Refused."""
        from dap_ai.debuggees.runs.running.live_stage import LiveStage  # noqa: PLC0415  a recorded run needs none of it

        self.made = LiveStage(wanted, self._emit, self._folder.editable)
        return self.made


def serve(
    source: BinaryIO,
    sink: BinaryIO,
    session: LiveSession,
    end: Callable[[], None],
    stages: Stages | None = None,
) -> None:
    """Until the client has said good-bye, or is gone.

    `end` is called before the good-bye is answered: who hears the answer may kill the process at once.
    """
    client = _Client(sink, session, end, stages)
    session.later = client.grown
    if stages is not None:
        stages.tell = client.happens
    try:
        for message in _messages(source):
            client.receive(message)
            if session.over:
                return
    finally:
        client.leave()


class _Client:
    """What one of its requests brings, or a piece of the run, is told whole before the next is looked at."""

    def __init__(
        self, sink: BinaryIO, session: LiveSession, end: Callable[[], None], stages: Stages | None = None
    ) -> None:
        self._stages = stages
        self._sink = sink
        self._end = end
        self._session = session
        self._seq = 0
        self._turn = threading.Lock()

    def receive(self, message: dict[str, Any]) -> None:
        """A request of the client's."""
        with self._turn:
            answers = self._session.receive(message)
            if self._session.over and self._stages and self._stages.made:
                self._stages.made.wait(_ENDING_S)
            if self._session.over:
                self._end()
            self._tell(answers)

    def leave(self) -> None:
        """It is told nothing more."""
        with self._turn:
            self._session.over = True

    def grown(self, growth: Growth) -> None:
        """More of the run, in the thread that reads it."""
        with self._turn, suppress(BrokenPipeError, ValueError):  # the client is gone
            if not self._session.over:
                self._tell(self._session.grown(growth))

    def happens(self, happening: Happening) -> None:
        """Something beside the session, in the thread that has seen it."""
        with suppress(BrokenPipeError, ValueError):
            self._dispatch(happening)

    def _dispatch(self, happening: Happening) -> None:
        while not self._turn.acquire(timeout=_SWITCH_S * 50):
            if self._session.over:  # whoever says good-bye waits for us
                return
        try:
            if not self._session.over:
                self._tell(self._session.happens(happening))
        finally:
            self._turn.release()

    def _tell(self, answers: Iterable[dict[str, Any]]) -> None:
        for answer in answers:
            self._seq += 1
            self._sink.write(encode_frame(_encoded(answer | {"seq": self._seq})))
        self._sink.flush()


def load(path: str) -> Loaded:
    """The run at a path, whose analysis is begun; of a large one the beginning. Raises Refused."""
    try:
        run, is_whole = first_of(path)
    except CannotRead as error:
        raise RequestError(str(error)) from error
    if is_whole:
        return Loaded(run, BackgroundAnalysis(run))
    rest = ReadingOn(path)
    return Loaded(run, PartialAnalysis(), rest=rest, known=rest.first)


@contextmanager
def bounded() -> Generator[None]:
    """Raises TimeoutError within it after a while, where the system has such an alarm."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _too_long)
    alarm = signal.setitimer(signal.ITIMER_REAL, _COMMAND_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *alarm)


def _too_long(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise TimeoutError


def _encoded(answer: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(answer)
    except (UnicodeEncodeError, msgspec.MsgspecError):  # half characters, which UTF-8 has not
        return json.dumps(answer, default=str).encode()


def _messages(source: BinaryIO) -> Iterator[dict[str, Any]]:
    """The client's messages. What is no JSON is passed over; without a length the stream ends: its reader is lost."""
    while True:
        length = 0
        for _ in range(_MAX_HEADERS):
            line = source.readline(1024)
            name, _colon, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
            if not line.strip():
                break
        if not 0 < length <= _MAX_BYTES:
            return
        try:
            message, _ = decoded(source.read(length))  # also of clients that send half characters
        except CannotRead:
            continue
        if isinstance(message, dict):
            yield message


if __name__ == "__main__":
    main()
