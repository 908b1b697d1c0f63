"""Gives debug adapters access to native programs: see contracts.backend.Access."""

from __future__ import annotations

from dap_ai.debuggees.native.reading.walker import NativeWalker
from dap_ai.protocol.contracts.backend import Access, Walker


class NativeAccess(Access):
    """Reads native programs by DAP requests only, and makes no copies."""

    def walker(self, *, hovers: bool = False) -> Walker:
        """Returns a walker for one session."""
        return NativeWalker(hovers=hovers)


access = NativeAccess()
"""The entry point."""
