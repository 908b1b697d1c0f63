"""Shortens a text to a maximum size by rendering its sections at shorter levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass
class Section:
    """A section of a text that can be shortened. A section with a higher `keep` is shortened later.

    `render(0)` returns the longest version, higher levels return shorter ones.
    """

    keep: int
    render: Callable[[int], str]
    levels: int
    level: int = 0

    def text(self) -> str:
        """Renders the section at its current level."""
        return self.render(self.level)


def fitted(sections: Sequence[Section], max_chars: int, text_of: Callable[[], str]) -> str:
    """Returns `text_of()`, shortening sections until the text has at most `max_chars` characters.

    Cuts the end if the shortest version is still too long.
    """
    text = text_of()
    while len(text) > max_chars:
        open_ones = [s for s in sections if s.level < s.levels]
        if not open_ones:
            mark = f"\n... {len(text) - max_chars} characters more"
            return text[: max(0, max_chars - len(mark) - 8)] + mark if max_chars > len(mark) + 8 else "..."[:max_chars]
        # The least important first, but evenly: no section is reduced to a count while another is at full length.
        min(open_ones, key=lambda s: s.level * 2 + s.keep).level += 1
        text = text_of()
    return text
