"""Cutting Markdown that grows into blocks that no longer change. Pure, and linear in its length.

A block ends at an empty line, a heading at its line's end, a fence with its closing fence. What is indented after an
empty line still belongs to a list before it, so a list ends only where a line shows that it has.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(\s|$)")
_LIST = re.compile(r" {0,3}([-*+]|\d{1,9}[.)])(\s|$)")


class Blocks:
    """Takes pieces of Markdown and gives back its blocks as they are completed."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._lines: list[str] = []
        self._fence = ""
        self._in_list = False

    def feed(self, text: str) -> list[str]:
        """The blocks that `text` completes, without the empty lines around them."""
        blocks: list[str] = []
        *ended, rest = text.split("\n")
        for part in ended:
            line = "".join(self._pieces) + part
            self._pieces = []
            blocks += self._line(line)
        if rest:
            self._pieces.append(rest)
        return blocks

    def end(self) -> list[str]:
        """What is left; the text is complete."""
        blocks = self._line("".join(self._pieces)) if self._pieces else []
        self._pieces = []
        return blocks + self._flush()

    def _line(self, line: str) -> list[str]:
        if self._fence:
            self._lines.append(line)
            return self._close_fence(line)
        if not line.strip():
            if self._in_list:
                self._lines.append(line)
                return []
            return self._flush()
        blocks = self._flush() if self._starts_anew(line) else []
        fence = _FENCE.match(line)
        self._in_list = self._in_list or (not self._lines and bool(_LIST.match(line)))
        self._lines.append(line)
        if fence:
            self._fence = fence[1]
        elif _HEADING.match(line):
            blocks += self._flush()
        return blocks

    def _starts_anew(self, line: str) -> bool:
        if self._in_list:
            return not self._lines[-1].strip() and not line.startswith((" ", "\t")) and not _LIST.match(line)
        return bool(_FENCE.match(line) or _HEADING.match(line))

    def _close_fence(self, line: str) -> list[str]:
        mark = line.strip()
        if mark.startswith(self._fence) and not mark.strip(self._fence[0]):
            self._fence = ""
            if not self._in_list:
                return self._flush()
        return []

    def _flush(self) -> list[str]:
        block = "\n".join(self._lines).strip("\n")
        self._lines, self._fence, self._in_list = [], "", False
        return [block] if block.strip() else []
