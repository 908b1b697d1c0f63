"""The session's history for the agent: the user's actions and the latest output. Its size is bounded."""

from __future__ import annotations

from collections import deque

from dap_ai.protocol.contracts.question import HistoryItem
from dap_ai.system.texts import cut

_MAX_ITEMS = 50
_MAX_TEXT = 300
_MAX_OUTPUT_CHARS = 64_000
"""Maximum characters of output kept. A sanitizer's report of a stack overflow has 250 frames in 40,000 characters."""
_MAX_PIECE_CHARS = 4_000
"""Maximum characters of one piece of output. Consecutive output is joined up to this, and old pieces are dropped."""
_OUTPUT_CATEGORIES = frozenset({"stdout", "stderr", "console", "important"})
"""Categories of output to keep. Some adapters send a program's output as `console`, which is DAP's default."""


class SessionHistory:
    """The user's latest actions, the questions and stops, and the program's latest output."""

    def __init__(self) -> None:
        self._items: deque[tuple[HistoryItem, str | None]] = deque(maxlen=_MAX_ITEMS)
        """History items as (item, client). The client is None unless the item is a question."""
        self._total = 0
        self._told: dict[str, int] = {}
        self._output: deque[tuple[str, str]] = deque()
        self._output_chars = 0

    def add(self, kind: str, text: str, result: str = "", asker: str | None = None) -> None:
        """Add a stop, an action or a question. `asker` is the client that asks a question; None for other items."""
        self._items.append((HistoryItem(kind, cut(text, _MAX_TEXT), cut(result, _MAX_TEXT)), asker))
        self._total += 1

    def since_last(self, conversation_id: str, only_of: str | None = None) -> tuple[HistoryItem, ...]:
        """Return the items since the conversation's last question, and start a new question.

        Omits the stop that the new question is about. If `only_of` is given, omits questions of all other clients.
        """
        new = min(self._total - self._told.get(conversation_id, 0), len(self._items))
        self._told[conversation_id] = self._total
        told = tuple(self._items)[len(self._items) - new :]
        items = tuple(item for item, asker in told if only_of is None or asker in (None, only_of))
        return items[:-1] if items and items[-1].kind == "stop" else items

    def forget(self, conversation_id: str) -> None:
        """Forget a conversation that has ended."""
        self._told.pop(conversation_id, None)

    def add_output(self, category: str, text: str) -> None:
        """Add the text of an `output` event of the program."""
        if category not in _OUTPUT_CATEGORIES or not text:
            return
        text = text[-_MAX_OUTPUT_CHARS:]
        self._output_chars += len(text)
        last = self._output[-1] if self._output else None
        if last and last[0] == category and len(last[1]) + len(text) <= _MAX_PIECE_CHARS:
            self._output[-1] = (category, last[1] + text)
        else:
            self._output.append((category, text))
        while self._output_chars > _MAX_OUTPUT_CHARS and len(self._output) > 1:
            self._output_chars -= len(self._output.popleft()[1])

    def output_tail(self) -> tuple[tuple[str, str], ...]:
        """Return the latest output as (category, text) pairs, oldest first."""
        return tuple(self._output)
