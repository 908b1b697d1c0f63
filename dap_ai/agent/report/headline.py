"""Shortens the headline of an answer to 25 words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dap_ai.agent.case.value_texts import cut

MOST_WORDS = 25
_MOST_CODE_CHARS = 44
_CODE = re.compile(r"`([^`]+)`")
_PLACE = re.compile(r"\S+:\d+")


def fitting(sentences: Sequence[str]) -> str:
    """Returns the first sentence of at most 25 words, else the last sentence, cut. Long code is shortened first."""
    short = [_CODE.sub(_shorter, text) for text in sentences]
    chosen = next((text for text in short if len(text.split()) <= MOST_WORDS), short[-1])
    words = chosen.split()
    return chosen if len(words) <= MOST_WORDS else " ".join(words[: MOST_WORDS - 1]) + " ..."


def _shorter(code: re.Match[str]) -> str:
    """Shortens a piece of code. Leaves `file:line` whole, because the line number is at its end."""
    return code[0] if _PLACE.fullmatch(code[1]) else f"`{cut(code[1], _MOST_CODE_CHARS)}`"
