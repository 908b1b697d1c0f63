"""What the adapter gives the agent for one ask: access to the stopped session, and a sink for the answer.

All reads belong to one stop: after a resume each call raises NotStopped, so that no value of another stop is ever
presented as current.
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
    """State of the debug session that a question is about, apart from what is read from the program."""

    @property
    def stop(self) -> StopEvent | None:
        """The stop in which the ask began; None if the program is running, has not started or has ended."""
        ...

    @property
    def current(self) -> bool:
        """Whether the ask's stop still holds."""
        ...

    @property
    def can_inspect(self) -> bool:
        """Whether the backend has a static inspector."""
        ...

    @property
    def why_no_snapshot(self) -> str:
        """Reason why this ask may make no snapshot; empty if it may.

        The first result shows whether the debuggee allows it.
        """
        ...

    def lent_model(
        self, messages: Sequence[SafeFields], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncGenerator[LentPiece | LentReply]:
        """Stream one reply of the model that the client lends; the last item is a LentReply. Raises RequestFailed."""
        ...


class RawDebugger(StoppedSession, Protocol):
    """A Debugger without masking: its results are Raw, so that only the masker can use them."""

    async def request(self, command: str, arguments: Mapping[str, Any]) -> Raw[dict[str, Any]]:
        """Debugger.request, unmasked."""
        ...

    async def inspect(self, query: Query) -> Raw[Inspection]:
        """Debugger.inspect, unmasked."""
        ...

    async def snapshot(self, query: SnapshotQuery) -> Raw[SnapshotResult]:
        """Debugger.snapshot, unmasked."""
        ...

    async def approve(self, kind: str, action: Safe, reason: Safe, now: Safe = "") -> Consent:
        """Debugger.approve; all texts must be safe to show."""
        ...

    async def act(self, action: Action, frame_id: int = 0) -> Raw[ActionResult]:
        """Debugger.act, unmasked."""
        ...

    def output_tail(self) -> Raw[Sequence[tuple[str, str]]]:
        """Debugger.output_tail, unmasked."""
        ...

    def caught(self) -> Raw[Caught | None]:
        """Debugger.caught, unmasked."""
        ...

    def history(self) -> Raw[Sequence[HistoryItem]]:
        """Debugger.history, unmasked."""
        ...


class Debugger(StoppedSession, Protocol):
    """A live, stopped debug session whose results contain no secrets."""

    async def request(self, command: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Send a DAP request and return the response's body. Raises RequestFailed, or NotStopped after the stop."""
        ...

    async def inspect(self, query: Query) -> Inspection:
        """Read what `query` asks for in one request. Raises RequestFailed or NotStopped."""
        ...

    async def snapshot(self, query: SnapshotQuery) -> SnapshotResult:
        """Run the query in one locked copy; cancelling the call ends the copy. Raises RequestFailed or NotStopped."""
        ...

    async def approve(self, kind: str, action: str, reason: str, now: str = "") -> Consent:
        """Ask the user to confirm an action of the agent; no answer in time counts as a refusal. Raises NotStopped.

        `now`: the value that the action would replace.
        """
        ...

    async def act(self, action: Action, frame_id: int = 0) -> ActionResult:
        """Perform the action in the program itself, in this frame; call only after `approve`.

        An action that resumes the program sets `stop` to the new stop. Raises RequestFailed or NotStopped.
        """
        ...

    def output_tail(self) -> Sequence[tuple[str, str]]:
        """Return (category, text) of the most recent output, oldest first; bounded."""
        ...

    def caught(self) -> Caught | None:
        """Return the last exception that was caught and reported without a stop; None if the debuggee reports none."""
        ...

    def history(self) -> Sequence[HistoryItem]:
        """Return what the user did since the conversation's last question, oldest first; bounded."""
        ...


class Sink(Protocol):
    """Receiver of an answer while it is made."""

    def emit(self, category: Category, text: str, tool: ToolStep | None = None) -> None:
        """Append Markdown to the answer, or report a step or a status. Never blocks."""
        ...


class SafeSink(Protocol):
    """A Sink for masked text, on its way to the client."""

    def emit(self, category: Category, text: Safe, tool: SafeStep | None = None) -> None:
        """Sink.emit, for masked text only."""
        ...


Action = Step | ContinueTo | SetBreakpoint | Execute | SetVariable
"""Arguments of the tool with the same name. The frame is given separately, as a DAP frame id, not by `frame`."""


class ActionResult(msgspec.Struct, frozen=True):
    """The result of an action."""

    result: str = ""
    """Result of an evaluation or assignment; for a breakpoint, the backend's message about it."""
    stop: StopEvent | None = None
    """Where the program is stopped now; None: it is still running, or has ended."""
    ended: bool = False


class Consent(msgspec.Struct, frozen=True):
    """The user's decision about an action, or why there is none."""

    allowed: bool
    how: Literal["once", "session", "denied", "timeout", "unseen", "unsafe"]
