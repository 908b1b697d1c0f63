"""The previous questions and answers of a conversation, and whether the program has resumed since then.

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
from dap_ai.system.texts import code

MAX_TURNS = 20
_MAX_PLACES = 3
_AROUND = 12
"""Number of source lines to show before and after a turn's line."""


@dataclass
class Turn:
    """One question with its answer. `stop` is the stop that the question was about, None if nothing was stopped."""

    question: str
    answer: Answer
    stop: StopEvent | None
    spot: str = ""
    """Place of the stop as shown to the user: `shop.py:12`."""
    told: bool = True
    """Whether a model answered, rather than a tool or the offline analyst."""
    is_brought: bool = False
    """Whether the turn belongs to an ended session, from which the client kept it."""


@dataclass
class Conversation:
    """The last 20 turns of one conversation, oldest first."""

    id: str = ""
    messages: list[SafeFields] = field(default_factory=list[SafeFields])
    """Messages to and from the model. Empty before the first question to the model."""
    marker: str = field(default_factory=lambda: f"data-{secrets.token_hex(4)}")
    """Random marker that encloses output of the program in messages. The program cannot know the marker."""
    turns: list[Turn] = field(default_factory=list[Turn])
    source: str = ""
    """Current source around the places that an ended session's turns are about."""

    def add(self, turn: Turn) -> None:
        """Adds a turn. Drops the oldest turns beyond MAX_TURNS."""
        self.turns = [*self.turns, turn][-MAX_TURNS:]

    @property
    def brought(self) -> list[Turn]:
        """Turns of an ended session, which the model of this session has not seen."""
        return [turn for turn in self.turns if turn.is_brought]

    def bring(self, earlier: Earlier, sources: Sources) -> None:
        """Adds the turns of an ended session, with the current source at their places."""
        for said in earlier.turns:
            spot = f"{Path(said.file).name}:{said.line}" if said.file else ""
            self.add(Turn(said.question, Answer(said.answer), None, spot, told=False, is_brought=True))
        places = dict.fromkeys((said.file, said.line) for said in reversed(earlier.turns) if said.file)
        shown = (_lines(sources, file, line) for file, line in list(places)[:_MAX_PLACES])
        self.source = "\n\n".join(filter(None, shown))

    def moved_on(self, stop: StopEvent | None) -> str:
        """Returns a sentence if the program has resumed since the last question; else an empty string."""
        if not self.turns:
            return ""
        last = self.turns[-1]
        if last.stop is None or (stop is not None and last.stop.epoch == stop.epoch):
            return ""
        return f"The program has continued since your last question, which was about {last.spot or 'an earlier stop'}."

    def recall(self, question: str) -> Turn | None:
        """Returns the last turn whose answer shares a word with the question, else the last turn.

        None if the conversation has no turns.
        """
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
    return f"{code(Path(file).name)}:\n\n{source.block(chr(10).join(rows))}" if rows else ""


_KEPT = 2
"""Number of newest messages, which are shortened only if shortening older messages is not enough."""
_MAX_TOOL_CHARS = 400
_MAX_CHARS = 4000


def shrink(messages: list[SafeFields]) -> bool:
    """Shortens tool results and long messages, older messages first. Returns False if no message could be shortened."""
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
