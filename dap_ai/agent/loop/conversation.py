"""What was asked and answered before: a follow-up knows its conversation, and whether the program has moved on.

It is made shorter where it no longer fits the model.
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
"""Lines before and after the one that a turn stood at."""


@dataclass
class Turn:
    """A question, its answer, and the stop they were about (None: nothing was stopped)."""

    question: str
    answer: Answer
    stop: StopEvent | None
    spot: str = ""
    """`shop.py:12` in words."""
    told: bool = True
    """A model was asked: the turn is not a tool's, nor the offline analyst's."""
    is_brought: bool = False
    """Of a session that has ended; the client has kept it."""


@dataclass
class Conversation:
    """The turns of one conversation, oldest first; bounded."""

    id: str = ""
    messages: list[SafeFields] = field(default_factory=list[SafeFields])
    """What a model was told and has said; empty before its first question."""
    marker: str = field(default_factory=lambda: f"data-{secrets.token_hex(4)}")
    """Fences what the program says; nothing in the program can know it."""
    turns: list[Turn] = field(default_factory=list[Turn])
    source: str = ""
    """Where the turns of an ended session stood: the lines there, as they are now."""

    def add(self, turn: Turn) -> None:
        """Remembers a turn; the oldest is forgotten."""
        self.turns = [*self.turns, turn][-MAX_TURNS:]

    @property
    def brought(self) -> list[Turn]:
        """The turns of a session that has ended: no model of this one was told of them."""
        return [turn for turn in self.turns if turn.is_brought]

    def bring(self, earlier: Earlier, sources: Sources) -> None:
        """Goes on with a conversation whose session has ended."""
        for said in earlier.turns:
            spot = f"{Path(said.file).name}:{said.line}" if said.file else ""
            self.add(Turn(said.question, Answer(said.answer), None, spot, told=False, is_brought=True))
        places = dict.fromkeys((said.file, said.line) for said in reversed(earlier.turns) if said.file)
        shown = (_lines(sources, file, line) for file, line in list(places)[:_MAX_PLACES])
        self.source = "\n\n".join(filter(None, shown))

    def moved_on(self, stop: StopEvent | None) -> str:
        """A sentence where the program stands elsewhere than at the last question; else empty."""
        if not self.turns:
            return ""
        last = self.turns[-1]
        if last.stop is None or (stop is not None and last.stop.epoch == stop.epoch):
            return ""
        return f"The program has continued since your last question, which was about {last.spot or 'an earlier stop'}."

    def recall(self, question: str) -> Turn | None:
        """The last turn that says something about the question's words; else the last turn."""
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
"""The last messages that stay whole."""
_MAX_TOOL_CHARS = 400
_MAX_CHARS = 4000


def shrink(messages: list[SafeFields]) -> bool:
    """Cuts results of tools and long messages, the newest ones last; False if there is nothing to cut any more."""
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
