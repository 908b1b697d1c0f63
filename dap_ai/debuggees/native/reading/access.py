"""Native programs, to whichever debug adapter debugs them: see contracts.backend.Access."""

from __future__ import annotations

from dap_ai.debuggees.native.reading.walker import NativeWalker
from dap_ai.protocol.contracts.backend import Access, Walker


class NativeAccess(Access):
    """By DAP's requests alone."""

    def walker(self, *, hovers: bool = False) -> Walker:
        """The reader of one session."""
        return NativeWalker(hovers=hovers)


access = NativeAccess()
"""The entry point."""
