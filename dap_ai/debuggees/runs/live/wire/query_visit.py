"""Interfaces through which the endpoint lets a gate or replay pause, edit or answer a query."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, Protocol

from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api
from dap_ai.debuggees.runs.live.wire.request_notes import Who


class Sent(NamedTuple):
    """An answer that does not come from the model."""

    status: int
    kind: str
    body: bytes
    taped: int
    """Query of the tape whose answer it is; 0 if neither a tape nor a model gave it."""


class Decision(NamedTuple):
    """How a query is answered."""

    body: bytes
    """The request that the model will get."""
    own: bytes | None = None
    """The request that the agent sent, if different."""
    sent: Sent | None = None
    """The answer; None if the query goes to the model."""
    is_fork: bool = False
    """Whether this is the first query not answered from the tape; the workspace is reset before it continues."""
    stop: str = ""
    """Why the agent is to be ended; "" if it is not."""


class Replies(Protocol):
    """Answers queries of a replay."""

    def decide(self, number: int, api: Api, body: bytes) -> Decision:
        """Decide who answers the query `number`. Returns at once and never raises."""
        ...

    async def settle(self, keep: Callable[[], Awaitable[object]]) -> None:
        """Reset the workspace at the fork, once the query's state is saved; `keep` saves the new state."""
        ...

    def end_agent(self) -> None:
        """Terminate the agent."""
        ...


Begin = Callable[[], None]
"""Called when the agent has to wait, so that its client gets keep-alive messages."""


class Visit(Protocol):
    """One query on its way to the model and back."""

    body: bytes
    """The request that the model will get; after `asked`, with its edits."""
    own: bytes | None
    """The request that the agent sent, if different."""
    reply: Any
    """After `asked`: the answer used instead of the model's, if any."""
    refused: str
    """After `asked`: why the query is not forwarded; "" if it is."""
    value: Any
    """After `answered`: the answer that the agent will get."""
    is_edited: bool
    """Whether `value` differs from the model's answer."""

    @property
    def wants_changes(self) -> bool:
        """Whether `asked` needs the files that changed in the workspace."""
        ...

    def wants_answer(self, status: int) -> bool:
        """Return whether an answer with that status must be complete before the agent gets any of it."""
        ...

    async def asked(self, begin: Begin, changed: Sequence[str] | None) -> None:
        """Wait until the model may be called; `changed` are the files changed since the previous query."""
        ...

    async def answered(self, begin: Begin, value: Any, status: int) -> bool:
        """Wait until the agent may have the answer; return whether to query the model again instead."""
        ...

    def passed(self, value: Any, status: int) -> None:
        """Record an answer that was forwarded unchanged."""
        ...


class Gatekeeper(Protocol):
    """Sees every query and announcement of an agent."""

    def visit(self, number: int, api: Api, body: bytes, url: str = "", who: Who | None = None) -> Visit:
        """Return the visit of query `number` to the model at `url`; `who` sent it, if known. Never raises."""
        ...

    async def announced(self, body: bytes) -> tuple[int, bytes]:
        """Process a hook's announcement; return (status, body) of the response, once there is one."""
        ...
