"""asyncio's threads, without its waits: what nobody wants any more holds up neither its caller nor the process.

asyncio and Python join the threads of their pool before they end, and a thread cannot be interrupted: a search of
minutes outlived Ctrl-C, a closed pipe and the client. Here each call of `asyncio.to_thread`, and each look-up of a
host, has a daemon thread of its own, which nobody joins. It is told when the task that awaits it is cancelled, and
ends at its next `check`.
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
"""For so long, not for Python's 5 ms, the event loop waits for a thread that imports or analyses."""


class AbandonedError(BaseException):
    """Nobody awaits what this thread does any more. No `except Exception` may go on after it."""


def check() -> None:
    """Raises Unwanted where nobody awaits this thread's work any more; for loops that may be long (0.1 µs)."""
    work: _Work | None = getattr(_here, "work", None)
    if work is not None and work.unwanted:
        raise AbandonedError


def run(main: Coroutine[Any, Any, _Result]) -> _Result:
    """`asyncio.run` with these threads."""
    sys.setswitchinterval(_SWITCH_S)

    async def begun() -> _Result:
        asyncio.get_running_loop().set_default_executor(ThreadExecutor())
        return await main

    return asyncio.run(begun())


if TYPE_CHECKING:
    _AnyFuture = Future[Any]
else:
    _AnyFuture = Future  # takes no parameter in Python 3.8


class _Work(_AnyFuture):
    """What one thread does. asyncio cancels it with the task that awaits it."""

    unwanted = False

    def cancel(self) -> bool:
        """It cannot be stopped from here: it ends by itself soon."""
        self.unwanted = True
        return super().cancel()

    def do(self, call: Callable[..., _Result], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """The thread's whole life."""
        _here.work = self
        if not self.set_running_or_notify_cancel():
            return
        try:
            self.set_result(call(*arguments, **named))
        except BaseException as error:  # noqa: BLE001  whatever it was, the awaiting task is told
            self.set_exception(error)


class ThreadExecutor(ThreadPoolExecutor):
    """An event loop's default executor, of which asyncio demands that it is a ThreadPoolExecutor."""

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> Future[_Result]:
        """See Executor; never waits for a free thread."""
        work = _Work()
        threading.Thread(target=work.do, args=(fn, args, kwargs), name="dap-ai work", daemon=True).start()
        return work

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Joins nothing."""
