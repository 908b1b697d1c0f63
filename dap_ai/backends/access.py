"""Loads the code that reads one kind of debuggee (an `Access`) from the entry-point group `dap_ai.access`."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from dap_ai.protocol.contracts.backend import Access


@cache
def access_to(kind: str) -> Access:
    """Return the `Access` for one kind of debuggee; an `Access` makes inspectors and snapshots."""
    (entry,) = entry_points(group="dap_ai.access", name=kind)
    return entry.load()
