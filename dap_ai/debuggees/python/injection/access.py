"""Gives debug adapters access to Python programs; implements contracts.backend.Access."""

from __future__ import annotations

from collections.abc import Sequence

from dap_ai.debuggees.python.endings import dead_ends
from dap_ai.debuggees.python.injection import inspector
from dap_ai.debuggees.python.injection.debugpy_snapshots import DebugpySnapshots as Copies
from dap_ai.debuggees.python.injection.inspector import Inspector
from dap_ai.protocol.contracts.backend import Access, SnapshotService, StopInspector


class PythonAccess(Access):
    """Reads and copies Python programs through code injected into the debuggee."""

    def at_start(self) -> Sequence[str]:
        """Returns the expressions that open the injector and start to capture values at each raise."""
        return inspector.open_expression(), inspector.watch_expression()

    def in_terminal(self) -> Sequence[str]:
        """Returns the expressions that make the program stop at failures that debugpy misses."""
        return (dead_ends.INSTALL,)

    def warm(self) -> None:
        """Prepares the expressions to inject before the first question, because this takes some 60 ms."""
        inspector.warm()

    def inspector(self, *, hovers: bool = False) -> StopInspector:
        """Returns the static inspector of one session."""
        del hovers
        return Inspector()

    def snapshots(self, readable: tuple[str, ...] = ()) -> SnapshotService:
        """Returns the snapshots of one session."""
        return Copies(readable=readable)


access = PythonAccess()
"""The entry point `dap_ai.access` for Python."""
