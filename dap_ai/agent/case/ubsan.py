"""UndefinedBehaviorSanitizer's words at the stop before it prints them, read from the variables of its own frame.

Debuggers stop in `__ubsan_on_report`. Its library tells debuggers more by functions that they may call; nothing is
called here. Where the library has no debug information nothing is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dap_ai.agent.case.syntax import node_of
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.inspection import Fact, FrameQuery, Query
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

if TYPE_CHECKING:
    from dap_ai.agent.case.stack import Frame

_FRAME = "__ubsan::Diag::~Diag"
_EXPRESSIONS = ("UBR.IssueKind", "UBR.Buffer.buffer_.data_")
_MAX_CHARS = 400


class Words(NamedTuple):
    """`signed-integer-overflow`, and the sentence of the report; each empty where it is not told."""

    kind: str = ""
    sentence: str = ""


NO_WORDS = Words()
"""Nothing is told."""


async def words_of(debugger: Debugger, frames: Sequence[Frame]) -> Words:
    """What the innermost report of UBSan on this stack says. Raises NotStopped."""
    frame = next((each for each in frames if each.name.startswith(_FRAME)), None)
    if frame is None:
        return NO_WORDS
    query = FrameQuery(frame.id, variables=False, expressions=[node_of(text, "cpp") for text in _EXPRESSIONS])
    try:
        reply = await debugger.inspect(Query([query], "observe", exception=False, threads=False, max_text=_MAX_CHARS))
    except NotStopped:
        raise
    except RequestFailed:
        return NO_WORDS
    return Words(*map(_text, reply.frames[0].values)) if reply.frames else NO_WORDS


def _text(fact: Fact) -> str:
    """The characters of a string, on one line."""
    literal = fact.value.text if fact.value and fact.value.kind == "str" else ""
    return " ".join(literal.strip('"').replace('\\"', '"').replace("\\n", " ").split())
