"""Detects a model that repeats itself: one block many times within a reply, or the same reply twice.

Such a model does not stop by itself, and every further reply costs money.
"""

from __future__ import annotations

import json

from dap_ai.agent.model_port import Reply

_TIMES = 4
_MIN_CHARS = 3000
"""Minimum total length of the repetitions. Shorter repetitions may be data, such as table rows or a buffer of zeros."""
_MAX_BLOCK_CHARS = 6000
_STEP_CHARS = 500
"""Number of new characters after which to look for repetitions again."""
_PROBE_CHARS = 200


class Rounds:
    """Detects that the end of a text stream repeats one block."""

    def __init__(self) -> None:
        self._tail = ""
        self._new = 0

    def take(self, text: str) -> bool:
        """Adds text. Returns whether the end of the stream now repeats one block."""
        self._tail = (self._tail + text)[-_TIMES * _MAX_BLOCK_CHARS :]
        self._new += len(text)
        if self._new < _STEP_CHARS:
            return False
        self._new = 0
        return _ends_in_rounds(self._tail)


def _ends_in_rounds(text: str) -> bool:
    probe = text[-_PROBE_CHARS:]
    at = text.rfind(probe, 0, -1)
    while at >= 0:
        block = len(text) - len(probe) - at
        run = max(_TIMES * block, _MIN_CHARS)
        if run > len(text):
            return False
        if text[-run:-block] == text[block - run :]:
            return True
        at = text.rfind(probe, 0, at + len(probe) - 1)
    return False


class RepetitionFilter:
    """Hides the beginning of a reply that repeats the previous reply, so that the user does not see it twice.

    Holds text back as long as it equals the previous reply.
    """

    def __init__(self, before: str) -> None:
        self._before = before
        self._held = ""
        self._apart = not before

    def take(self, text: str) -> str:
        """Adds text and returns the text to show now."""
        if self._apart:
            return text
        self._held += text
        if self._before.startswith(self._held):
            return ""
        return self.end()

    def end(self) -> str:
        """Ends the reply and returns the text that is still to be shown."""
        if self._apart or self._held == self._before:
            return ""
        self._apart = True
        return self._held


def is_same(reply: Reply, before: Reply) -> bool:
    """Whether a reply has the same text and tool calls as the previous reply. False for two empty replies."""
    return bool(reply.text.strip() or reply.calls) and _gist(reply) == _gist(before)


def _gist(reply: Reply) -> tuple[str, list[tuple[str, str]]]:
    return reply.text.strip(), [(call.name, _canonical(call.arguments)) for call in reply.calls]


def _canonical(arguments: str) -> str:
    """Returns JSON text with sorted keys. Text that is not JSON stays unchanged."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
