"""An executor of subprocesses that dap_ai starts itself.

Subprocesses of `multiprocessing` would import modules from the current folder.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any, TypeVar

from dap_ai.system import child_python

_Result = TypeVar("_Result")
_Task = tuple[Future[Any], bytes]


class Processes(Executor):
    """Executor that calls functions of importable modules in `jobs` processes.

    If a call crashes its process, the other calls are not affected.
    """

    def __init__(self, jobs: int) -> None:
        self._tasks = queue.SimpleQueue[_Task | None]()
        self._running = set[subprocess.Popen[bytes]]()
        self._threads = [threading.Thread(target=self._work, name="scan", daemon=True) for _ in range(jobs)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> Future[_Result]:
        """Return a future of the call. The future raises BrokenExecutor if the call ended its process."""
        future = Future[_Result]()
        self._tasks.put((future, pickle.dumps((fn, args, kwargs))))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes once the submitted calls have finished.

        `cancel_futures` drops calls that have not started.
        """
        while cancel_futures:
            try:
                task = self._tasks.get_nowait()
            except queue.Empty:
                break
            if task is not None:
                task[0].cancel()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def kill(self) -> None:
        """Kill all processes without waiting for their calls."""
        for process in list(self._running):
            process.kill()

    def _work(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        while (task := self._tasks.get()) is not None:
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                process = process or self._started()
                is_returned, result = _called(process, call)
            except (OSError, EOFError, pickle.UnpicklingError):
                if process is not None:
                    self._end(process)
                process = None
                future.set_exception(BrokenExecutor("the process has ended"))
                continue
            if is_returned:
                future.set_result(result)
            else:
                future.set_exception(result)
        if process is not None:
            self._end(process)

    def _started(self) -> subprocess.Popen[bytes]:
        command = child_python.command("dap_ai.debuggees.runs.scan.workers:serve")
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603  our own command
        self._running.add(process)
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with process:  # closes its stdin, so that it ends
            self._running.discard(process)


def _called(process: subprocess.Popen[bytes], call: bytes) -> tuple[bool, Any]:
    """Return whether the call returned normally, and its return value or exception.

    Raises OSError, EOFError or UnpicklingError if the process has ended.
    """
    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018  both are pipes
    process.stdin.write(call)
    process.stdin.flush()
    return pickle.load(process.stdout)  # noqa: S301  from a process of ours


def serve() -> None:
    """Execute the pickled calls that arrive on stdin, until stdin is closed.

    Ignores Ctrl-C, because the parent process handles it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(BrokenPipeError), os.fdopen(os.dup(1), "wb") as results:  # the parent has gone
        os.dup2(2, 1)  # output of a call must not mix with results
        while True:
            try:
                function, args, kwargs = pickle.load(sys.stdin.buffer)  # noqa: S301  from the process that started this one
            except EOFError:
                return
            try:
                answer = (True, function(*args, **kwargs))
            except Exception as error:  # noqa: BLE001  any exception is the call's result
                answer = (False, error)
            results.write(pickle.dumps(answer))
            results.flush()
