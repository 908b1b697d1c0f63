"""Access to native programs for debug adapters, as the contract backend.Access requires."""

from __future__ import annotations

from dap_ai.debuggees.native.reading.native_inspector import NativeInspector
from dap_ai.protocol.contracts.backend import Access, StopInspector


class NativeAccess(Access):
    """Reads native programs by DAP requests only. Cannot make copies of them."""

    def inspector(self, *, hovers: bool = False) -> StopInspector:
        """Return an inspector for one session. `hovers`: the adapter's `hover` evaluations have no side effects."""
        return NativeInspector(hovers=hovers)


access = NativeAccess()
"""The object behind the entry point `native` of the group `dap_ai.access`."""
