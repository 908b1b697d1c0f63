"""Messages between debugger and gate: breakpoints, stopped events, and orders for a stopped event.

endpoint_messages.py contains these messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

HeldKind = Literal["query", "response", "call", "result", "change", "error"]
Until = Literal["", "event", "cycle", "out"]
"""How far an agent runs: to the next breakpoint (empty), the next event, its next query ("cycle"), or the end of its
cycle ("out")."""


class BreakpointRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of the client's breakpoints. `asked` is the breakpoint's entry in the DAP request."""

    ident: int
    kind: Literal["function", "filter", "data"]
    asked: Mapping[str, Any]


class BreakpointTable(msgspec.Struct, frozen=True):
    """The client's breakpoints, sent to the gate; they replace all earlier ones."""

    rows: Sequence[BreakpointRow] = ()


class Order(msgspec.Struct, frozen=True, omit_defaults=True):
    """The debugger's order for the stopped event `ident`. Each edit is one order; `go` lets the agent continue.

    `edit` changes `value`, fields of a query's body; `text` of a response or result; `tool` and `arguments` of a call.
    `answer` uses `text` in place of the model's answer or the tool's result. `note` appends user text to the query and
    all later queries. `drop` removes the call or rejects the query. `again` queries the model again.
    """

    ident: int
    do: Literal["go", "edit", "answer", "note", "drop", "again"] = "go"
    value: Any = msgspec.UNSET
    text: str | msgspec.UnsetType = msgspec.UNSET
    tool: str | msgspec.UnsetType = msgspec.UNSET
    arguments: Any = msgspec.UNSET
    until: Until = ""
    """How far the agent runs after `go`."""


class AgentHold(msgspec.Struct, frozen=True, omit_defaults=True):
    """Message of the gate that an agent has stopped. The event is already in the recording."""

    ident: int
    kind: HeldKind
    query: int
    """Number of the query that the event belongs to; 0 if a hook announced it."""
    agent: str = ""
    call_id: str = ""
    reason: str = "pause"
    """The `reason` in DAP's `stopped` event."""
    hit: Sequence[int] = ()
    filter: str = ""
    value: Any = None
    """The event in editable form: a query's body, a text, or a call's tool and arguments."""
    api: str = ""
    frames: Sequence[Any] = ()
    """Python stack of a call, if a hook sent it."""


class OrderResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """Message of the gate about an order; `failed` is the error, or empty if the order was applied."""

    ident: int
    do: str
    failed: str = ""


class GateMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Message from the gate to the debugger."""

    held: AgentHold | None = None
    left: int = 0
    """Id of a stopped event that no longer waits, because its agent continues or has disconnected; 0 for no event."""
    edited: OrderResult | None = None
    logged: str = ""
    pid: int = 0
    """Process id of the agent that a launcher has started in a terminal."""
    exit_code: int | None = None
    """Exit code of the agent in the terminal."""
    port: int = 0
    """Port of the debug adapter in the agent's Python."""
    announces: Sequence[str] = ()
    """Event kinds that a process of the agent announces to the gate."""
