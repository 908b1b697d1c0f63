"""Messages between debugger and gate: stopped events and what to do with them. Parts of endpoint_messages.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

HeldKind = Literal["query", "response", "call", "result", "change", "error"]
Until = Literal["", "event", "cycle", "out"]
"""How far an agent runs: "" to the next breakpoint, "event" to the next event, "cycle" to its next query, "out" to the
end of its cycle."""


class BreakpointRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of the client's breakpoints. `asked` is its entry in the DAP request."""

    ident: int
    kind: Literal["function", "filter", "data"]
    asked: Mapping[str, Any]


class BreakpointTable(msgspec.Struct, frozen=True):
    """To the gate: the client's breakpoints, which replace all earlier ones."""

    rows: Sequence[BreakpointRow] = ()


class Order(msgspec.Struct, frozen=True, omit_defaults=True):
    """To the gate: what to do with the stopped event `ident`. Each edit is one order; `go` lets the agent continue.

    `edit` changes `value`, fields of a query's body; `text` of a response or result; `tool` and `arguments` of a call.
    `answer` uses `text` instead of the model's or the tool's. `note` appends user text to the query and all later ones.
    `drop` removes the call or rejects the query. `again` queries the model again.
    """

    ident: int
    do: Literal["go", "edit", "answer", "note", "drop", "again"] = "go"
    value: Any = msgspec.UNSET
    text: str | msgspec.UnsetType = msgspec.UNSET
    tool: str | msgspec.UnsetType = msgspec.UNSET
    arguments: Any = msgspec.UNSET
    until: Until = ""
    """For `go`: how far the agent runs."""


class AgentHold(msgspec.Struct, frozen=True, omit_defaults=True):
    """From the gate: an agent has stopped. The event is already in the recording."""

    ident: int
    kind: HeldKind
    query: int
    """Number of the query that the event belongs to; 0 if a hook announced it."""
    agent: str = ""
    call_id: str = ""
    reason: str = "pause"
    """`reason` of DAP's `stopped` event."""
    hit: Sequence[int] = ()
    filter: str = ""
    value: Any = None
    """The event in editable form: a query's body, a text, or a call's tool and arguments."""
    api: str = ""
    frames: Sequence[Any] = ()
    """Python stack of a call, if a hook sent it."""


class OrderResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """From the gate: result of an order; `failed` is the error, "" if it was applied."""

    ident: int
    do: str
    failed: str = ""


class GateMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message from the gate."""

    held: AgentHold | None = None
    left: int = 0
    """Id of a stopped event that no longer waits; 0 if none. Its agent has disconnected or continues."""
    edited: OrderResult | None = None
    logged: str = ""
    pid: int = 0
    """Process id of the agent that a launcher has started in a terminal."""
    exit_code: int | None = None
    """Exit code of that agent."""
    port: int = 0
    """Port of the debug adapter in the agent's Python."""
    announces: Sequence[str] = ()
    """Event kinds that a process of the agent announces itself."""
