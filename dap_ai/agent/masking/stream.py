"""Masks a text that arrives in pieces. A secret may span two pieces."""

from __future__ import annotations

import re
from typing import Protocol

from dap_ai.protocol.wire.safe import Safe

MAX_HELD_CHARS = 16_384
"""Maximum characters to hold back of a line without an end. Beyond this, the beginning of the line is released."""
MAX_SECRET_CHARS = 1_048_576
"""Maximum characters to hold back of an unfinished secret. Beyond this, its parts are judged separately."""
_MARGIN = 2048
_MAX_TRIES = 8
_MAX_JOINED_LINES = 4

_CONTINUES = re.compile(r"(?:[=:(,\[{\\>|]|->|\bis|(?<![\w-])--\w[\w-]{0,40}|\"\"\"|''')[ \t]*\r?\n\Z")
_BLANK = re.compile(r"[\s,;]")
_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(
    r"[\s\"'(>|]*(?:[A-Za-z0-9+/=]{4,100}|[A-Za-z-]{1,20}: [^\n]{0,80})?(?:\\{1,7}[nr])*[\"',)\s\\]*"
)


class SecretFinder(Protocol):
    """The members of a Masker that a MaskedStream uses."""

    def mask(self, text: str) -> Safe:
        """Replaces the secrets in a text by placeholders."""
        ...

    def secrets(self, text: str) -> list[tuple[int, int]]:
        """Returns the (start, end) of each secret in the text."""
        ...


class MaskedStream:
    """Masks a text that arrives in pieces and releases it line by line.

    Holds back an incomplete line, up to four lines that the next line may continue, and a private key until its end. Of
    a very long line, it holds back only the last part and any secret at the cut.
    """

    def __init__(self, masker: SecretFinder) -> None:
        self._masker = masker
        self._held = ""
        self._enough = MAX_HELD_CHARS

    def feed(self, piece: str) -> Safe:
        """Adds a piece and returns the masked text that can be shown now. Usually empty until a line is complete."""
        self._held += piece
        end = self._complete() if "\n" in piece else 0
        if not end and len(self._held) > self._enough:
            end = self._place_to_cut()
            self._enough = MAX_HELD_CHARS if end else 2 * len(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        return self._masker.mask(ready)

    def finish(self) -> Safe:
        """Returns the rest of the text, masked."""
        ready, self._held = self._held, ""
        return self._masker.mask(ready)

    def _complete(self) -> int:
        """Returns the end position of the lines that can be released."""
        held = self._held
        end = held.rfind("\n") + 1
        begin = held.rfind("-----BEGIN ", 0, end)
        if begin >= 0 and (mark := _KEY_BEGIN.match(held, begin)) and "-----END " not in held[begin:]:
            following = held[mark.end() : end].splitlines()
            if all(_KEY_LINE.fullmatch(line) for line in following):
                end = held.rfind("\n", 0, begin) + 1
        for _ in range(_MAX_JOINED_LINES):
            if not end or not _CONTINUES.search(held, max(0, end - 80), end):
                break
            end = held.rfind("\n", 0, end - 1) + 1
        return end

    def _place_to_cut(self) -> int:
        """Returns a late position in the held text that splits no secret and no secret's name; 0 if none.

        Prefers a position at white space.
        """
        held = self._held
        spans = self._masker.secrets(held)
        latest = len(held) - _MARGIN
        blanks = [m.start() for m in _BLANK.finditer(held, latest - _MARGIN, latest)][-_MAX_TRIES:]
        ends = [end + 1 for _, end in spans if end < latest][-_MAX_TRIES:]
        for at in [*reversed(blanks), latest, *reversed(ends)]:
            if any(start < at <= end for start, end in spans):
                continue
            if {(start - at, end - at) for start, end in spans if start >= at} <= {*self._masker.secrets(held[at:])}:
                return at
        return len(held) if len(held) > MAX_SECRET_CHARS else 0
