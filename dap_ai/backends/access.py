"""How debuggees of a kind are read and copied: an entry point of the group `dap_ai.access`, by the kind's name."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from dap_ai.protocol.contracts.backend import Access


@cache
def access_to(kind: str) -> Access:
    """The access to debuggees of a kind that is installed."""
    (entry,) = entry_points(group="dap_ai.access", name=kind)
    return entry.load()
