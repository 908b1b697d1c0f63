"""Each side reads the frame whose scopes it asked for, where the adapter remembers one frame only.

lldb-dap 19 gives every frame the scope references 1, 2 and 3, and every lldb-dap runs console commands in the frame of
the last `scopes`: those of an ask would make the editor show another frame. So before a request that depends on it,
the last `scopes` of the same side are sent again, by the proxy.
"""

from __future__ import annotations

import msgspec

from dap_ai.adapter.state.debuggee import DebuggeeState
from dap_ai.adapter.state.gate import Gate
from dap_ai.adapter.state.outbox import Outbox

AGENT = "agent"
_DEPENDENT = frozenset({"dataBreakpointInfo", "evaluate", "setExpression", "setVariable", "variables"})


class Scoping:
    """Knows whose `scopes` were the last. `side` is AGENT, a guest, or empty: the session's own client."""

    def __init__(self, out: Outbox, state: DebuggeeState, gate: Gate) -> None:
        self._out = out
        self._state = state
        self._gate = gate
        self._epoch = 0
        self._last = ""
        self._arguments: dict[str, bytes] = {}

    def before(self, side: str, command: str, arguments: bytes) -> None:
        """A request of that side is about to be sent."""
        if not self._gate.rules.scopes_shared:
            return
        if self._epoch != self._state.epoch:  # frame ids of another stop
            self._epoch = self._state.epoch
            self._arguments.clear()
        if command == "scopes":
            self._arguments[side] = arguments or b"{}"
            self._last = side
        elif command in _DEPENDENT and side != self._last and side in self._arguments:
            self._out.ask_backend("scopes", msgspec.Raw(self._arguments[side]))
            self._last = side

    def forget(self, guest: str) -> None:
        """A joined client is gone."""
        self._arguments.pop(guest, None)
