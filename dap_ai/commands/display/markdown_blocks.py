"""Splits a growing Markdown text into blocks that no longer change. Takes time linear in the length of the text.

A block ends at an empty line, a heading at the end of its line, a fenced block at its closing fence. Indented text
after an empty line may still belong to a list, so a list ends only at a line that cannot belong to it.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(\s|$)")
_LIST = re.compile(r" {0,3}([-*+]|\d{1,9}[.)])(\s|$)")


class Blocks:
    """Accepts pieces of Markdown and returns each block once it is complete."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._lines: list[str] = []
        self._fence = ""
        self._in_list = False

    def feed(self, text: str) -> list[str]:
        """Add a piece of Markdown; return the blocks that it completes, without surrounding empty lines."""
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
        """Return the remaining blocks at the end of the text."""
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
