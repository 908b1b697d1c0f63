"""Terminates an agent and every process that it has started."""

from __future__ import annotations

import contextlib

import psutil


def terminated(pid: int) -> list[psutil.Process]:
    """Signals the process and its children, and returns them; empty if it has already ended."""
    try:
        process = psutil.Process(pid)
        found = [*process.children(recursive=True), process]
    except psutil.Error:
        return []
    for each in found:
        with contextlib.suppress(psutil.Error):
            each.terminate()
    return found
