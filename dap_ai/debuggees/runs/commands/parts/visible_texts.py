r"""Recorded texts as a reader may see them: on one line, cut, with escapes for what would act or hide."""

from __future__ import annotations

from collections.abc import Iterable

from dap_ai.protocol.wire.visible import on_one_line, visible
from dap_ai.system.texts import cut

_MAX_LOOKED_AT = 4_000
"""Characters of a text that is shown in a line: the rest cannot be in it."""


def in_a_line(text: str, width: int = 0) -> str:
    """The text with each run of blanks and line ends as one blank; cut to `width` characters where that is not 0."""
    line = " ".join(visible(text[: max(_MAX_LOOKED_AT, 4 * width)] if width else text).split())
    return cut(line, width, "…") if width else line


def path_shown(path: str) -> str:
    r"""A name of a file: a line end in it is `\n`, whatever would not show an escape."""
    return on_one_line(path)


def dollars(cost_usd: float | None) -> str:
    """`$0.42`; small ones with more digits; nothing where it is not recorded."""
    if cost_usd is None:
        return ""
    return f"${cost_usd:.2f}" if cost_usd >= 0.01 or cost_usd == 0 else f"${cost_usd:.4f}"


def few(texts: Iterable[str], most: int) -> str:
    """`a.py, b.py and 3 more`."""
    found = list(texts)
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")
