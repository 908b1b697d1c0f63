"""Formats recorded texts for display: on one line, cut, with control and invisible characters escaped."""

from __future__ import annotations

from collections.abc import Iterable

from dap_ai.protocol.wire.visible import on_one_line, visible
from dap_ai.system.texts import cut

_MAX_LOOKED_AT = 4_000
"""Minimum number of characters that are read to make a line."""


def in_a_line(text: str, width: int = 0) -> str:
    """Join the text on one line with whitespace collapsed; cut the line to `width` characters unless `width` is 0."""
    line = " ".join(visible(text[: max(_MAX_LOOKED_AT, 4 * width)] if width else text).split())
    return cut(line, width, "…") if width else line


def path_shown(path: str) -> str:
    r"""Format a file name on one line: a newline as `\n`, invisible characters escaped."""
    return on_one_line(path)


def dollars(cost_usd: float | None) -> str:
    """Format an amount as `$0.42`, with four decimals below one cent; an unknown amount is an empty string."""
    if cost_usd is None:
        return ""
    return f"${cost_usd:.2f}" if cost_usd >= 0.01 or cost_usd == 0 else f"${cost_usd:.4f}"


def few(texts: Iterable[str], most: int) -> str:
    """Format a list of at most `most` items: `a.py, b.py and 3 more`."""
    found = list(texts)
    return ", ".join(found[:most]) + (f" and {len(found) - most} more" if len(found) > most else "")
