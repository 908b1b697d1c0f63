"""The editor goes first: when the agent, or a client that has joined, may put a request on the wire.

One agent request is in flight at most. The backend is idle when no request of the client is pending and QUIET_S has
passed since its last reply; an agent that has waited PATIENCE_S takes one slot all the same, but not in the middle of
the client's stackTrace -> scopes -> variables unless it has waited twice as long (lldb-dap 19 gives every frame the
same scope references, so a foreign `scopes` in between would show the wrong locals).
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
    """A request of a joined client, which takes its turn as the agent's do; once sent, it is as a client's."""

    guest: str
    send: Callable[[], None]


class Slots:
    """The queue of the agent and of joined clients; `take` gives what may be sent now."""

    def __init__(self) -> None:
        self._queue: deque[AgentRequest | GuestRead] = deque()
        self._client_pending = 0
        self._quiet = True
        self._patience = 0
        self._last_command = ""
        self.in_flight: AgentRequest | None = None

    def put(self, wanted: AgentRequest | GuestRead) -> list[Effect]:
        """This is to be sent."""
        self._queue.append(wanted)
        if len(self._queue) == 1 and not self._idle:
            return [SetTimer(PATIENCE, PATIENCE_S)]
        return []

    def take(self) -> AgentRequest | GuestRead | None:
        """The request that may go to the backend now, if there is one."""
        if self.in_flight or not self._queue or not (self._idle or self._out_of_patience):
            return None
        self._patience = 0
        wanted = self._queue.popleft()
        self.in_flight = wanted if isinstance(wanted, AgentRequest) else None
        return wanted

    def taken(self) -> list[Effect]:
        """Timers around the request that `take` gave."""
        effects: list[Effect] = [CancelTimer(PATIENCE)]
        if self.in_flight:
            effects.append(SetTimer(REQUEST, REQUEST_TIMEOUT_S))
        if self._queue and not self._idle:
            effects.append(SetTimer(PATIENCE, PATIENCE_S))
        return effects

    def answered(self) -> list[Effect]:
        """The request in flight is answered, or given up."""
        self.in_flight = None
        effects: list[Effect] = [CancelTimer(REQUEST)]
        if self._queue and not self._idle:
            effects.append(SetTimer(PATIENCE, PATIENCE_S))
        return effects

    def drop(self, wanted: AgentRequest | GuestRead) -> None:
        """Forget a request that has not been sent."""
        self._queue.remove(wanted)

    @property
    def waiting(self) -> tuple[AgentRequest, ...]:
        """Requests of the agent that have not been sent."""
        return tuple(wanted for wanted in self._queue if isinstance(wanted, AgentRequest))

    @property
    def guests(self) -> tuple[GuestRead, ...]:
        """Requests of joined clients that have not been sent."""
        return tuple(wanted for wanted in self._queue if isinstance(wanted, GuestRead))

    def client_asked(self) -> None:
        """A request of the client was forwarded."""
        self._client_pending += 1

    def client_answered(self, command: str) -> list[Effect]:
        """A response went to the client."""
        self._client_pending = max(0, self._client_pending - 1)
        self._last_command = command
        self._quiet = False
        return [SetTimer(QUIET, QUIET_S)]

    def timer(self, timer_id: str) -> list[Effect]:
        """QUIET or PATIENCE ran out."""
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
