"""What the adapter and the agent tell each other about a question. In memory only; not on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, NewType

import msgspec

from dap_ai.protocol.contracts.tools import Arguments
from dap_ai.protocol.wire.ask import AskArguments, Evidence, Fix, Masked, Suspect, Trouble, Usage
from dap_ai.protocol.wire.safe import Safe
from dap_ai.protocol.wire.value_path import PathNode


class ValueEdit(msgspec.Struct, frozen=True):
    """A value of the program that somebody has set in the debugger: the program has not computed it."""

    name: str
    """The expression in its frame: `n`, `self.rows[0]`."""
    value: str
    """As the debug adapter showed it then, else as it was typed; empty: `name` was changed in place, or deleted."""
    before: str
    """As the user's client had seen it last; empty: it had not."""
    typed: str
    """The statement, where it was one; empty: the value was edited in a list of variables."""
    function: str
    """Of the frame; empty: not known."""
    file: str
    line: int
    """At which the frame stood; 0: not known."""
    epoch: int
    """Of the stop at which it was set."""
    by_user: bool
    """And not by an answer, with the user's confirmation."""


class WatchedData(msgspec.Struct, frozen=True):
    """A variable that a data breakpoint watches."""

    name: str
    """The expression."""
    function: str
    """Whose variable it is; empty: a global one, or not known."""
    before: str
    """Its value as the client saw it when the data breakpoint was set, if nothing was hit since; empty: not known."""
    access: str
    """What stops the program: `write`, `read` or `readWrite`; empty: not said."""


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
    edits: Sequence[ValueEdit] | msgspec.UnsetType = msgspec.UNSET
    """The values that were set in the debugger since the program began, oldest first; unset: none."""
    hit: Sequence[WatchedData] | msgspec.UnsetType = msgspec.UNSET
    """What was accessed, where a data breakpoint has stopped the program; several: one of them. Unset: none has."""


class HistoryItem(msgspec.Struct, frozen=True):
    """Something that was done in the debugger: a console evaluation, a step, a stop."""

    kind: str
    """`evaluate`, `step`, `stop`, `ask`; `agent`: what an answer did, with the user's confirmation."""
    text: str
    """`orders[3]`, `next`, `breakpoint`."""
    result: str = ""


class Ask(msgspec.Struct, frozen=True):
    """A question that was accepted."""

    ask_id: str
    conversation_id: str
    arguments: AskArguments
    tool: Arguments | None = None
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
