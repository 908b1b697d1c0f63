"""Decides when the agent or a guest may send a request to the backend. The editor has priority.

At most one agent request is in flight. The backend is idle when no request of the client is pending and QUIET_S have
passed since its last reply. A request that has waited PATIENCE_S is sent anyway. Within the client's sequence
stackTrace -> scopes -> variables, a request waits twice that time, because lldb-dap 19 gives every frame the same scope
references, and another `scopes` in between would make the editor show the wrong locals.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from dap_ai.adapter.state.effects import AgentRequest, CancelTimer, Effect, SetTimer

QUIET_S = 0.030
PATIENCE_S = 0.300
REQUEST_TIMEOUT_S = 10.0

SLOTS = "slots."
QUIET = f"{SLOTS}quiet"
PATIENCE = f"{SLOTS}patience"
REQUEST = f"{SLOTS}request"

_SEQUENCE = frozenset({"stackTrace", "scopes"})


class GuestRead(NamedTuple):
    """A guest's request in the queue of the agent's requests. `send` forwards the request as a client's request."""

    guest: str
    send: Callable[[], None]


class Slots:
    """The queue of requests by the agent and by guests. `take` returns the request that may be sent now."""

    def __init__(self) -> None:
        self._queue: deque[AgentRequest | GuestRead] = deque()
        self._client_pending = 0
        self._quiet = True
        self._patience = 0
        self._last_command = ""
        self.in_flight: AgentRequest | None = None

    def put(self, wanted: AgentRequest | GuestRead) -> list[Effect]:
        """Add a request to the queue, and return timer effects."""
        self._queue.append(wanted)
        if len(self._queue) == 1 and not self._idle:
            return [SetTimer(PATIENCE, PATIENCE_S)]
        return []

    def take(self) -> AgentRequest | GuestRead | None:
        """Remove and return the request that may be sent now. None if no request may be sent."""
        if self.in_flight or not self._queue or not (self._idle or self._out_of_patience):
            return None
        self._patience = 0
        wanted = self._queue.popleft()
        self.in_flight = wanted if isinstance(wanted, AgentRequest) else None
        return wanted

    def taken(self) -> list[Effect]:
        """Return the timer effects that follow a request returned by `take`."""
        effects: list[Effect] = [CancelTimer(PATIENCE)]
        if self.in_flight:
            effects.append(SetTimer(REQUEST, REQUEST_TIMEOUT_S))
        if self._queue and not self._idle:
            effects.append(SetTimer(PATIENCE, PATIENCE_S))
        return effects

    def answered(self) -> list[Effect]:
        """Free the slot of the request in flight, which was answered or given up. Return timer effects."""
        self.in_flight = None
        effects: list[Effect] = [CancelTimer(REQUEST)]
        if self._queue and not self._idle:
            effects.append(SetTimer(PATIENCE, PATIENCE_S))
        return effects

    def drop(self, wanted: AgentRequest | GuestRead) -> None:
        """Remove a request from the queue without sending it."""
        self._queue.remove(wanted)

    @property
    def waiting(self) -> tuple[AgentRequest, ...]:
        """The agent's requests in the queue."""
        return tuple(wanted for wanted in self._queue if isinstance(wanted, AgentRequest))

    @property
    def guests(self) -> tuple[GuestRead, ...]:
        """The guests' requests in the queue."""
        return tuple(wanted for wanted in self._queue if isinstance(wanted, GuestRead))

    def client_asked(self) -> None:
        """Count a client's request that was forwarded."""
        self._client_pending += 1

    def client_answered(self, command: str) -> list[Effect]:
        """Count a client's request as answered, and restart the quiet time. Return timer effects."""
        self._client_pending = max(0, self._client_pending - 1)
        self._last_command = command
        self._quiet = False
        return [SetTimer(QUIET, QUIET_S)]

    def timer(self, timer_id: str) -> list[Effect]:
        """Handle an expired QUIET or PATIENCE timer. Return timer effects."""
        if timer_id == QUIET:
            self._quiet = True
        elif self._queue:
            self._patience += 1
            if not self._out_of_patience:
                return [SetTimer(PATIENCE, PATIENCE_S)]
        return []

    @property
    def _idle(self) -> bool:
        return self._client_pending == 0 and self._quiet

    @property
    def _out_of_patience(self) -> bool:
        in_sequence = not self._quiet and self._last_command in _SEQUENCE
        return self._patience > (1 if in_sequence else 0)
