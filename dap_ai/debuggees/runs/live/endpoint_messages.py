"""Messages between `dap-ai record` and its endpoint's process: JSON lines on the endpoint's stdin and stdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from dap_ai.debuggees.runs.live.endpoint_plan import EVERY_S, Plan
from dap_ai.debuggees.runs.live.gate.orders import BreakpointTable, GateMessage, Order
from dap_ai.debuggees.runs.live.wire.request_notes import RecordingSummary


class ReplayPlan(msgspec.Struct, frozen=True):
    """Settings for pausing agents."""

    stop_all: bool = False
    """Whether the other agents stop at their next event while one agent is stopped."""
    alive_s: float = EVERY_S
    """Seconds between keep-alive messages to a client whose request is paused."""
    table: BreakpointTable | None = None
    """Breakpoints that the previous endpoint had, for an endpoint that replaces a killed one."""
    announces: Sequence[str] = ()
    """Event kinds that a process of the agent announces to the gate. An endpoint that replaces another gets them here,
    because the agent sends them only once."""


class Begin(msgspec.Struct, frozen=True):
    """First line to the endpoint; `fd` is the file descriptor of the listening socket, which the endpoint inherits."""

    fd: int
    token: str
    folder: str
    upstreams: Mapping[str, str]
    """Addresses of the model APIs by name."""
    head: Mapping[str, Any]
    """First line of the recording."""
    workspace: str | None = None
    replay: Plan | None = None
    gate: ReplayPlan | None = None
    """Settings for pausing agents; None if agents cannot be paused."""


class Ready(msgspec.Struct, frozen=True):
    """First line from the endpoint: the agent can start. Its requests wait until the endpoint serves."""

    trouble: str = ""
    """Why changes of the workspace are not recorded; empty if changes are recorded."""


class AgentProcess(msgspec.Struct, frozen=True):
    """Tells the endpoint the agent's process. The endpoint serves until that process ends."""

    pid: int
    created: float


class AgentEnd(msgspec.Struct, frozen=True):
    """Tells the endpoint that the agent has exited, so that the endpoint finishes the recording and sends a summary."""

    exit_code: int


class EndpointInput(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line to the endpoint, after `Begin`."""

    agent: AgentProcess | None = None
    end: AgentEnd | None = None
    table: BreakpointTable | None = None
    order: Order | None = None
    pause: bool = False


class EndpointOutput(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line from the endpoint, after `Ready`."""

    told: RecordingSummary | None = None
    """Summary of the recording, in the last line only."""
    heard: GateMessage | None = None
    """Message from the gate, which pauses the agent."""
