"""Fixes debugpy for processes that replace themselves by `exec` more than once; runs in the adapter, with shim.py.

The new program has the process id of the old program, whose session and connection still exist for a moment. debugpy's
adapter looks up session and connection by that id, and picks any of the sessions and the oldest of the connections.
From the second `exec` on, the new program may be announced to the wrong session, or its client may get the closing
connection and wait forever. This module picks the newest session, and a connection that is not being replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def find_newest() -> None:
    """Patch debugpy's adapter so that a process id refers to the program that currently runs in the process."""
    from debugpy.adapter import clients, sessions  # noqa: PLC0415  only the adapter needs them; clients comes first

    servers: Any = clients.servers  # pyright: ignore[reportPrivateImportUsage]  as in port_guard.py
    untyped: Any = sessions
    wait_for_connection: Callable[..., Any] = servers.wait_for_connection

    def get(pid: int | None) -> Any:
        with untyped._lock:  # noqa: SLF001
            found = [each for each in untyped._sessions if each.pid == pid]  # noqa: SLF001
            return max(found, key=lambda each: each.id, default=None)

    def wait_for_current(session: Any, predicate: Callable[[Any], bool], timeout: float | None = None) -> Any:
        def is_current(link: Any) -> bool:
            return not link.process_replaced and predicate(link)

        return wait_for_connection(session, is_current, timeout)

    untyped.get = get
    servers.wait_for_connection = wait_for_current
