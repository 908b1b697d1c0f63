"""An agent is told to end, with all that it has started."""

from __future__ import annotations

import contextlib

import psutil


def terminated(pid: int) -> list[psutil.Process]:
    """The process and its children, which have been told to; empty where it has ended already."""
    try:
        process = psutil.Process(pid)
        found = [*process.children(recursive=True), process]
    except psutil.Error:
        return []
    for each in found:
        with contextlib.suppress(psutil.Error):
            each.terminate()
    return found
