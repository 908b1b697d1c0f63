"""What the adapter lends the agent for one ask: the stopped session, and where the answer goes.

Everything is read within one stop: after a resume each call raises NotStopped, so that no value of another stop is
ever presented as current.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from dap_ai.protocol.contracts.inspection import Inspection, Query
from dap_ai.protocol.contracts.question import HistoryItem, StopEvent
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery, SnapshotResult
from dap_ai.protocol.contracts.tool_arguments import ContinueTo, Execute, SetBreakpoint, SetVariable, Step
from dap_ai.protocol.wire.ask_messages import Category, SafeStep, ToolStep
from dap_ai.protocol.wire.caught_messages import Caught
from dap_ai.protocol.wire.lent_replies import LentPiece, LentReply
from dap_ai.protocol.wire.safe import Raw, Safe, SafeFields


class StoppedSession(Protocol):
    """What a question is about, beside what is read of it."""

    @property
    def stop(self) -> StopEvent | None:
        """The stop the ask began in; None if the program runs, has not begun or has ended."""
        ...

    @property
    def current(self) -> bool:
        """Whether that stop still holds."""
        ...

    @property
    def can_inspect(self) -> bool:
        """Whether the backend has a static inspector."""
        ...

    @property
    def why_no_snapshot(self) -> str:
        """Why this ask may make no snapshot; empty: it may. Whether the debuggee lets it, the first result tells."""
        ...

    def lent_model(
        self, messages: Sequence[SafeFields], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncGenerator[LentPiece | LentReply]:
        """One reply of the model that the client lends, ended by a LentReply. Raises RequestFailed."""
        ...


class RawDebugger(StoppedSession, Protocol):
    """What the adapter lends: a Debugger that masks nothing, so that what it reads is for the masker alone."""

    async def request(self, command: str, arguments: Mapping[str, Any]) -> Raw[dict[str, Any]]:
        """See Debugger."""
        ...

    async def inspect(self, query: Query) -> Raw[Inspection]:
        """See Debugger."""
        ...

    async def snapshot(self, query: SnapshotQuery) -> Raw[SnapshotResult]:
        """See Debugger."""
        ...

    async def approve(self, kind: str, action: Safe, reason: Safe, now: Safe = "") -> Consent:
        """See Debugger."""
        ...

    async def act(self, action: Action, frame_id: int = 0) -> Raw[ActionResult]:
        """See Debugger."""
        ...

    def output_tail(self) -> Raw[Sequence[tuple[str, str]]]:
        """See Debugger."""
        ...

    def caught(self) -> Raw[Caught | None]:
        """See Debugger."""
        ...

    def history(self) -> Raw[Sequence[HistoryItem]]:
        """See Debugger."""
        ...


class Debugger(StoppedSession, Protocol):
    """A live, stopped debug session; what is read of it holds no secret any more."""

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A DAP request's response body. Raises RequestFailed, and NotStopped once the stop is over."""
        ...

    async def inspect(self, query: Query) -> Inspection:
        """One visit of the inspector. Raises RequestFailed, NotStopped."""
        ...

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        """The work of one locked copy of the debuggee; cancelled, it ends it. Raises RequestFailed, NotStopped."""
        ...

    async def approve(self, kind: str, action: str, reason: str, now: str = "") -> Consent:
        """What the user says to an action of the agent; no answer in time is a no. Raises NotStopped.

        `now`: the value that it would replace.
        """
        ...

    async def act(self, action: Action, frame_id: int = 0) -> ActionResult:
        """Does it, in the program itself and in this frame; only after `approve`.

        What resumes the program makes `stop` the new one. Raises RequestFailed, NotStopped.
        """
        ...

    def output_tail(self) -> Sequence[tuple[str, str]]:
        """(category, text) of the last output, oldest first; bounded."""
        ...

    def caught(self) -> Caught | None:
        """Where nothing is stopped: the exception that was caught and reported last, if the debuggee tells of such."""
        ...

    def history(self) -> Sequence[HistoryItem]:
        """What the user did since the conversation's last question, oldest first; bounded."""
        ...


class Sink(Protocol):
    """Where an answer goes while it is made."""

    def emit(self, category: Category, text: str, tool: ToolStep | None = None) -> None:
        """Appends Markdown to the answer, or reports a step or a status. Never blocks."""
        ...


class SafeSink(Protocol):
    """The same on the way to the client."""

    def emit(self, category: Category, text: Safe, tool: SafeStep | None = None) -> None:
        """See Sink."""
        ...


Action = Step | ContinueTo | SetBreakpoint | Execute | SetVariable
"""What a tool of the same name takes; the `frame` of it counts for the tool, here the frame's id is given beside it."""


class ActionResult(msgspec.Struct, frozen=True):
    """What came of an action."""

    result: str = ""
    """Of an evaluation or an assignment; of a breakpoint, what the backend says of it."""
    stop: StopEvent | None = None
    """Where the program stands now; None: it still runs, or has ended."""
    ended: bool = False


class Consent(msgspec.Struct, frozen=True):
    """What the user said, or did not say."""

    allowed: bool
    how: Literal["once", "session", "denied", "timeout", "unseen", "unsafe"]
