"""Terminal colours in text that a program made: they say nothing, and stand in the way of whoever reads or compares."""

from __future__ import annotations

import re

_CONTROL_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*(?:[@-~]|\Z)")
"""ECMA-48's CSI; at the end of the text it may have been cut."""


def without_colours(text: str) -> str:
    """The text without control sequences (ESC `[` to the final byte)."""
    return _CONTROL_SEQUENCE.sub("", text) if "\x1b" in text else text
