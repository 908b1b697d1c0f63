"""Produces the rows of a scan with any `concurrent.futures.Executor`. Queues only enough tasks to keep it busy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from itertools import islice

import dap_ai
from dap_ai.debuggees.runs.scan.scan_rows import ScanRow, unread
from dap_ai.debuggees.runs.scan.workers import Processes

_WAITING_PER_JOB = 4

Worker = Callable[[str], ScanRow]


def row_at(place: str) -> ScanRow:
    """Return the row of the run at `place`. Can run in any process.

    Never raises an error: the message of an error becomes the row's `reason`.
    """
    from dap_ai.debuggees.runs.analysis.analyse import analyse  # noqa: PLC0415  in the worker
    from dap_ai.debuggees.runs.opening import open_run  # noqa: PLC0415  the same
    from dap_ai.debuggees.runs.scan.run_locations import local  # noqa: PLC0415  the same
    from dap_ai.debuggees.runs.scan.scan_rows import scan_row  # noqa: PLC0415  the same

    try:
        with local(place) as path:
            run = open_run(path)
        return scan_row(place, run, analyse(run))
    except Exception as error:  # noqa: BLE001  one bad run must not end a whole scan
        return unread(place, str(error) or repr(error))


def version() -> str:
    """Return the version of dap_ai in the executing process, to check that a worker has dap_ai installed."""
    return dap_ai.__version__


def rows_of(places: Iterable[str], executor: Executor, jobs: int, work: Worker = row_at) -> Iterator[ScanRow]:
    """Yields a row for each location, in order of completion.

    A run that crashed its process is retried in a separate process. All runs that a broken executor left are retried as
    well.
    """
    todo = iter(places)
    waiting: dict[Future[ScanRow], str] = {}
    again: list[str] = []

    def submit(count: int) -> None:
        for place in islice(todo, count):
            try:
                waiting[executor.submit(work, place)] = place
            except BrokenExecutor:  # noqa: PERF203  handled per location
                again.append(place)

    submit(jobs * _WAITING_PER_JOB)
    while waiting:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            place = waiting.pop(future)
            row = _result(future, place)
            if row is None:
                again.append(place)
            else:
                yield row
            submit(1)
    yield from _alone([*again, *todo], work)


def _result(future: Future[ScanRow], place: str) -> ScanRow | None:
    """Return the row of a finished task, or None if the task's process ended or the executor is broken."""
    try:
        return future.result()
    except BrokenExecutor:
        return None
    except Exception as error:  # noqa: BLE001  a third-party executor may raise anything
        return unread(place, repr(error))


def _alone(places: Iterable[str], work: Worker) -> Iterator[ScanRow]:
    """Yields the rows of runs that are read in one process, one after the other.

    The process is replaced after a crash, so that one run cannot affect the next.
    """
    pool: Processes | None = None
    try:
        for place in places:
            pool = pool or Processes(1)
            row = _result(pool.submit(work, place), place)
            if row is None:
                pool.shutdown(wait=False)
                pool = None
                row = unread(place, "the process that read it was ended: out of memory, perhaps")
            yield row
    finally:
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
            pool.kill()
