"""The agent's access to the debugger while it answers one question: the stopped session, and a sink for the answer.

All reads belong to one stop of the program. After the program resumes, each call raises NotStopped, so that the agent
never presents a value of another stop as current.
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
    """State of the debug session that a question is about, without the program's own values."""

    @property
    def stop(self) -> StopEvent | None:
        """The stop in which the question was asked; None if the program is running, has not started or has ended."""
        ...

    @property
    def current(self) -> bool:
        """Whether the program is still in the stop that the question is about."""
        ...

    @property
    def can_inspect(self) -> bool:
        """Whether the backend can read values without running the program's code."""
        ...

    @property
    def why_no_snapshot(self) -> str:
        """Reason why no snapshot may be made for this question; empty if snapshots are allowed.

        Whether the debuggee itself allows snapshots is known only after the first attempt.
        """
        ...

    def lent_model(
        self, messages: Sequence[SafeFields], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncGenerator[LentPiece | LentReply]:
        """Stream one reply of the language model that the client lends. The last item is a LentReply.

        Raises RequestFailed.
        """
        ...


class RawDebugger(StoppedSession, Protocol):
    """A Debugger without masking. Its results have the type Raw, so that only the masker can use them."""

    async def request(self, command: str, arguments: Mapping[str, Any]) -> Raw[dict[str, Any]]:
        """Send a DAP request as Debugger.request does, without masking secrets in the response."""
        ...

    async def inspect(self, query: Query) -> Raw[Inspection]:
        """Read frames and values as Debugger.inspect does, without masking secrets."""
        ...

    async def snapshot(self, query: SnapshotQuery) -> Raw[SnapshotResult]:
        """Run a query in a copy as Debugger.snapshot does, without masking secrets in the result."""
        ...

    async def approve(self, kind: str, action: Safe, reason: Safe, now: Safe = "") -> Consent:
        """Ask the user to confirm an action as Debugger.approve does. All texts must be safe to show."""
        ...

    async def act(self, action: Action, frame_id: int = 0) -> Raw[ActionResult]:
        """Perform an action as Debugger.act does, without masking secrets in the result."""
        ...

    def output_tail(self) -> Raw[Sequence[tuple[str, str]]]:
        """Return the most recent output as Debugger.output_tail does, without masking secrets."""
        ...

    def caught(self) -> Raw[Caught | None]:
        """Return the last caught exception as Debugger.caught does, without masking secrets."""
        ...

    def history(self) -> Raw[Sequence[HistoryItem]]:
        """Return the user's actions as Debugger.history does, without masking secrets."""
        ...


class Debugger(StoppedSession, Protocol):
    """A live, stopped debug session whose results contain no secrets."""

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Send a DAP request and return the response's body.

        Raises RequestFailed, or NotStopped if the program has resumed.
        """
        ...

    async def inspect(self, query: Query) -> Inspection:
        """Read the frames and values that `query` names, in one request. Raises RequestFailed or NotStopped."""
        ...

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        """Run the query in one locked copy of the program; cancelling the call ends the copy.

        Raises RequestFailed or NotStopped.
        """
        ...

    async def approve(self, kind: str, action: str, reason: str, now: str = "") -> Consent:
        """Ask the user to confirm an action of the agent. No reply in time counts as a refusal. Raises NotStopped.

        `now`: the value that the action would replace.
        """
        ...

    async def act(self, action: Action, frame_id: int = 0) -> ActionResult:
        """Perform the action in the program itself, in this frame. Call this only after `approve`.

        If the action resumes the program, the result's `stop` is the new stop. Raises RequestFailed or NotStopped.
        """
        ...

    def output_tail(self) -> Sequence[tuple[str, str]]:
        """Return the end of the program's output as (category, text) pairs, oldest first. Its size is limited."""
        ...

    def caught(self) -> Caught | None:
        """Return the last exception that was caught and reported without a stop; None if none was reported."""
        ...

    def history(self) -> Sequence[HistoryItem]:
        """Return the user's actions since the conversation's last question, oldest first. Their number is limited."""
        ...


class Sink(Protocol):
    """Receives an answer piece by piece while the agent makes it."""

    def emit(self, category: Category, text: str, tool: ToolStep | None = None) -> None:
        """Append Markdown to the answer, or report a step or a status. Never blocks."""
        ...


class SafeSink(Protocol):
    """Receives the masked text of an answer piece by piece, to send it to the client."""

    def emit(self, category: Category, text: Safe, tool: SafeStep | None = None) -> None:
        """Append masked text to the answer, or report a masked step or status. Never blocks."""
        ...


Action = Step | ContinueTo | SetBreakpoint | Execute | SetVariable
"""An action: the arguments of the tool with the same name. The frame is passed separately as a DAP frame id."""


class ActionResult(msgspec.Struct, frozen=True):
    """The result of an action in the program."""

    result: str = ""
    """Result of an evaluation or assignment. For a breakpoint, the backend's message about the breakpoint."""
    stop: StopEvent | None = None
    """Where the program is stopped now; None if the program is still running or has ended."""
    ended: bool = False


class Consent(msgspec.Struct, frozen=True):
    """The user's decision about an action, or why no decision was made."""

    allowed: bool
    how: Literal["once", "session", "denied", "timeout", "unseen", "unsafe"]
