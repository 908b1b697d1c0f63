"""The wire log (`--log FILE`): a debug session's messages as masked JSON lines.

A separate thread writes them during the session. Errors do not affect the session: a full disk ends only the log. If
the proxy is killed, at most the last fifth of a second is missing.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import stat
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import dap_ai
from dap_ai.adapter.recording.journal import Row, options_row, row_of, rules_row
from dap_ai.adapter.recording.recorder import Recorder, SafeRow
from dap_ai.adapter.session.session import Session
from dap_ai.adapter.state.effects import Effect, Event
from dap_ai.commands.display.private import open_private
from dap_ai.protocol.wire.safe import as_it_is, json_text
from dap_ai.protocol.wire.visible import in_json

if TYPE_CHECKING:
    from dap_ai.agent.masking.mask import Masker

_HEADER = b'{"dap_ai": '
_MAX_OLD_BYTES = 64 << 20
"""Maximum size of an existing log; the next session renames a larger log to FILE.old and starts a new file."""
_MAX_SESSION_BYTES = 1 << 30
_MAX_WAITING_BYTES = 32 << 20
_STALL_S = 10.0
"""Seconds without a successful write after which recording stops."""
_BATCH_S = 0.1
"""Seconds to collect rows before writing them together."""
_CHUNK_BYTES = 256 << 10
_ITEM_BYTES = 300
"""Approximate size in bytes of an event or effect without its body."""


class WireLog:
    """A log file of numbered sessions, which may overlap; only its user can read it.

    Raises OSError, and ValueError if the file is not a wire log.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        os.close(self._open())

    def begin(self, header: SafeRow) -> tuple[int, int]:
        """Write the first line of a new session; return the open file descriptor and the session's number.

        Raises OSError, ValueError.
        """
        fd = self._open()
        try:
            with _locked(fd):
                number = _last_number(fd) + 1
                started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
                version = as_it_is(dap_ai.__version__)
                ours: SafeRow = {"dap_ai": version, "session": number, "started": as_it_is(started)}
                write(fd, encode(ours | header))
        except BaseException:
            os.close(fd)
            raise
        return fd, number

    def _open(self) -> int:
        with contextlib.suppress(OSError):
            found = self._path.lstat()
            if found.st_size > _MAX_OLD_BYTES and stat.S_ISREG(found.st_mode):
                os.close(self._opened())  # raises ValueError unless it is a wire log
                self._path.replace(self._path.with_name(f"{self._path.name}.old"))
        return self._opened()

    def _opened(self) -> int:
        return open_private(self._path, os.O_RDWR | os.O_APPEND, _check)


class SessionLog:
    """Records one debug session in a wire log; implements dap_ai.adapter.io.ports.Journal.

    Call `record` and `close` in the session's thread; the writing thread calls `masker` and `known`. `known` returns
    secrets that other maskers have found. `failed` is called at most once, in the session's thread, with the reason why
    the log has ended.
    """

    def __init__(
        self,
        log: WireLog,
        backend: str,
        session: Session,
        *,
        masker: Callable[[], Masker],
        known: Callable[[], Iterable[str]],
        failed: Callable[[str], None],
    ) -> None:
        self._log = log
        self._backend = backend
        self._session = session
        self._rules = session.rules
        self._rules_row = rules_row(session.rules)
        self._header: Row = {}
        self._make_masker = masker
        self._known = known
        self._failed: Callable[[str], None] | None = failed
        self._began = time.monotonic()
        self._changed = threading.Condition()
        self._waiting: list[tuple[float, int, Sequence[Event | Effect | Row]]] = []
        self._waiting_bytes = 0
        self._closing = False
        self._failure = ""
        # A daemon thread: only `finish` waits for it, for a limited time.
        self._thread = threading.Thread(target=self._run, name="wire log", daemon=True)

    def record(self, event: Event, effects: Sequence[Effect]) -> None:
        """Record an event and its effects; blocks while too much data is waiting to be written."""
        if self._failure or self._closing:
            self._tell()
            return
        if not self._header:
            self._start()
        at = time.monotonic() - self._began
        items: list[Event | Effect | Row] = [
            item if hasattr(item, "body") else row_of(item) for item in (event, *effects)
        ]
        items = self._new_rules() + items
        size = sum(len(getattr(item, "body", b"")) + _ITEM_BYTES for item in items)
        with self._changed:
            self._waiting.append((at, size, items))
            self._waiting_bytes += size
            if len(self._waiting) == 1 or self._waiting_bytes > _MAX_WAITING_BYTES:
                self._changed.notify_all()
            while self._waiting_bytes > _MAX_WAITING_BYTES and not self._failure:
                before = self._waiting_bytes
                if not self._changed.wait(_STALL_S) and self._waiting_bytes >= before:
                    self._give_up("it accepts no more data")

    def close(self) -> None:
        """End the log after the session; rows that wait are still written."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._tell()

    def _new_rules(self) -> list[Event | Effect | Row]:
        """Return a row with the backend's rules if they have changed since the last row, otherwise nothing."""
        if self._session.rules is self._rules:
            return []
        self._rules, before = self._session.rules, self._rules_row
        self._rules_row = rules_row(self._rules)
        return [] if self._rules_row == before else [self._rules_row]

    def _start(self) -> None:
        """Start the log at the first event, because the session's options are final then."""
        self._header = {"backend": self._backend, **self._rules_row, **options_row(self._session.options)}
        self._began = time.monotonic()
        self._thread.start()
        atexit.register(self.finish)

    def finish(self) -> None:
        """End the log, and wait a limited time for the remaining rows to be written."""
        self.close()
        if self._header:
            self._thread.join(_STALL_S)

    def _tell(self) -> None:
        if self._failure and self._failed is not None:
            failed, self._failed = self._failed, None
            failed(f"the wire log ends here: {self._failure}")

    def _give_up(self, why: str) -> None:
        with self._changed:
            self._failure = self._failure or why
            self._waiting.clear()
            self._waiting_bytes = 0
            self._changed.notify_all()

    # -- the writing thread -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            masker = self._make_masker()
            masker.learn_text(self._session.options.token)
            masker.learn_text(self._session.options.child_token)
            recorder = Recorder(masker)
            fd, number = self._log.begin(recorder.header(self._header))
            try:
                self._write_all(fd, number, recorder, masker)
            finally:
                os.close(fd)
        except Exception as error:  # noqa: BLE001  outermost handler of the thread: the session continues after any error
            self._give_up(str(error) or type(error).__name__)
        finally:
            atexit.unregister(self.finish)

    def _write_all(self, fd: int, number: int, recorder: Recorder, masker: Masker) -> None:
        written = 0
        while batch := self._next_batch():
            for secret in self._known():
                masker.learn_text(secret)
            lines: list[bytes] = []
            for at, size, items in batch:
                stamp: SafeRow = {"session": number, "at": round(at, 6)}
                lines += [encode(stamp | row) for row in recorder.rows(items)]
                if sum(map(len, lines)) > _CHUNK_BYTES:
                    written += write(fd, b"".join(lines))
                    lines.clear()
                self._wrote(size)
            written += write(fd, b"".join(lines))
            if written > _MAX_SESSION_BYTES:
                raise ValueError(f"the session has filled {_MAX_SESSION_BYTES >> 20} MB")
        if not self._failure:
            write(fd, encode({"session": number, "at": round(time.monotonic() - self._began, 6), "ended": True}))

    def _next_batch(self) -> list[tuple[float, int, Sequence[Event | Effect | Row]]]:
        """Wait for rows to write and return them; empty at the end of the log."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing or self._failure)
            self._changed.wait_for(self._is_urgent, _BATCH_S)
            batch, self._waiting = self._waiting, []
            return batch

    def _is_urgent(self) -> bool:
        return self._closing or bool(self._failure) or self._waiting_bytes > _MAX_WAITING_BYTES

    def _wrote(self, size: int) -> None:
        with self._changed:
            self._waiting_bytes -= size
            self._changed.notify_all()
        time.sleep(0)  # yields the interpreter to the session's thread


def encode(row: SafeRow) -> bytes:
    """Encode a row of the log as one line of JSON."""
    return in_json(json_text(row)).encode() + b"\n"


def write(fd: int, data: bytes) -> int:
    """Write all of `data` to a file descriptor and return its size in bytes. Raises OSError."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]
    return len(data)


def _check(fd: int) -> None:
    if os.fstat(fd).st_size and os.read(fd, len(_HEADER)) != _HEADER:
        raise ValueError("it is not a wire log")


def _last_number(fd: int) -> int:
    with os.fdopen(os.dup(fd), "rb") as file:
        file.seek(0)
        text = file.read()
    at = text.rfind(b"\n" + _HEADER) + 1
    end = text.find(b"\n", at)
    try:
        return int(json.loads(text[at:end])["session"])
    except (ValueError, KeyError, TypeError):
        return 0 if not text else text.count(_HEADER)


@contextlib.contextmanager
def _locked(fd: int) -> Generator[None]:
    """Lock the log file in this context, so that two processes do not use the same session number."""
    try:
        import fcntl  # noqa: PLC0415  not on Windows
    except ImportError:
        yield
        return
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)
