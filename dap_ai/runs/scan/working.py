"""Rows made by any `concurrent.futures.Executor`, with as few of them waiting as keep it busy."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from itertools import islice

import dap_ai
from dap_ai.runs.scan.rows import ScanRow, unread

_WAITING_PER_JOB = 4

Worker = Callable[[str], ScanRow]


def row_at(place: str) -> ScanRow:
    """The row of the run at a place. Never raises: what goes wrong is its reason. Runs in whatever process."""
    from dap_ai.runs.analysis.analysing import analyse  # noqa: PLC0415  in the worker
    from dap_ai.runs.opening import open_run  # noqa: PLC0415  the same
    from dap_ai.runs.scan.places import local  # noqa: PLC0415  the same
    from dap_ai.runs.scan.rows import scan_row  # noqa: PLC0415  the same

    try:
        with local(place) as path:
            run = open_run(path)
        return scan_row(place, run, analyse(run))
    except Exception as error:  # noqa: BLE001  one bad run of thousands ends no scan
        return unread(place, str(error) or repr(error))


def version() -> str:
    """dap_ai's, where this is run: whether a worker has it at all."""
    return dap_ai.__version__


def processes(jobs: int) -> ProcessPoolExecutor:
    """A pool of this machine. Ctrl-C is for the process that waits for it."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_deaf_to_interrupts)


def _deaf_to_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def rows_of(places: Iterable[str], executor: Executor, jobs: int, work: Worker = row_at) -> Iterator[ScanRow]:
    """A row for each place, as they are done.

    Where a run ends its process, those that were under way with it are done again, each alone.
    """
    todo = iter(places)
    waiting: dict[Future[ScanRow], str] = {}
    try:
        for place in islice(todo, jobs * _WAITING_PER_JOB):
            waiting[executor.submit(work, place)] = place
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                place = waiting.pop(future)
                row = _result(future, place)
                if row is None:
                    yield from _alone([place, *waiting.values(), *todo], work)
                    return
                yield row
                for following in islice(todo, 1):
                    waiting[executor.submit(work, following)] = following
    except BrokenExecutor:
        yield from _alone([*waiting.values(), *todo], work)


def _result(future: Future[ScanRow], place: str) -> ScanRow | None:
    """None where the executor itself is broken."""
    try:
        return future.result()
    except BrokenExecutor:
        return None
    except Exception as error:  # noqa: BLE001  whatever an executor of anybody's raises
        return unread(place, repr(error))


def _alone(places: Iterable[str], work: Worker) -> Iterator[ScanRow]:
    """One process after the other: a run that ends its own does no harm to the next."""
    pool: ProcessPoolExecutor | None = None
    try:
        for place in places:
            pool = pool or processes(1)
            row = _result(pool.submit(work, place), place)
            if row is None:
                pool.shutdown(wait=False)
                pool = None
                row = unread(place, "the process that read it was ended: out of memory, perhaps")
            yield row
    finally:
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
