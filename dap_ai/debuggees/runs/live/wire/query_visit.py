"""Who may hold a query on its way, change it, or answer it: what the endpoint needs of the gate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, Protocol

from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api
from dap_ai.debuggees.runs.live.wire.request_notes import Who


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


Begin = Callable[[], None]
"""Called where somebody waits: the agent's client is to be told something meanwhile."""


class Visit(Protocol):
    """One query, on its way to the model and back."""

    body: bytes
    """The request as the model is to see it; after `asked`, with what was edited there."""
    own: bytes | None
    """As the agent has sent it, where that is something else."""
    reply: Any
    """After `asked`: the answer in the model's place, where there is one."""
    refused: str
    """After `asked`: why the query is not passed on."""
    value: Any
    """After `answered`: the answer as the agent is to get it."""
    is_edited: bool
    """Whether that is another than the model's."""

    @property
    def wants_changes(self) -> bool:
        """Whether `asked` is to be told what has become of the workspace."""
        ...

    def wants_answer(self, status: int) -> bool:
        """Whether an answer of that status is to be whole before the agent gets any of it."""
        ...

    async def asked(self, begin: Begin, changed: Sequence[str] | None) -> None:
        """Until the model may be asked; `changed` are the files that have changed since the query before."""
        ...

    async def answered(self, begin: Begin, value: Any, status: int) -> bool:
        """Until the agent may have the answer; whether the model is to be asked again instead."""
        ...

    def passed(self, value: Any, status: int) -> None:
        """The answer has gone by as it came."""
        ...


class Gatekeeper(Protocol):
    """Stands where queries come by."""

    def visit(self, number: int, api: Api, body: bytes, url: str = "", who: Who | None = None) -> Visit:
        """A query that has come under that number, to the model at `url`, of `who` if that is known. Never raises."""
        ...

    async def announced(self, body: bytes) -> tuple[int, bytes]:
        """What a hook in the agent's process announces: the status and the body of the answer, once there is one."""
        ...
