"""Who may hold a query on its way, change it, or answer it: what the endpoint needs of the gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from dap_ai.debuggees.runs.live.wire.apis.asked import Api
from dap_ai.debuggees.runs.live.wire.notes import Who

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
