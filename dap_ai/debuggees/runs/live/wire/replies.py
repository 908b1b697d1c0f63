"""Who may answer a query in the model's place, and what becomes of a query then."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from dap_ai.debuggees.runs.live.wire.apis.asked import Api


class Sent(NamedTuple):
    """An answer of ours."""

    status: int
    kind: str
    body: bytes
    taped: int
    """The query of the tape that it answers; 0: it is of no tape, and of no model either."""


class Decision(NamedTuple):
    """What becomes of a query."""

    body: bytes
    """As the model is to see it."""
    own: bytes | None = None
    """As the agent has sent it, where that is something else."""
    sent: Sent | None = None
    """The answer; None: the query goes to the model."""
    is_fork: bool = False
    """The first that is not answered from the tape: the workspace is set before it goes on."""
    stop: str = ""
    """The agent is to be ended: why."""


class Replies(Protocol):
    """Asked for each query."""

    def decide(self, number: int, api: Api, body: bytes) -> Decision:
        """Who answers a query that has come under that number. Returns at once and never raises."""
        ...

    async def settle(self, keep: Callable[[], Awaitable[object]]) -> None:
        """At the fork, with the workspace kept as the query has found it; `keep` keeps it again."""
        ...

    def end_agent(self) -> None:
        """The agent is told to end."""
        ...
