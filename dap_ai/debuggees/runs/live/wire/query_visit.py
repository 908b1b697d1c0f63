"""Interfaces through which the endpoint lets a gate or a replay pause, edit or answer a query."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, Protocol

from dap_ai.debuggees.runs.live.wire.apis.request_parts import Api
from dap_ai.debuggees.runs.live.wire.request_notes import Who


class Sent(NamedTuple):
    """A complete answer that dap_ai sends in place of the model's."""

    status: int
    kind: str
    body: bytes
    taped: int
    """Number of the recorded query that matches; 0 for an error that ends the replay."""


class Decision(NamedTuple):
    """A replay's decision on one query."""

    body: bytes
    """The request that the model will get."""
    own: bytes | None = None
    """The request that the agent sent, if the model gets another."""
    sent: Sent | None = None
    """The answer; None if the query goes to the model."""
    is_fork: bool = False
    """Whether this is the first query not answered from the recording; the workspace is reset before the agent
    continues."""
    stop: str = ""
    """Why the agent must be terminated; empty if it continues."""


class Replies(Protocol):
    """Decides who answers each query of a replay."""

    def decide(self, number: int, api: Api, body: bytes) -> Decision:
        """Decide who answers the query `number`. Returns at once and never raises."""
        ...

    async def settle(self, keep: Callable[[], Awaitable[object]]) -> None:
        """Reset the workspace at the fork, once its state before the query is saved; `keep` saves the new state."""
        ...

    def end_agent(self) -> None:
        """Terminate the agent's processes."""
        ...


Begin = Callable[[], None]
"""Callback that starts keep-alive messages to the client, because the agent has to wait."""


class Visit(Protocol):
    """One query at the gate, on its way to the model and back."""

    body: bytes
    """The request that the model will get; after `asked`, with the user's edits."""
    own: bytes | None
    """The request that the agent sent, if the model gets another."""
    reply: Any
    """After `asked`: the answer used instead of the model's, if any."""
    refused: str
    """After `asked`: why the query is rejected; empty if it is forwarded."""
    value: Any
    """After `answered`: the answer that the agent will get."""
    is_edited: bool
    """Whether `value` differs from the model's answer."""

    @property
    def wants_changes(self) -> bool:
        """Whether `asked` needs the files that changed in the workspace."""
        ...

    def wants_answer(self, status: int) -> bool:
        """Return whether the whole answer must arrive before the agent gets any part; depends on the HTTP status."""
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
    """Gate that sees, and may pause, every query and announcement of an agent."""

    def visit(self, number: int, api: Api, body: bytes, url: str = "", who: Who | None = None) -> Visit:
        """Return the visit of query `number` to the model at `url`; `who` names the agent, if known. Never raises."""
        ...

    async def announced(self, body: bytes) -> tuple[int, bytes]:
        """Process a hook's announcement; return the response's (status, body) when the agent may continue."""
        ...
