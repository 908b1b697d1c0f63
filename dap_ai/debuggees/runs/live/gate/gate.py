"""The gate in the endpoint's process: decides for each event whether its agent stops, and makes the agent wait.

The debugger sends the breakpoints and the order to continue. Without a debugger, nothing stops. gate_contract.py
defines what hooks announce.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from dap_ai.debuggees.runs.live.gate.gate_edits import LastingEdits
from dap_ai.debuggees.runs.live.gate.gate_events import GateEvents
from dap_ai.debuggees.runs.live.gate.orders import AgentHold, BreakpointTable, GateMessage, Order, OrderResult
from dap_ai.debuggees.runs.live.gate.stop_table import BreakpointHit, Going, Now, StopTable
from dap_ai.debuggees.runs.live.wire.endpoint_recorder import EndpointRecorder
from dap_ai.debuggees.runs.run_model import Event

Carry = Callable[[Order], None]
"""Applies an order's edit to an event. Raises ValueError if the edit cannot be applied."""


class What(NamedTuple):
    """An event at which an agent may stop, with its query number and its editable value."""

    event: Event
    query: int
    value: Callable[[], Any]
    carry: Carry
    api: str = ""
    frames: Any = ()


class AgentGate:
    """Decides which events stop an agent. Not thread-safe: for the endpoint's event loop only."""

    def __init__(
        self,
        say: Callable[[GateMessage], None],
        records: EndpointRecorder,
        *,
        path: str = "",
        workspace: str = "",
        stop_all: bool = False,
    ) -> None:
        """Create a gate that stops nothing until it has breakpoints.

        `say` sends a message to the debugger, from any thread. With `stop_all`, all agents wait at their next event
        while one agent is stopped.
        """
        self.story = GateEvents()
        self.stops = StopTable(Now(self.story, workspace, path))
        self.kept = LastingEdits()
        self.records = records
        self.announces: set[str] = set()
        """Event kinds that a hook announces; events of these kinds in the HTTP traffic do not stop the agent."""
        self.say = say
        self._stop_all = stop_all
        self._idents = itertools.count(1)
        self._holds: dict[int, asyncio.Queue[Order]] = {}
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._free = asyncio.Event()
        self._free.set()
        self._is_open = False

    # -- orders of the debugger --------------------------------------------------------------------------------------

    def table(self, table: BreakpointTable) -> None:
        """Replace the breakpoints."""
        self.stops.replace(table.rows)

    def order(self, order: Order) -> None:
        """Apply an order to the stopped event that the order names; ignore the order if that event no longer waits."""
        if (hold := self._holds.get(order.ident)) is not None:
            hold.put_nowait(order)

    def pause(self) -> None:
        """Stop at the next event of any agent."""
        self.stops.is_pausing = True

    def open(self) -> None:
        """Let all agents continue and stop none from now on, because the debugger has disconnected."""
        self._is_open = True
        self.stops.replace(())
        self.stops.going.clear()
        self.stops.is_pausing = False
        for ident, hold in self._holds.items():
            hold.put_nowait(Order(ident))

    # -- passing events ----------------------------------------------------------------------------------------------

    async def passes(self, what: What, begin: Callable[[], None] = lambda: None) -> str:
        """Wait until the event's agent may continue; return "again" to query the model again, else an empty string.

        Calls `begin` if the agent has to wait.
        """
        if not self._free.is_set():
            begin()
            await self._free.wait()
        hit, logged = (None, []) if self._is_open else self.stops.decide(what.event)
        for text in logged:
            self.records.after(lambda text=text: self.say(GateMessage(logged=text)))
        end = ""
        if hit is not None:
            begin()
            async with self._turns[what.event.agent]:
                end = "" if self._is_open else await self._hold(what, hit)
        self.story.past(what.event)
        return end

    async def _hold(self, what: What, hit: BreakpointHit) -> str:
        ident, orders = next(self._idents), asyncio.Queue[Order]()
        self._holds[ident] = orders
        if self._stop_all:
            self._free.clear()
        self._tell(ident, what, hit)
        try:
            while (order := await orders.get()).do not in ("go", "again"):
                self._carry(what, order)
        finally:
            del self._holds[ident]
            if not self._holds:
                self._free.set()
            self.records.after(lambda: self.say(GateMessage(left=ident)))
        if order.until:
            self.stops.going.append(Going(order.until, what.event.agent))
        return "again" if order.do == "again" else ""

    def _tell(self, ident: int, what: What, hit: BreakpointHit) -> None:
        event: Any = what.event
        held = AgentHold(
            ident, event.kind, what.query, event.agent, event.call_id, hit.reason, hit.idents, hit.filter,
            what.value(), what.api, what.frames,
        )  # fmt: skip
        self.records.after(lambda: self.say(GateMessage(held=held)))

    def _carry(self, what: What, order: Order) -> None:
        failed = ""
        try:
            what.carry(order)
        except (ValueError, KeyError, TypeError) as error:
            failed = str(error) or type(error).__name__
        self.records.after(lambda: self.say(GateMessage(edited=OrderResult(order.ident, order.do, failed))))
