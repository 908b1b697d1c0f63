"""Gives debug adapters access to native programs: see contracts.backend.Access."""

from __future__ import annotations

from dap_ai.debuggees.native.reading.native_inspector import NativeInspector
from dap_ai.protocol.contracts.backend import Access, StopInspector


class NativeAccess(Access):
    """Reads native programs by DAP requests only, and makes no copies."""

    def inspector(self, *, hovers: bool = False) -> StopInspector:
        """Return an inspector for one session."""
        return NativeInspector(hovers=hovers)


access = NativeAccess()
"""The entry point `native` of the group `dap_ai.access`."""
