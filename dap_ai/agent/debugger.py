"""What the agent needs of a debugger. `adapter.serve` satisfies it structurally; tests use fakes.

Everything is read within one stop: after a resume each call raises NotStopped, so that no value of another stop is
ever presented as current.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from dap_ai.protocol.ask import AskArguments, Category, Evidence, Fix, Suspect, ToolStep, Usage
from dap_ai.protocol.inspection import Inspection, Query


class Stop(msgspec.Struct, frozen=True):
    """The stop that a question is about."""

    epoch: int
    thread_id: int
    frame_id: int | None
    """The frame that the user has selected; None: the top one."""
    reason: str
    """DAP's: `exception`, `breakpoint`, `step`, `pause`, `entry`, ..."""
    description: str = ""
    text: str = ""
    stopped_threads: Sequence[int] = ()


class HistoryItem(msgspec.Struct, frozen=True):
    """Something the user did in the debugger: a console evaluation, a step, a stop."""

    kind: str
    """`evaluate`, `step`, `stop`, `ask`."""
    text: str
    """`orders[3]`, `next`, `breakpoint in main at shop.py:12`."""
    result: str = ""


class Debugger(Protocol):
    """A live, stopped debug session."""

    @property
    def stop(self) -> Stop | None:
        """The stop the ask began in; None if the program runs, has not begun or has ended."""
        ...

    @property
    def current(self) -> bool:
        """Whether that stop still holds."""
        ...

    @property
    def can_inspect(self) -> bool:
        """Whether the backend has a static walker."""
        ...

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A DAP request's response body. Raises RequestFailed, and NotStopped once the stop is over."""
        ...

    async def inspect(self, query: Query) -> Inspection:
        """One visit of the walker. Raises RequestFailed, NotStopped."""
        ...

    def output_tail(self) -> Sequence[tuple[str, str]]:
        """(category, text) of the last output, oldest first; bounded."""
        ...

    def history(self) -> Sequence[HistoryItem]:
        """What the user did since the conversation's last question, oldest first; bounded."""
        ...


class Sink(Protocol):
    """Where an answer goes while it is made."""

    def emit(self, category: Category, text: str, tool: ToolStep | None = None) -> None:
        """Appends Markdown to the answer, or reports a step or a status. Never blocks."""
        ...


class Ask(msgspec.Struct, frozen=True):
    """A question that was accepted."""

    ask_id: str
    conversation_id: str
    arguments: AskArguments


class Answer(msgspec.Struct):
    """What came of it; the text has gone to the sink as well."""

    text: str = ""
    stale: bool = False
    evidence: list[Evidence] = []
    suspects: list[Suspect] = []
    fixes: list[Fix] = []
    usage: Usage = msgspec.field(default_factory=Usage)
    limit: bool = False
    """A budget ended it."""
