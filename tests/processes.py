"""Processes that end while one looks at them, which psutil reports as errors."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterable

import psutil

from tests.patience import at_worst

END_S = at_worst(60.0)


def command_line(process: psutil.Process) -> list[str]:
    """Nothing of one that has ended: a helper of a second, a zombie that is still to be reaped."""
    with contextlib.suppress(psutil.Error):
        return process.cmdline()
    return []


def runs(process: psutil.Process) -> bool:
    """A zombie does not: where its parent has gone first, it waits for whoever is to reap it."""
    with contextlib.suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def running(family: Iterable[psutil.Process]) -> list[psutil.Process]:
    return [each for each in family if runs(each)]


def kill_tree(pid: int) -> None:
    """Kills a process and everything below it."""
    with contextlib.suppress(psutil.NoSuchProcess):
        top = psutil.Process(pid)
        for each in [*top.children(recursive=True), top]:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()


def end_tree(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and everything below it, and closes its pipes."""
    kill_tree(process.pid)
    process.wait(END_S)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
