"""Python programs, to whichever debug adapter debugs them: see contracts.backend.Access."""

from __future__ import annotations

from collections.abc import Sequence

from dap_ai.debuggees.python.endings import dead_ends
from dap_ai.debuggees.python.injection import inspector
from dap_ai.debuggees.python.injection.inspector import Inspector
from dap_ai.debuggees.python.injection.snapshots import Snapshots as Copies
from dap_ai.protocol.contracts.backend import Access, Snapshots, Walker


class PythonAccess(Access):
    """By what is injected into the debuggee."""

    def at_start(self) -> Sequence[str]:
        """Opens the inspector's door, and hears of exceptions from then on."""
        return inspector.open_expression(), inspector.watch_expression()

    def in_terminal(self) -> Sequence[str]:
        """Stops where the program dies."""
        return (dead_ends.INSTALL,)

    def warm(self) -> None:
        """Makes what is put into a debuggee ready to be sent."""
        inspector.warm()

    def walker(self, *, hovers: bool = False) -> Walker:
        """The static walker."""
        del hovers
        return Inspector()

    def snapshots(self, readable: tuple[str, ...] = ()) -> Snapshots:
        """Locked copies."""
        return Copies(readable=readable)


access = PythonAccess()
"""The entry point."""
