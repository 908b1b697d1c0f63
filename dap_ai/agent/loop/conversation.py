"""The previous questions and answers of a conversation, and whether the program has moved on since.

The messages are shortened if they no longer fit the model's context.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dap_ai.agent.source.source_file import Sources
from dap_ai.agent.tools.base import clip
from dap_ai.protocol.contracts.question import Answer, StopEvent
from dap_ai.protocol.wire.ask_messages import Earlier
from dap_ai.protocol.wire.safe import SafeFields

MAX_TURNS = 20
_MAX_PLACES = 3
_AROUND = 12
"""Lines to show before and after the line of a turn."""


@dataclass
class Turn:
    """A question, its answer, and the stop it was about (None if nothing was stopped)."""

    question: str
    answer: Answer
    stop: StopEvent | None
    spot: str = ""
    """Place of the stop, for the user: `shop.py:12`."""
    told: bool = True
    """Whether a model was asked, not a tool or the offline analyst."""
    is_brought: bool = False
    """Whether the turn is from an ended session, kept by the client."""


@dataclass
class Conversation:
    """The last 20 turns of one conversation, oldest first."""

    id: str = ""
    messages: list[SafeFields] = field(default_factory=list[SafeFields])
    """Messages to and from the model; empty before its first question."""
    marker: str = field(default_factory=lambda: f"data-{secrets.token_hex(4)}")
    """Random marker that fences output of the program, which cannot know it."""
    turns: list[Turn] = field(default_factory=list[Turn])
    source: str = ""
    """Current source around the places of an ended session's turns."""

    def add(self, turn: Turn) -> None:
        """Adds a turn and drops the oldest beyond MAX_TURNS."""
        self.turns = [*self.turns, turn][-MAX_TURNS:]

    @property
    def brought(self) -> list[Turn]:
        """Turns of an ended session, which this session's model has not seen."""
        return [turn for turn in self.turns if turn.is_brought]

    def bring(self, earlier: Earlier, sources: Sources) -> None:
        """Continues a conversation whose session has ended."""
        for said in earlier.turns:
            spot = f"{Path(said.file).name}:{said.line}" if said.file else ""
            self.add(Turn(said.question, Answer(said.answer), None, spot, told=False, is_brought=True))
        places = dict.fromkeys((said.file, said.line) for said in reversed(earlier.turns) if said.file)
        shown = (_lines(sources, file, line) for file, line in list(places)[:_MAX_PLACES])
        self.source = "\n\n".join(filter(None, shown))

    def moved_on(self, stop: StopEvent | None) -> str:
        """Returns a sentence that the program has continued since the last question; empty if it has not."""
        if not self.turns:
            return ""
        last = self.turns[-1]
        if last.stop is None or (stop is not None and last.stop.epoch == stop.epoch):
            return ""
        return f"The program has continued since your last question, which was about {last.spot or 'an earlier stop'}."

    def recall(self, question: str) -> Turn | None:
        """Returns the last turn whose answer contains a word of the question; else the last turn, or None."""
        words = {w.strip("?`.,").casefold() for w in question.split() if len(w) > 3}
        for turn in reversed(self.turns):
            if words & {w.strip("?`.,:").casefold() for w in turn.answer.text.split()}:
                return turn
        return self.turns[-1] if self.turns else None


def _lines(sources: Sources, file: str, line: int) -> str:
    source = sources.read(file)
    if source is None or not source.lines:
        return ""
    first, last = max(1, line - _AROUND), min(len(source.lines), line + _AROUND)
    rows = [f"{n:>4}  {source.line(n)}" for n in range(first, last + 1)]
    return f"`{Path(file).name}`:\n\n{source.block(chr(10).join(rows))}" if rows else ""


_KEPT = 2
"""Number of newest messages that are shortened last."""
_MAX_TOOL_CHARS = 400
_MAX_CHARS = 4000


def shrink(messages: list[SafeFields]) -> bool:
    """Shortens tool results and long messages, the newest last. Returns False if nothing is left to shorten."""
    older, newest = messages[1:-_KEPT], messages[-_KEPT:]
    return _cut(older, _MAX_TOOL_CHARS) or _cut(newest, _MAX_CHARS)


def _cut(messages: Sequence[SafeFields], max_tool_chars: int) -> bool:
    cut = False
    for message in messages:
        text = message.get("content")
        limit = max_tool_chars if message["role"] == "tool" else _MAX_CHARS
        if isinstance(text, str) and len(text) > 2 * limit:
            message["content"] = clip(text, limit)
            cut = True
    return cut
