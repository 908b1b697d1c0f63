"""Messages between the debugger and the gate: paused calls and what to do with them. Parts of endpoint_messages.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

HeldKind = Literal["query", "response", "call", "result", "change", "error"]
Until = Literal["", "event", "cycle", "out"]
"""How far an agent goes: "" to the next breakpoint, to the next event, to its next query, to the end of its cycle."""


class BreakpointRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One breakpoint of the client's. `asked` is its part of DAP's request."""

    ident: int
    kind: Literal["function", "filter", "data"]
    asked: Mapping[str, Any]


class BreakpointTable(msgspec.Struct, frozen=True):
    """To the gate: the client's breakpoints, in the place of those before."""

    rows: Sequence[BreakpointRow] = ()


class Order(msgspec.Struct, frozen=True, omit_defaults=True):
    """To the gate: what becomes of what is held under `ident`. Each edit is one; `go` sends it on.

    `edit` of a query: `value`, fields of its body; of a response or result: `text`; of a call: `tool`, `arguments`.
    `answer`: `text` in the model's place, or in the tool's. `note`: a user's words behind the query, in later ones,
    too. `drop`: the call is not made, the query is refused. `again`: the model is asked anew.
    """

    ident: int
    do: Literal["go", "edit", "answer", "note", "drop", "again"] = "go"
    value: Any = msgspec.UNSET
    text: str | msgspec.UnsetType = msgspec.UNSET
    tool: str | msgspec.UnsetType = msgspec.UNSET
    arguments: Any = msgspec.UNSET
    until: Until = ""
    """Of `go`: how far its agent goes."""


class AgentHold(msgspec.Struct, frozen=True, omit_defaults=True):
    """From the gate: an agent waits. The recording has what is held by now."""

    ident: int
    kind: HeldKind
    query: int
    """The number of the query that it belongs to; 0: it was announced by a hook."""
    agent: str = ""
    call_id: str = ""
    reason: str = "pause"
    """As DAP's `stopped` has it."""
    hit: Sequence[int] = ()
    filter: str = ""
    value: Any = None
    """As it can be edited: a query's body, a text, a call's tool and arguments."""
    api: str = ""
    frames: Sequence[Any] = ()
    """The Python stack of a call, where a hook tells it."""


class OrderResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """From the gate: an order was carried out, or why not."""

    ident: int
    do: str
    failed: str = ""


class GateMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that the gate says."""

    held: AgentHold | None = None
    left: int = 0
    """What was held under that number is held no more: its agent has gone, or has been sent on."""
    edited: OrderResult | None = None
    logged: str = ""
    pid: int = 0
    """Of the agent, that a launcher in a terminal has started."""
    exit_code: int | None = None
    """Of that agent."""
    port: int = 0
    """At which the debug adapter of the agent's own Python listens."""
    announces: Sequence[str] = ()
    """Kinds that a process of the agent announces itself."""
