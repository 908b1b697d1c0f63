"""What was asked and answered before: a follow-up knows its conversation, and whether the program has moved on."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from dap_ai.agent.model import Message
from dap_ai.protocol.asking import Answer, Stop

MAX_TURNS = 20


@dataclass
class Turn:
    """A question, its answer, and the stop they were about (None: nothing was stopped)."""

    question: str
    answer: Answer
    stop: Stop | None
    spot: str = ""
    """`shop.py:12` in words."""
    told: bool = True
    """The provider was asked: the turn is not a tool's."""


@dataclass
class Conversation:
    """The turns of one conversation, oldest first; bounded."""

    id: str = ""
    messages: list[Message] = field(default_factory=list[Message])
    """What a model was told and has said; empty before its first question."""
    marker: str = field(default_factory=lambda: f"data-{secrets.token_hex(4)}")
    """Fences what the program says; nothing in the program can know it."""
    turns: list[Turn] = field(default_factory=list[Turn])

    def add(self, turn: Turn) -> None:
        """Remembers a turn; the oldest is forgotten."""
        self.turns = [*self.turns, turn][-MAX_TURNS:]

    def moved_on(self, stop: Stop | None) -> str:
        """A sentence where the program stands elsewhere than at the last question; else empty."""
        if not self.turns:
            return ""
        last = self.turns[-1]
        if last.stop is None or (stop is not None and last.stop.epoch == stop.epoch):
            return ""
        return f"The program has moved on since your last question, which was about {last.spot or 'an earlier stop'}."

    def recall(self, question: str) -> Turn | None:
        """The last turn that says something about the question's words; else the last turn."""
        words = {w.strip("?`.,").casefold() for w in question.split() if len(w) > 3}
        for turn in reversed(self.turns):
            if words & {w.strip("?`.,:").casefold() for w in turn.answer.text.split()}:
                return turn
        return self.turns[-1] if self.turns else None
