"""What `dap-ai record` and its endpoint's process say to each other: JSON lines on the endpoint's stdin and stdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from dap_ai.debuggees.runs.live.endpoint_plan import EVERY_S, Plan
from dap_ai.debuggees.runs.live.gate.orders import BreakpointTable, GateMessage, Order
from dap_ai.debuggees.runs.live.wire.request_notes import RecordingSummary


class ReplayPlan(msgspec.Struct, frozen=True):
    """How agents are held."""

    stop_all: bool = False
    """The others wait, too, at their next event."""
    alive_s: float = EVERY_S
    """So often the client of a request that is held is told something."""
    table: BreakpointTable | None = None
    """Of an endpoint that takes another's place: the breakpoints as they were there."""
    announces: Sequence[str] = ()
    """The same: kinds that a process of the agent had said it announces itself. It says so once."""


class Begin(msgspec.Struct, frozen=True):
    """The first line to the endpoint. The listening socket is inherited under `fd`."""

    fd: int
    token: str
    folder: str
    upstreams: Mapping[str, str]
    """Address by name."""
    head: Mapping[str, Any]
    """The first line of the recording."""
    workspace: str | None = None
    replay: Plan | None = None
    gate: ReplayPlan | None = None
    """Agents can be held."""


class Ready(msgspec.Struct, frozen=True):
    """The agent can be started; what it asks waits until the endpoint serves."""

    trouble: str = ""
    """Why the workspace is not followed."""


class AgentProcess(msgspec.Struct, frozen=True):
    """To the endpoint: the agent runs. It goes on serving while that process does, whoever else ends."""

    pid: int
    created: float


class AgentEnd(msgspec.Struct, frozen=True):
    """To the endpoint: the agent has ended; all is written and told."""

    exit_code: int


class EndpointInput(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line to the endpoint after the first."""

    agent: AgentProcess | None = None
    end: AgentEnd | None = None
    table: BreakpointTable | None = None
    order: Order | None = None
    pause: bool = False


class EndpointOutput(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the endpoint after `Ready`."""

    told: RecordingSummary | None = None
    """The last one."""
    heard: GateMessage | None = None
    """Of the gate."""
