"""Converts Markdown to whole lines of plain text, for consoles that do not render Markdown.

Code stays unchanged: `__init__` and `2 ** 3` keep their characters, and a code block is indented.
"""

from __future__ import annotations

import re

_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})([^`]*)$")
_RULE = re.compile(r"^[\s:|-]*--[\s:|-]*$")
"""Matches the line below a Markdown table's header."""
_CODE = re.compile(r"(?<![\\`])(`+)(?!`)(.{1,2000}?)(?<!`)\1(?!`)")
_HELD = re.compile("\0(\\d+)\0")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\(\s*<?([^\s()<>]*)>?[^()]*\)")
_EMPHASIS = re.compile(r"(?<![\w\\*])(\*{1,3})(?=[^\s*])(.{0,300}?[^\s*\\])\1(?![\w*])")
"""Matches emphasis by asterisks only, because underscores in a program's text belong to names."""
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")


class PlainText:
    """Converts a stream of Markdown to whole lines of plain text."""

    def __init__(self) -> None:
        self._rest = ""
        self._fence = ""
        """The fence that closes the open code block; empty outside a code block."""

    def feed(self, markdown: str) -> str:
        """Add Markdown, and return all lines that are complete now as plain text with line ends."""
        *lines, self._rest = (self._rest + markdown).split("\n")
        return "".join(f"{text}\n" for line in lines if (text := self._plain(line)) is not None)

    def finish(self) -> str:
        """Return the last line as plain text, even if the Markdown has no line end there."""
        return self.feed("\n") if self._rest else ""

    def _plain(self, line: str) -> str | None:
        if self._fence:
            if _closes(line, self._fence):
                self._fence = ""
                return None
            return f"    {line}"
        if fence := _FENCE.match(line):
            self._fence = fence[1]
            return None
        if "|" in line and _RULE.match(line):
            return None
        heading = _HEADING.match(line)
        return plain_line(heading[1] if heading else line)


def plain_line(line: str) -> str:
    """Convert one line of Markdown to plain text."""
    codes: list[str] = []

    def hold(code: re.Match[str]) -> str:
        inner = code[2]
        codes.append(inner[1:-1] if inner.strip() and inner[0] == inner[-1] == " " else inner)
        return f"\0{len(codes) - 1}\0"

    text = _CODE.sub(hold, line.replace("\0", r"\x00"))
    text = _LINK.sub(lambda link: link[1] if link[1] == link[2] else f"{link[1]} ({link[2]})", text)
    text = _ESCAPED.sub(r"\1", _EMPHASIS.sub(r"\2", text))
    return _HELD.sub(lambda held: codes[int(held[1])], text)


def _closes(line: str, fence: str) -> bool:
    mark = line.strip()
    return len(mark) >= len(fence) and not mark.strip(fence[0])
