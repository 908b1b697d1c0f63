"""What is particular to one editor's way of speaking the Debug Adapter Protocol, as data.

Facts read from the editors' own sources (November 2026); docs/editors.md tells their users what follows from them.
`tests/dialects/editor.py` is the one engine that speaks them all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from dap_ai.adapter.state.client_info import DEFINED_EVENTS

Step = Literal["breakpoints", "functions", "exceptions", "done"]
UnknownEvent = Literal["ignored", "shown", "ends"]


@dataclass(frozen=True)
class Dialect:
    """One editor. What is left at its default is what most do."""

    name: str
    initialize: dict[str, Any]
    """Arguments of `initialize`; what an editor does not say is not there."""
    timeout_s: float
    """The editor gives up on a request after so long; 30 for one that waits for ever."""
    first_seq: int = 1
    response_seq: bool = True
    """Its responses to reverse requests carry a `seq`."""
    nulls: bool = False
    """What it leaves out of a message it writes as null: `"body": null`, `"message": null`."""
    empty: dict[str, Any] | None = None
    """The `arguments` of a request that needs none; None: the key is left out."""
    configuration: tuple[Step, ...] = ("breakpoints", "exceptions", "done")
    """What it sends after `initialized`, each step after the response to the one before."""
    stack: tuple[dict[str, Any], ...] = ({},)
    """More arguments of each `stackTrace` that it sends at a stop."""
    console_context: str | None = "repl"
    """`context` of what is typed in its console; None: left out."""
    hidden: frozenset[str] = frozenset({"telemetry"})
    """Categories of output that its console does not show."""
    shown: frozenset[str] | None = None
    """The only categories that its console shows; None: all but `hidden`."""
    one_line: bool = False
    """Its console is a status line: each output takes the place of the one before."""
    unknown_event: UnknownEvent = "ignored"
    events: frozenset[str] = DEFINED_EVENTS
    """Those that it knows."""
    asks: bool = False
    """A plugin or an extension of it can send requests of its own."""
    reverse: frozenset[str] = frozenset({"runInTerminal", "startDebugging"})
    """Reverse requests that it answers; others it refuses."""
    goodbye: dict[str, Any] | None = field(default_factory=lambda: {"terminateDebuggee": True})
    """Arguments of `disconnect`."""

    def shows(self, category: str | None) -> bool:
        """Whether output of this category is seen; None is output without one."""
        category = category or "console"
        return category not in self.hidden and (self.shown is None or category in self.shown)

    def __str__(self) -> str:
        return self.name
