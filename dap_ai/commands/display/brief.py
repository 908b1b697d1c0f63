"""Shortens an answer so that it fits into a model's conversation. Has no side effects.

It keeps the cause, the advice and the values that prove the cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from dap_ai.protocol.wire.ask_messages import AskEnded
from dap_ai.protocol.wire.report import Section, SectionKind

ANSWER_BYTES = 1300
"""Maximum size of a shortened answer in bytes; with the text around it, the result stays below 1.5 KB."""
RESULT_BYTES = 6000
"""Maximum size in bytes of the results of tools other than `ask`."""
MORE = "(Shortened: `ask` with more=true gives the whole.)"
_CUT = "\n... (shortened: ask for a part of it)"
_FENCE = re.compile(r"^ *```")
_RANKS: dict[SectionKind, int] = {
    "text": 0, "verdict": 0, "message": 0, "cleanup": 0, "cause": 1, "advice": 2, "note": 3, "happened": 3, "why": 4,
    "rerun": 5, "suspects": 6, "rivals": 6, "unproved": 6, "effort": 6,
}  # fmt: skip
"""Kinds of sections by rank, the most important first. Who answers is left out."""


class _Paragraph(NamedTuple):
    text: str
    rank: int
    section: int
    """Index of the paragraph's section."""


def brief(ended: AskEnded, limit: int = ANSWER_BYTES, more: str = MORE) -> str:
    """Return the answer's most important paragraphs in their original order, at most `limit` bytes of UTF-8.

    `more`: the last line of a shortened answer, which says how to get the whole.
    """
    sections = [Section("text", ended.answer)] if ended.report is msgspec.UNSET else ended.report.sections
    parts = list(_ranked([section for section in sections if section.kind in _RANKS]))
    whole = "\n\n".join(part.text for part in parts)
    if _size(whole) <= limit:
        return whole
    kept = _fitting(parts, limit - _size(more) - 2)
    if not kept:
        return clipped(whole, limit)
    return "\n\n".join([*(parts[number].text for number in sorted(kept)), more])


def _fitting(parts: list[_Paragraph], room: int) -> set[int]:
    """Return the indexes of the paragraphs to keep, chosen by importance.

    A section ends before its first paragraph that does not fit; other sections use the remaining room.
    """
    kept, cut = set[int](), set[int]()
    for number, part in sorted(enumerate(parts), key=lambda pair: (pair[1].rank, pair[0])):
        size = _size(part.text) + 2
        if part.section in cut:
            continue
        if size <= room:
            kept.add(number)
            room -= size
        else:
            cut.add(part.section)
    return kept


def clipped(text: str, limit: int = RESULT_BYTES) -> str:
    """Return the first `limit` bytes of a text, in whole characters, with a note that the text was shortened."""
    if _size(text) <= limit:
        return text
    head = text.encode()[: limit - _size(_CUT)].decode(errors="ignore")
    head += "\n```" if sum(bool(_FENCE.match(line)) for line in head.splitlines()) % 2 else ""
    return head + _CUT


def _ranked(sections: list[Section]) -> Iterator[_Paragraph]:
    """Yield the paragraphs of sections; the first one about what happened is as important as the advice."""
    for index, section in enumerate(sections):
        for number, text in enumerate(_paragraphs(section.text)):
            is_first = section.kind == "happened" and number == 0
            yield _Paragraph(text, _RANKS["advice" if is_first else section.kind], index)


def _paragraphs(answer: str) -> list[str]:
    """Split an answer at empty lines; fenced code, or text after a colon, stays with the text that introduces it."""
    parts: list[str] = []
    fenced = apart = False
    for line in answer.strip().split("\n"):
        is_fence = bool(_FENCE.match(line))
        if not fenced and not line.strip():
            apart = True
            continue
        belongs = bool(parts) and (is_fence or parts[-1].endswith(":"))
        if fenced or belongs or (parts and not apart):
            glue = "\n\n" if apart else "\n"
            parts[-1:] = [parts[-1] + glue + line] if parts else [line]
        else:
            parts.append(line)
        fenced ^= is_fence
        apart = False
    return parts


def _size(text: str) -> int:
    return len(text.encode())
