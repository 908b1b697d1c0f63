"""What the adapter and the agent tell each other about a question. In memory only; not on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, NewType

import msgspec

from dap_ai.protocol.contracts.tool_arguments import ToolArguments
from dap_ai.protocol.wire.ask_messages import AskArguments, Evidence, Fix, Masked, Suspect, Trouble, Usage
from dap_ai.protocol.wire.safe import Safe
from dap_ai.protocol.wire.value_path import PathNode


class ValueEdit(msgspec.Struct, frozen=True):
    """A value that somebody set in the debugger: the program did not compute it."""

    name: str
    """The expression in its frame: `n`, `self.rows[0]`."""
    value: str
    """As the adapter showed it then, else as typed; empty: `name` was computed, changed in place or deleted."""
    before: str
    """As the user's client last saw it; empty: it had not."""
    typed: str
    """The statement that set it; empty: the value was edited in a list of variables."""
    function: str
    """The frame's; empty: not known."""
    file: str
    line: int
    """The frame's line; 0: not known."""
    epoch: int
    """The stop at which it was set."""
    by_user: bool
    """False: an answer set it, with the user's confirmation."""


class WatchedData(msgspec.Struct, frozen=True):
    """A variable that a data breakpoint watches."""

    name: str
    """The expression."""
    function: str
    """The function whose variable it is; empty: a global one, or not known."""
    before: str
    """Its value when the client set the data breakpoint, if none was hit since; empty: not known."""
    access: str
    """The access that stops the program: `write`, `read` or `readWrite`; empty: the client did not say."""


class StopEvent(msgspec.Struct, frozen=True):
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
    edits: Sequence[ValueEdit] | msgspec.UnsetType = msgspec.UNSET
    """Values set in the debugger since the program started, oldest first; unset: none."""
    hit: Sequence[WatchedData] | msgspec.UnsetType = msgspec.UNSET
    """What was accessed, where a data breakpoint stopped the program; several: one of them; unset: none did."""


class HistoryItem(msgspec.Struct, frozen=True):
    """Something that was done in the debugger: a console evaluation, a step, a stop."""

    kind: str
    """`evaluate`, `step`, `stop`, `ask`; `agent`: what an answer did, with the user's confirmation."""
    text: str
    """`orders[3]`, `next`, `breakpoint`."""
    result: str = ""


class AcceptedAsk(msgspec.Struct, frozen=True):
    """A question that was accepted."""

    ask_id: str
    conversation_id: str
    arguments: AskArguments
    tool: ToolArguments | None = None
    """Answer with what this tool gives (`askTool`)."""
    joined: bool = False
    """Asked by a client that has joined another's session."""


class Answer(msgspec.Struct):
    """What came of it."""

    text: str = ""
    """What the sink was told: set from it once the answer is whole, never by who answers."""
    stale: bool = False
    evidence: list[Evidence] = []
    suspects: list[Suspect] = []
    fixes: list[Fix] = []
    path: list[PathNode] = []
    """From the value in question back to where it was born; empty: there is none, or it is not known."""
    gist: str = ""
    """What is certain of a failure, in a few words."""
    usage: Usage = msgspec.field(default_factory=Usage)
    limit: bool = False
    """A budget ended it."""
    error: str = ""
    """Why the provider could not answer; `text` then holds what can be said without it, after this."""
    trouble: Trouble | None = None
    """Of that error, where it is a model's."""
    masked: list[Masked] = []


SafeAnswer = NewType("SafeAnswer", Answer)
"""One that may be shown."""


def no_answer(*, stale: bool = False) -> SafeAnswer:
    """Nothing was said."""
    return SafeAnswer(Answer(stale=stale))


class NotAnswered(NamedTuple):
    """Why there is no answer, in words for the user."""

    text: Safe
    stale: bool = False
    """The stop is over."""
    is_ours: bool = False
    """dap_ai itself has failed."""
