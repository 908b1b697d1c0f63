"""Debug adapter for agent runs: speaks DAP on stdin and stdout (`python -m dap_ai.debuggees.runs`)."""

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
"""Maximum seconds to wait for the agent to exit after the client has disconnected."""
_MAX_HEADERS = 100
_SWITCH_S = 0.001
"""Thread switch interval in seconds: how long a request may wait for the thread that reads the run."""
_COMMAND_S = 10.0
"""Timeout of a console command in seconds; a regular expression could otherwise run forever."""


def main() -> None:
    """Serve one client, then delete the documents written for it."""
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
        pass  # the client has disconnected
    finally:
        folder.end()


def _leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)


class Stages:
    """Creates the `LiveStage` that runs a live agent, when the client launches an agent."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self.tell: Callable[[Happening], None] = lambda _: None
        """Callback that receives the live agent's events; set by `serve`."""
        self.made: LiveStage | None = None

    def _emit(self, happening: Happening) -> None:
        self.tell(happening)

    def make(self, wanted: LiveLaunch) -> LiveStage:
        """Create the stage that runs a live agent. Raises RequestError."""
        from dap_ai.debuggees.runs.running.live_stage import LiveStage  # noqa: PLC0415  not needed for a recorded run

        self.made = LiveStage(wanted, self._emit, self._folder.editable)
        return self.made


def serve(
    source: BinaryIO,
    sink: BinaryIO,
    session: LiveSession,
    end: Callable[[], None],
    stages: Stages | None = None,
) -> None:
    """Serve requests until the client disconnects.

    Calls `end` before answering `disconnect`, because a client may kill this process as soon as the answer arrives.
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
    """Connection to the client; used by several threads.

    Handles one request, or one newly read portion of the run, at a time, and sends all messages about it before the
    next.
    """

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
        """Process a request and send the answers."""
        with self._turn:
            answers = self._session.receive(message)
            if self._session.over and self._stages and self._stages.made:
                self._stages.made.wait(_ENDING_S)
            if self._session.over:
                self._end()
            self._tell(answers)

    def leave(self) -> None:
        """Stop sending messages to the client."""
        with self._turn:
            self._session.over = True

    def grown(self, growth: Growth) -> None:
        """Send messages about newly read events; called by the thread that reads the run."""
        with self._turn, suppress(BrokenPipeError, ValueError):  # the client has disconnected
            if not self._session.over:
                self._tell(self._session.grown(growth))

    def happens(self, happening: Happening) -> None:
        """Send messages about an event of the live agent; called by the thread that observed the event."""
        with suppress(BrokenPipeError, ValueError):
            self._dispatch(happening)

    def _dispatch(self, happening: Happening) -> None:
        while not self._turn.acquire(timeout=_SWITCH_S * 50):
            if self._session.over:  # the thread that disconnects waits for this one
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
    """Load the run at a path and start its analysis. Raises RequestError.

    Of a large run, loads only the beginning, without an analysis.
    """
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
    """Raise TimeoutError in the `with` block after `_COMMAND_S` seconds.

    Sets no limit outside the main thread, or on a system without `setitimer`.
    """
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
    except (UnicodeEncodeError, msgspec.MsgspecError):  # unpaired surrogates, which UTF-8 cannot encode
        return json.dumps(answer, default=str).encode()


def _messages(source: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yield the client's messages, skipping bodies that aren't valid JSON; stop at a header without a valid length."""
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
            message, _ = decoded(source.read(length))  # also accepts unpaired surrogates
        except CannotRead:
            continue
        if isinstance(message, dict):
            yield message


if __name__ == "__main__":
    main()
