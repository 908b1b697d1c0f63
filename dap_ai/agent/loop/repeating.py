"""A model that repeats itself: a block again and again within one reply, or a reply that is the one before.

Such a model does not come to an end by itself, and each round is paid for.
"""

from __future__ import annotations

import json

from dap_ai.agent.model_port import Reply

_TIMES = 4
_MIN_CHARS = 3000
"""A shorter run may be what the program holds: a row of a table, a buffer of zeros."""
_MAX_BLOCK_CHARS = 6000
_STEP_CHARS = 500
"""It is looked for each time that so much has come."""
_PROBE_CHARS = 200


class Rounds:
    """Whether a stream of text has come to say one block again and again, and nothing else."""

    def __init__(self) -> None:
        self._tail = ""
        self._new = 0

    def take(self, text: str) -> bool:
        """Whether it does, now that this has come."""
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
    """What a reply says beyond the one before: the same words are not shown twice.

    They are held back as long as they are the same.
    """

    def __init__(self, before: str) -> None:
        self._before = before
        self._held = ""
        self._apart = not before

    def take(self, text: str) -> str:
        """What is to be shown, now that this has come."""
        if self._apart:
            return text
        self._held += text
        if self._before.startswith(self._held):
            return ""
        return self.end()

    def end(self) -> str:
        """What is still to be shown of a reply that has ended."""
        if self._apart or self._held == self._before:
            return ""
        self._apart = True
        return self._held


def is_same(reply: Reply, before: Reply) -> bool:
    """Whether a reply says and calls what the one before did; not so two that say nothing."""
    return bool(reply.text.strip() or reply.calls) and _gist(reply) == _gist(before)


def _gist(reply: Reply) -> tuple[str, list[tuple[str, str]]]:
    return reply.text.strip(), [(call.name, _canonical(call.arguments)) for call in reply.calls]


def _canonical(arguments: str) -> str:
    """JSON without its layout; what is none as it is."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
