"""Path of an answer: a value in question, and the earlier values from which the program made it, back to the origin."""

from __future__ import annotations

from typing import Literal

import msgspec

Known = Literal["frame", "stop", "rerun", "snapshot", "source", ""]
"""How a value is known. frame: read from a frame of this stop, unchanged since the line ran. stop: read from a frame of
this stop; it may have changed since the line ran. rerun: recorded while a copy reran the failure and failed the same
way. snapshot: recorded while a copy evaluated the expression in question again, with the same result. source: the
source text states the value. An empty string: unknown."""

Step = Literal["set", "passed", "returned", "item", "read"]
"""What the line did with the expression. set: assigned it. passed: passed it as an argument. returned: returned it.
item: a loop took it as an item of the value it iterates over. read: only read it; the line that made the value is
unknown."""


class SiblingValue(msgspec.Struct, rename="camel", omit_defaults=False):
    """Another value that the program used to make a value of the path."""

    expression: str
    value: str
    """Text of the value; empty if unknown."""


class PathNode(msgspec.Struct, rename="camel", omit_defaults=False):
    """A value on the path.

    The first node is the value in question; the program made each value from the next node's.
    """

    expression: str
    """Source text of the value's expression on the line."""
    value: str
    """Text of the value on one line; empty if unknown. For a line that ran several times: its values in order, joined
    with ` -> `."""
    known: Known
    file: str
    """Absolute path of the source file."""
    line: int
    """1-based line that made the value; if `step` is `read`, the line that read it."""
    function: str
    """Function that contains the line; empty at module level."""
    step: Step
    born: bool = False
    """Whether the path begins at this value: a literal, or a function that ended without a `return`."""
    note: str = ""
    """A note for a person, such as why the path ends here or how often the line ran."""
    beside: list[SiblingValue] = []
    """Other values that the program used to make this value. The path does not follow them."""
