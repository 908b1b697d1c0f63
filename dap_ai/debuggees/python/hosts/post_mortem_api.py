"""Functions that pause the program where it failed, for `dap_ai.post_mortem`, `hold`, `breakpoint` and `install`.

This module imports only the standard library; it imports other modules only when a failure is held.
"""

from __future__ import annotations

import _thread
import errno
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from dap_ai.system import child_python
from dap_ai.system.user_code import is_user_path

if TYPE_CHECKING:
    from dap_ai.debuggees.python.hosts.post_mortem.post_mortem_server import Server
    from dap_ai.debuggees.python.inspector.raises.raise_events import RaiseWatch

_caller: Any = sys._getframe  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  its documented name
_held: list[int] = []
"""Idents of paused threads."""
PAUSE_S = 0.1
"""Seconds for which capturing raises is off after too many raises."""
_OURS = os.path.abspath(f"{__file__}/../../../..") + os.sep  # noqa: PTH100  no pathlib in a program without it


def post_mortem(exc: BaseException | None = None, *, question: str = "", options: Sequence[str] = ()) -> int:
    """Pauses this thread and runs `dap-ai ask` about an exception in this terminal.

    `exc`: None means the exception being handled, or else the last uncaught exception (`sys.last_value`). `options` are
    further options of `dap-ai ask`. Returns the exit code of `dap-ai ask`. Raises ValueError without an exception, and
    OSError.
    """
    return asked(_failed(exc), [*(("-q", question) if question else ()), *options])


def hold(exc: BaseException | None = None, *, told: Callable[[str], object] | None = None) -> None:
    """Pauses this thread for `dap-ai ask --post-mortem` or an editor, until a client continues it or Ctrl-C.

    `exc`: None means the exception being handled, or else the last uncaught exception. `told` is called with the
    socket's address once clients can connect; None prints a line to stderr. Raises ValueError, OSError.
    """
    wait(_failed(exc), told or _tell)


def wait(server: Server, told: Callable[[str], object]) -> None:
    """Pauses this thread and serves clients of a server that `serving` made.

    `told` receives the socket's address. Raises OSError.
    """
    from dap_ai.debuggees.python.hosts.post_mortem.holding import Listener  # noqa: PLC0415  only when a failure is held

    listener = Listener()
    try:
        told(listener.address)
        _held.append(threading.get_ident())
        listener.serve(server)
    except KeyboardInterrupt:
        return
    finally:
        _held.clear()
        listener.close()


def breakpoint(*_: Any, **__: Any) -> None:  # noqa: A001  PYTHONBREAKPOINT=dap_ai.breakpoint
    """Pauses this thread at the call, with a prompt for questions, until the user enters `continue`."""
    from dap_ai.debuggees.python.hosts.post_mortem import holding  # noqa: PLC0415  only when a failure is held

    asked(holding.standing(_caller(1)), ["--chat"] if sys.stdin and sys.stdin.isatty() else [])


def install() -> None:
    """Asks about every later uncaught exception, in any thread, after Python has printed it."""
    plain, plain_in_thread = sys.excepthook, threading.excepthook

    def ask_uncaught(kind: type[BaseException], value: BaseException, tb: TracebackType | None) -> None:
        plain(kind, value, tb)
        if issubclass(kind, Exception):
            post_mortem(value.with_traceback(tb))

    def ask_in_thread(about: Any) -> None:
        plain_in_thread(about)
        if about.exc_value is not None and issubclass(about.exc_type, Exception):
            post_mortem(about.exc_value)

    watch_raises(later)
    sys.excepthook, threading.excepthook = ask_uncaught, ask_in_thread


def later(call: Callable[[], None]) -> None:
    """Calls a function after PAUSE_S, in a new thread."""

    def wait() -> None:
        time.sleep(PAUSE_S)
        call()

    _thread.start_new_thread(wait, ())


def watch_raises(call_later: Callable[[Callable[[], None]], None] | None = None) -> RaiseWatch:
    """Captures the values of the user's frames at each later raise, before any cleanup, for `serving`.

    It has no effect before Python 3.12, or if no tool id of `sys.monitoring` is free. `call_later` calls a function
    after PAUSE_S.
    """
    from dap_ai.debuggees.python.inspector.raises.raise_events import RaiseWatch  # noqa: PLC0415  only when a failure is held

    watch = RaiseWatch(is_user_path, call_later)
    watch.begin()
    return watch


def _failed(exc: BaseException | None) -> Server:
    failed = exc or sys.exc_info()[1] or getattr(sys, "last_value", None)
    if failed is None:
        raise ValueError("there is no exception to ask about: call it in an `except` block, or give it one")
    if _held:
        raise PermissionError(errno.EPERM, "a copy of a program that is held cannot be held")
    return serving(failed, callers=True)


def _tell(address: str) -> None:
    command_line = f"dap-ai ask --post-mortem {shlex.quote(address)}"
    print(f"held here until Ctrl-C: {command_line}", file=sys.stderr, flush=True)  # noqa: T201  the user asked for it


def serving(
    exc: BaseException, keep: Callable[[FrameType], bool] | None = None, *, callers: bool = False, folder: str = ""
) -> Server:
    """Returns a debug server for an exception.

    `keep` decides which frames are shown; `callers` adds the frames that called the traceback's outermost frame. Paths
    are relative to `folder`, or to the current directory if `folder` is empty.
    """
    from dap_ai.debuggees.python.hosts.post_mortem import holding  # noqa: PLC0415  only when a failure is held

    def is_shown(frame: FrameType) -> bool:
        return not frame.f_code.co_filename.startswith(_OURS) and (keep is None or keep(frame))

    return holding.failure(exc, is_shown, callers=callers, folder=folder)


def asked(server: Server, options: Sequence[str]) -> int:
    """Runs `dap-ai ask` about a server's stop, serves the stop meanwhile, and returns the exit code.

    Ctrl-C goes to the child only. Raises OSError.
    """
    from dap_ai.debuggees.python.hosts.post_mortem.holding import Pair  # noqa: PLC0415  only when a failure is held

    pair = Pair()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    try:
        child = subprocess.Popen(  # noqa: S603  our own code
            child_python.command("dap_ai.cli:main", "ask", "--post-mortem", pair.address, *options),
            pass_fds=[pair.theirs.fileno()],
        )
        with _InterruptShield():
            pair.serve(server, lambda: child.poll() is None)
            return child.wait()
    finally:
        pair.close()


class _InterruptShield:
    """Ignores Ctrl-C in this process while the child runs; the terminal sends it to both processes."""

    def __enter__(self) -> None:
        _held.append(threading.get_ident())
        self._plain: Any = None
        if threading.current_thread() is threading.main_thread():
            self._plain = signal.signal(signal.SIGINT, lambda _number, _frame: None)

    def __exit__(self, *_: object) -> None:
        _held.clear()
        if self._plain is not None:
            signal.signal(signal.SIGINT, self._plain)
