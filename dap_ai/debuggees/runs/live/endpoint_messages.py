"""Messages between `dap-ai record` and its endpoint's process: JSON lines on the endpoint's stdin and stdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from dap_ai.debuggees.runs.live.endpoint_plan import EVERY_S, Plan
from dap_ai.debuggees.runs.live.gate.orders import BreakpointTable, GateMessage, Order
from dap_ai.debuggees.runs.live.wire.request_notes import RecordingSummary


class ReplayPlan(msgspec.Struct, frozen=True):
    """How agents are paused."""

    stop_all: bool = False
    """Whether the other agents stop at their next event while one agent is stopped."""
    alive_s: float = EVERY_S
    """Seconds between keep-alive messages to a client whose request is paused."""
    table: BreakpointTable | None = None
    """Breakpoints of the previous endpoint, for an endpoint that replaces it."""
    announces: Sequence[str] = ()
    """Event kinds that a process of the agent announces itself, for an endpoint that replaces another; sent only
    once."""


class Begin(msgspec.Struct, frozen=True):
    """First line to the endpoint. It inherits the listening socket as file descriptor `fd`."""

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
    """Settings for pausing agents; None if they cannot be paused."""


class Ready(msgspec.Struct, frozen=True):
    """The agent can be started; its requests wait until the endpoint serves."""

    trouble: str = ""
    """Why changes of the workspace are not recorded; "" if they are."""


class AgentProcess(msgspec.Struct, frozen=True):
    """Sent to the endpoint when the agent has started. It serves while that process runs, even if its starter exits."""

    pid: int
    created: float


class AgentEnd(msgspec.Struct, frozen=True):
    """Sent to the endpoint when the agent has exited, so that it writes and reports everything."""

    exit_code: int


class EndpointInput(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line to the endpoint after the first."""

    agent: AgentProcess | None = None
    end: AgentEnd | None = None
    table: BreakpointTable | None = None
    order: Order | None = None
    pause: bool = False


class EndpointOutput(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line from the endpoint after `Ready`."""

    told: RecordingSummary | None = None
    """Summary of the recording, in the last line only."""
    heard: GateMessage | None = None
    """Message from the gate."""
