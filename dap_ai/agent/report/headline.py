"""Shortens the headline of an answer to 25 words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dap_ai.agent.case.value_texts import cut
from dap_ai.system.texts import CODE_SPAN, code

MOST_WORDS = 25
_MOST_CHARS = 160
"""Maximum characters of a sentence in which no code is shortened."""
_MOST_CODE_CHARS = 44
_PLACE = re.compile(r"\S+:\d+")


def fitting(sentences: Sequence[str]) -> str:
    """Returns the first sentence of at most 25 words, else the last sentence, cut.

    In a sentence of more than 160 characters, long code is shortened first.
    """
    short = [text if len(text) <= _MOST_CHARS else CODE_SPAN.sub(_shorter, text) for text in sentences]
    chosen = next((text for text in short if len(text.split()) <= MOST_WORDS), CODE_SPAN.sub(_shorter, short[-1]))
    words = chosen.split()
    return chosen if len(words) <= MOST_WORDS else " ".join(words[: MOST_WORDS - 1]) + " ..."


def _shorter(span: re.Match[str]) -> str:
    """Shortens a piece of code. Leaves `file:line` whole, because the line number is at its end."""
    return span[0] if _PLACE.fullmatch(span["code"]) else code(cut(span["code"], _MOST_CODE_CHARS))
