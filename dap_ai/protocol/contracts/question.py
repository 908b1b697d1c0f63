"""Messages between the adapter and the agent about a question. They stay in memory and are never sent over the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, NewType

import msgspec

from dap_ai.protocol.contracts.tool_arguments import ToolArguments
from dap_ai.protocol.wire.ask_messages import AskArguments, Evidence, Fix, Masked, Suspect, Trouble, Usage
from dap_ai.protocol.wire.report import Cause, Section
from dap_ai.protocol.wire.safe import Safe
from dap_ai.protocol.wire.value_path import PathNode


class ValueEdit(msgspec.Struct, frozen=True):
    """A value that the user or an answer set in the debugger. The program did not compute it."""

    name: str
    """The edited expression in its frame, such as `n` or `self.rows[0]`."""
    value: str
    """The new value as shown by the adapter, else as typed. Empty if `name` was computed, changed in place or
    deleted."""
    before: str
    """The previous value as the client last saw it; empty if the client never showed the value."""
    typed: str
    """The statement that set the value; empty if the user edited the value in a list of variables."""
    function: str
    """The frame's function; empty if unknown."""
    file: str
    line: int
    """The frame's 1-based line; 0 if unknown."""
    epoch: int
    """Number of the stop at which the value was set."""
    by_user: bool
    """Whether the user set the value. If False, an answer set it with the user's confirmation."""


class WatchedData(msgspec.Struct, frozen=True):
    """A variable that a data breakpoint watches."""

    name: str
    """The expression that the data breakpoint watches."""
    function: str
    """The function that owns the variable; empty if the variable is global or its function unknown."""
    before: str
    """The value when the client set the data breakpoint. Empty if unknown, or if a data breakpoint was hit since."""
    access: str
    """Kind of access that stops the program: `write`, `read` or `readWrite`. Empty if the client named no kind."""


class StopEvent(msgspec.Struct, frozen=True):
    """The stop that a question is about."""

    epoch: int
    thread_id: int
    frame_id: int | None
    """The frame that the user selected; None means the innermost frame."""
    reason: str
    """Reason of the stop in DAP's terms: `exception`, `breakpoint`, `step`, `pause`, `entry`, ..."""
    description: str = ""
    text: str = ""
    stopped_threads: Sequence[int] = ()
    edits: Sequence[ValueEdit] | msgspec.UnsetType = msgspec.UNSET
    """Values set in the debugger since the program started, oldest first; unset if no value was set."""
    hit: Sequence[WatchedData] | msgspec.UnsetType = msgspec.UNSET
    """Data whose access stopped the program. If the list has several entries, the program accessed one of them. Unset
    if no data breakpoint stopped the program."""


class HistoryItem(msgspec.Struct, frozen=True):
    """An action in the debugger: a console evaluation, a step, a stop."""

    kind: str
    """Kind of action: `evaluate`, `step`, `stop` or `ask`. `agent` is an action of an answer, confirmed by the user."""
    text: str
    """The expression or action, such as `orders[3]`, `next` or `breakpoint`."""
    result: str = ""


class AcceptedAsk(msgspec.Struct, frozen=True):
    """A question that the adapter has accepted, with its ids."""

    ask_id: str
    conversation_id: str
    arguments: AskArguments
    tool: ToolArguments | None = None
    """The tool whose result is the answer, for the request `askTool`; None for a question."""
    joined: bool = False
    """Whether the client joined another client's session."""


class Answer(msgspec.Struct):
    """The answer to a question."""

    text: str = ""
    """The Markdown text sent to the sink. The adapter sets this field at the end; the agent never sets it."""
    stale: bool = False
    sections: list[Section] = []
    """The parts of `text`, in order."""
    effect: str = ""
    """What went wrong, in one sentence of Markdown; empty if nothing has failed."""
    cause: Cause | None = None
    """The root cause; None if it is unknown, or if nothing has failed."""
    evidence: list[Evidence] = []
    suspects: list[Suspect] = []
    fixes: list[Fix] = []
    path: list[PathNode] = []
    """Path from the value in question back to its origin; empty if the answer has no path or the origin is unknown."""
    gist: str = ""
    """What is certain about a failure, in a few words."""
    usage: Usage = msgspec.field(default_factory=Usage)
    limit: bool = False
    """Whether the answer was cut short because its budget was used up."""
    error: str = ""
    """Why the model provider could not answer. `text` then holds what dap_ai can state without a model."""
    trouble: Trouble | None = None
    """Kind of the error in `error`; None if no model caused it."""
    masked: list[Masked] = []


SafeAnswer = NewType("SafeAnswer", Answer)
"""An answer whose secrets are masked, so that it may be shown."""


def no_answer(*, stale: bool = False) -> SafeAnswer:
    """Return an empty answer."""
    return SafeAnswer(Answer(stale=stale))


class NotAnswered(NamedTuple):
    """A sentence for the user that states why a question has no answer."""

    text: Safe
    stale: bool = False
    """Whether the program has resumed since the question was asked."""
    is_ours: bool = False
    """Whether dap_ai itself failed, not the user's program or the model."""
