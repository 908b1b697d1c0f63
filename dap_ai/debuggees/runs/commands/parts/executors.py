"""Executors that read runs for `dap-ai run scan`: local processes, a Dask cluster, or any importable executor."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, NamedTuple

import dap_ai
from dap_ai.debuggees.runs.commands.parts.run_arguments import RunArgumentError
from dap_ai.debuggees.runs.scan.scan_work import version
from dap_ai.debuggees.runs.scan.workers import Processes
from dap_ai.system.extras import FLEET, MissingExtraError

_CONNECT_S = "10s"
_PROBE_S = 120.0
_DASK = "dask="


class ScanExecutor(NamedTuple):
    """A running executor, and the number of runs that it reads at once."""

    executor: Executor
    jobs: int


@contextmanager
def scan_executor(wanted: str, jobs: int | None) -> Generator[ScanExecutor]:
    """Provide `processes`, `dask=HOST:PORT`, or the Executor that a call of `MODULE:CALLABLE` returns.

    Raises RunArgumentError.
    """
    if wanted == "processes":
        yield from _of_processes(jobs or os.cpu_count() or 1)
    elif wanted.startswith(_DASK):
        yield from _of_dask(wanted.removeprefix(_DASK), jobs)
    else:
        yield from _of_anybody(wanted, jobs or os.cpu_count() or 1)


def _of_processes(jobs: int) -> Generator[ScanExecutor]:
    pool = Processes(jobs)
    try:
        yield ScanExecutor(pool, jobs)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        pool.kill()
        raise
    pool.shutdown()


def _of_dask(address: str, jobs: int | None) -> Generator[ScanExecutor]:
    try:
        distributed: Any = FLEET.load("distributed")
    except MissingExtraError as error:
        raise RunArgumentError(str(error)) from error
    full = address if "://" in address else f"tcp://{address}"
    try:
        client = distributed.Client(full, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise RunArgumentError(f"no Dask scheduler answers at {full}: {error}") from error
    with client:
        cores = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        if not cores:
            raise RunArgumentError(f"the Dask cluster at {full} has no workers")
        executor: Executor = client.get_executor(pure=False)
        _probe(executor)
        try:
            yield ScanExecutor(executor, jobs or cores)
        finally:
            executor.shutdown(wait=False)  # closing the client cancels pending work


def _of_anybody(name: str, jobs: int) -> Generator[ScanExecutor]:
    module, colon, attribute = name.partition(":")
    if not colon:
        raise RunArgumentError(f"{name!r} is no executor: processes, dask=HOST:PORT, or MODULE:CALLABLE")
    try:
        make: Callable[[], object] = getattr(importlib.import_module(module), attribute)
        executor = make()
    except (ImportError, AttributeError, TypeError) as error:
        raise RunArgumentError(f"the executor {name} cannot be made: {error}") from error
    if not isinstance(executor, Executor):
        raise RunArgumentError(f"{name} returned no concurrent.futures.Executor, but {type(executor).__name__}")
    with executor:
        _probe(executor)
        yield ScanExecutor(executor, jobs)


def _probe(executor: Executor) -> None:
    """Check that the executor's workers have the same version of dap_ai. Raises RunArgumentError."""
    try:
        theirs = executor.submit(version).result(timeout=_PROBE_S)
    except Exception as error:  # a third-party executor may raise anything
        raise RunArgumentError(f"the workers cannot run dap_ai {dap_ai.__version__}: {error!r}") from error
    if theirs != dap_ai.__version__:
        raise RunArgumentError(f"the workers have dap_ai {theirs}, this is {dap_ai.__version__}")
