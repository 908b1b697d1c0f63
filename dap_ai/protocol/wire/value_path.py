"""`path` of an answer: a value and the values it was made from, back to its origin."""

from __future__ import annotations

from typing import Literal

import msgspec

Known = Literal["frame", "stop", "rerun", "snapshot", "source", ""]
"""How a value is known. frame: read from a frame of this stop, unchanged since the line ran. stop: read from a frame
of this stop; it may have changed since the line ran. rerun: recorded while a copy reran the failure and failed the
same way. snapshot: recorded while a copy evaluated the expression in question again, with the same result. source:
written in the source. Empty: unknown."""

Step = Literal["set", "passed", "returned", "item", "read"]
"""What the line did. set: assigned the expression. passed: passed it as an argument. returned: returned it. item:
made it an item of what a loop goes through. read: only read it, and the line that made it is unknown."""


class SiblingValue(msgspec.Struct, rename="camel", omit_defaults=False):
    """Another value from which a value of the path was made."""

    expression: str
    value: str
    """Text of the value; empty: unknown."""


class PathNode(msgspec.Struct, rename="camel", omit_defaults=False):
    """A value on the path back. The first is the one in question; each was made from the next one."""

    expression: str
    """Source text of the expression on the line."""
    value: str
    """Text on one line; empty: unknown. For a line that ran several times: the values in order, joined with ` -> `."""
    known: Known
    file: str
    """Absolute path of the file."""
    line: int
    """1-based line where the value was made; with the step `read`, where it was read."""
    function: str
    """Function that contains the line; empty: module level."""
    step: Step
    born: bool = False
    """Whether the path begins at this value: a literal, or a function that ended without a `return`."""
    note: str = ""
    """A note for a person: why the path ends here, how often the line ran."""
    beside: list[SiblingValue] = []
    """Other values from which this value was made; the path does not follow them."""
