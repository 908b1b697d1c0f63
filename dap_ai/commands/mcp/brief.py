"""Shortens an answer so that it fits into a model's conversation. Has no side effects.

It keeps the cause, the advice and the values that prove the cause.
"""

from __future__ import annotations

import re

from dap_ai.agent.report.wording import ADVICE, AGAIN, CAUSE, HAPPENED, NO_MODEL, NO_RANKING, WHY, name_of

ANSWER_BYTES = 1300
"""Maximum size of a shortened answer in bytes; with the text around it, the result stays below 1.5 KB."""
RESULT_BYTES = 6000
"""Maximum size in bytes of the results of tools other than `ask`."""
MORE = "(Shortened: `ask` with more=true gives the whole.)"
_CUT = "\n... (shortened: ask for a part of it)"
_LEAD = re.compile(r"\*\*([^*]+?)(?: \(a guess\))?[.:]\*\*")
_FENCE = re.compile(r"^ *```")
_ASIDES = (
    re.compile("Other suspects:|Others that pass"),
    re.compile(r"\d+ small fix(?:es)? w"),
)
_ORDER = ("", *map(name_of, (CAUSE, ADVICE, HAPPENED, WHY, AGAIN)))
_LAST = len(_ORDER)
_LEFT_OUT = frozenset({NO_MODEL, NO_RANKING})


def brief(answer: str, limit: int = ANSWER_BYTES) -> str:
    """Return the answer's most important paragraphs in their original order, at most `limit` bytes of UTF-8."""
    parts = [part for part in _paragraphs(answer) if part.strip("*") not in _LEFT_OUT]
    if _size("\n\n".join(parts)) <= limit:
        return "\n\n".join(parts)
    kept = _fitting(parts, limit - _size(MORE) - 2)
    if not kept:
        return clipped(answer, limit)
    return "\n\n".join([*(parts[number] for number in sorted(kept)), MORE])


def _fitting(parts: list[str], room: int) -> set[int]:
    """Return the indexes of the paragraphs to keep, chosen by importance.

    A section ends before its first paragraph that does not fit; other sections use the remaining room.
    """
    kept, cut = set[int](), set[str]()
    for _, number, section in sorted(_ranked(parts)):
        size = _size(parts[number]) + 2
        if section and section in cut:
            continue
        if size <= room:
            kept.add(number)
            room -= size
        else:
            cut.add(section)
    return kept


def clipped(text: str, limit: int = RESULT_BYTES) -> str:
    """Return the first `limit` bytes of a text, in whole characters, with a note that the text was shortened."""
    if _size(text) <= limit:
        return text
    head = text.encode()[: limit - _size(_CUT)].decode(errors="ignore")
    head += "\n```" if sum(bool(_FENCE.match(line)) for line in head.splitlines()) % 2 else ""
    return head + _CUT


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


def _ranked(parts: list[str]) -> list[tuple[int, int, str]]:
    """Return (rank, index, section) of each paragraph; the lowest rank is the most important."""
    section, ranked = "", list[tuple[int, int, str]]()
    for number, part in enumerate(parts):
        begins = _LEAD.match(part)
        section = begins[1] if begins else section
        if any(aside.match(part) for aside in _ASIDES):
            ranked.append((_LAST, number, ""))
        else:
            ranked.append((_rank_of(section, begins=begins is not None), number, section))
    return ranked


def _rank_of(section: str, *, begins: bool) -> int:
    """Return a paragraph's rank; the first line about what happened has the rank of the advice."""
    if section == name_of(HAPPENED) and begins:
        return _ORDER.index(name_of(ADVICE))
    return _ORDER.index(section) if section in _ORDER else 1


def _size(text: str) -> int:
    return len(text.encode())
