"""Daemon threads for asyncio: work whose result is no longer needed delays neither its caller nor the process exit.

asyncio and Python join their pool's threads at exit, and Python cannot interrupt a thread. A search that took minutes
therefore outlived Ctrl-C, a closed pipe and the client. Here each call of `asyncio.to_thread` and each host name
look-up runs in its own daemon thread, which nothing joins. Cancelling the awaiting task marks the thread as abandoned,
and the thread ends at its next `check`.
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
"""Maximum seconds that the event loop waits for another thread that computes. Python's default is 5 ms."""


class AbandonedError(BaseException):
    """Raised in a thread whose awaiting task was cancelled. `except Exception` does not catch it."""


def check() -> None:
    """Raise AbandonedError if no task awaits this thread's work any more. Call this in long loops (0.1 µs per call)."""
    work: _Work | None = getattr(_here, "work", None)
    if work is not None and work.unwanted:
        raise AbandonedError


def run(main: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine like `asyncio.run`, with each blocking call in its own daemon thread."""
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
    """The future of one thread's work. asyncio cancels the future together with the task that awaits it."""

    unwanted = False

    def cancel(self) -> bool:
        """Mark the work as abandoned, so that its thread ends at the next `check`."""
        self.unwanted = True
        return super().cancel()

    def do(self, call: Callable[..., _Result], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Run `call` in the current thread, and set its result or exception on this future."""
        _here.work = self
        if not self.set_running_or_notify_cancel():
            return
        try:
            self.set_result(call(*arguments, **named))
        except BaseException as error:  # noqa: BLE001  the awaiting task gets any error
            self.set_exception(error)


class ThreadExecutor(ThreadPoolExecutor):
    """The event loop's default executor. asyncio requires a subclass of ThreadPoolExecutor."""

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> Future[_Result]:
        """Start the call in a new thread at once, and return its future."""
        work = _Work()
        threading.Thread(target=work.do, args=(fn, args, kwargs), name="dap-ai work", daemon=True).start()
        return work

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Do nothing: the executor never joins a thread."""
