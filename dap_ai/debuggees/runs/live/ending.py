"""Terminates an agent and every process that it has started."""

from __future__ import annotations

import contextlib

import psutil


def terminated(pid: int) -> list[psutil.Process]:
    """Send SIGTERM to the process and its children, and return all of them; empty if the process has already ended."""
    try:
        process = psutil.Process(pid)
        found = [*process.children(recursive=True), process]
    except psutil.Error:
        return []
    for each in found:
        with contextlib.suppress(psutil.Error):
            each.terminate()
    return found
