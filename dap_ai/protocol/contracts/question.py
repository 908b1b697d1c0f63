"""Messages between the adapter and the agent about a question. In memory only, never sent over the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, NewType

import msgspec

from dap_ai.protocol.contracts.tool_arguments import ToolArguments
from dap_ai.protocol.wire.ask_messages import AskArguments, Evidence, Fix, Masked, Suspect, Trouble, Usage
from dap_ai.protocol.wire.safe import Safe
from dap_ai.protocol.wire.value_path import PathNode


class ValueEdit(msgspec.Struct, frozen=True):
    """A value that was set in the debugger, not computed by the program."""

    name: str
    """Edited expression in its frame: `n`, `self.rows[0]`."""
    value: str
    """New value as the adapter showed it, else as typed; empty: `name` was computed, changed in place or deleted."""
    before: str
    """Previous value as the client last saw it; empty if it was never shown."""
    typed: str
    """The statement that set the value; empty: the value was edited in a list of variables."""
    function: str
    """The frame's function; empty: unknown."""
    file: str
    line: int
    """The frame's line; 0: unknown."""
    epoch: int
    """The stop at which the value was set."""
    by_user: bool
    """Whether the user set the value; False: an answer did, with the user's confirmation."""


class WatchedData(msgspec.Struct, frozen=True):
    """A variable that a data breakpoint watches."""

    name: str
    """The watched expression."""
    function: str
    """The function that owns the variable; empty: a global variable, or unknown."""
    before: str
    """Value when the client set the data breakpoint, if none was hit since; empty: unknown."""
    access: str
    """The access that stops the program: `write`, `read` or `readWrite`; empty: the client did not say."""


class StopEvent(msgspec.Struct, frozen=True):
    """The stop that a question is about."""

    epoch: int
    thread_id: int
    frame_id: int | None
    """The frame that the user selected; None: the innermost frame."""
    reason: str
    """Reason in DAP's terms: `exception`, `breakpoint`, `step`, `pause`, `entry`, ..."""
    description: str = ""
    text: str = ""
    stopped_threads: Sequence[int] = ()
    edits: Sequence[ValueEdit] | msgspec.UnsetType = msgspec.UNSET
    """Values set in the debugger since the program started, oldest first; unset: none."""
    hit: Sequence[WatchedData] | msgspec.UnsetType = msgspec.UNSET
    """Data whose access stopped the program; if several are given, one of them was accessed; unset: no data
    breakpoint."""


class HistoryItem(msgspec.Struct, frozen=True):
    """An action in the debugger: a console evaluation, a step, a stop."""

    kind: str
    """`evaluate`, `step`, `stop`, `ask`; `agent`: an action of an answer, confirmed by the user."""
    text: str
    """The expression or action: `orders[3]`, `next`, `breakpoint`."""
    result: str = ""


class AcceptedAsk(msgspec.Struct, frozen=True):
    """An accepted question."""

    ask_id: str
    conversation_id: str
    arguments: AskArguments
    tool: ToolArguments | None = None
    """Answer with the result of this tool (`askTool`)."""
    joined: bool = False
    """Whether the client joined another client's session."""


class Answer(msgspec.Struct):
    """The answer to a question."""

    text: str = ""
    """The text sent to the sink. The adapter sets it once the answer is complete; the agent never does."""
    stale: bool = False
    evidence: list[Evidence] = []
    suspects: list[Suspect] = []
    fixes: list[Fix] = []
    path: list[PathNode] = []
    """Path from the value in question back to its origin; empty: none, or unknown."""
    gist: str = ""
    """The certain facts about a failure, in a few words."""
    usage: Usage = msgspec.field(default_factory=Usage)
    limit: bool = False
    """Whether a budget ended the answer."""
    error: str = ""
    """Why the provider could not answer; `text` then holds what can be stated without it."""
    trouble: Trouble | None = None
    """Kind of `error`, if a model caused it."""
    masked: list[Masked] = []


SafeAnswer = NewType("SafeAnswer", Answer)
"""An answer without secrets, which may be shown."""


def no_answer(*, stale: bool = False) -> SafeAnswer:
    """Return an empty answer."""
    return SafeAnswer(Answer(stale=stale))


class NotAnswered(NamedTuple):
    """Why there is no answer, as a sentence for the user."""

    text: Safe
    stale: bool = False
    """Whether the stop is over."""
    is_ours: bool = False
    """Whether dap_ai itself failed."""
