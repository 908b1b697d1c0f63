"""Threads for asyncio that delay neither their caller nor the process once their result is no longer needed.

asyncio and Python join the threads of their pool at exit, and a thread cannot be interrupted: a search of minutes
outlived Ctrl-C, a closed pipe and the client. Here each call of `asyncio.to_thread`, and each host name look-up, runs
in its own daemon thread, which nothing joins. When the awaiting task is cancelled, the thread is marked as abandoned
and ends at its next `check`.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

_Result = TypeVar("_Result")
_here = threading.local()
_SWITCH_S = 0.0005
"""Maximum seconds the event loop waits for a thread that imports or analyses; Python's default is 5 ms."""


class AbandonedError(BaseException):
    """The awaiting task was cancelled. Derives from BaseException so that no `except Exception` continues after it."""


def check() -> None:
    """Raise AbandonedError if this thread's work is no longer awaited; for long loops (0.1 µs per call)."""
    work: _Work | None = getattr(_here, "work", None)
    if work is not None and work.unwanted:
        raise AbandonedError


def run(main: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine as `asyncio.run` does, with this module's threads."""
    sys.setswitchinterval(_SWITCH_S)

    async def begun() -> _Result:
        asyncio.get_running_loop().set_default_executor(ThreadExecutor())
        return await main

    return asyncio.run(begun())


if TYPE_CHECKING:
    _AnyFuture = Future[Any]
else:
    _AnyFuture = Future  # Future takes no type parameter in Python 3.8


class _Work(_AnyFuture):
    """The future of one thread's work. asyncio cancels it together with the task that awaits it."""

    unwanted = False

    def cancel(self) -> bool:
        """Mark the work as abandoned; the thread ends at its next `check`."""
        self.unwanted = True
        return super().cancel()

    def do(self, call: Callable[..., _Result], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Run the call in this thread and set the future's result or exception."""
        _here.work = self
        if not self.set_running_or_notify_cancel():
            return
        try:
            self.set_result(call(*arguments, **named))
        except BaseException as error:  # noqa: BLE001  the awaiting task gets any error
            self.set_exception(error)


class ThreadExecutor(ThreadPoolExecutor):
    """The event loop's default executor. asyncio requires a ThreadPoolExecutor."""

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> Future[_Result]:
        """Start the call in a new thread; see Executor. Never waits for a free thread."""
        work = _Work()
        threading.Thread(target=work.do, args=(fn, args, kwargs), name="dap-ai work", daemon=True).start()
        return work

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Does nothing: no thread is joined."""
