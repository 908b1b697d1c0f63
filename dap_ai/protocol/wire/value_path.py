"""`path` of an answer: a value, and back from there those that it was made of, until the one that was born."""

from __future__ import annotations

from typing import Literal

import msgspec

Known = Literal["frame", "stop", "rerun", "snapshot", "source", ""]
"""How a value is known. frame: read from a frame of this stop, and the same as when the line ran. stop: read from a
frame of this stop; it may have changed since the line ran. rerun: recorded while the failure was run again in a copy,
where it failed the same way. snapshot: recorded while what gave the value in question was evaluated again in a copy,
where it gave the same. source: written there. Empty: it is not known."""

Step = Literal["set", "passed", "returned", "item", "read"]
"""What happened at the line: it set the expression; passed it as an argument; returned it; made it one item of what a
loop goes through; or only read it, and where it was made is not known."""


class SiblingValue(msgspec.Struct, rename="camel", omit_defaults=False):
    """Another value that went into one of the path."""

    expression: str
    value: str
    """Empty: not known."""


class PathNode(msgspec.Struct, rename="camel", omit_defaults=False):
    """A value on the way back. The first is the one in question; each was made of the one after it."""

    expression: str
    """As the line has it."""
    value: str
    """On one line; empty: not known. Of a line that ran in several rounds: the values in order, ` -> ` between."""
    known: Known
    file: str
    """Absolute."""
    line: int
    """Where the value was made, 1-based; with the step `read`: where it was read."""
    function: str
    """The one the line stands in; empty: module level."""
    step: Step
    born: bool = False
    """It begins here: a literal, or a function that ended without a `return`."""
    note: str = ""
    """What a person should know of this step: why the path ends here, how many rounds there were."""
    beside: list[SiblingValue] = []
    """What went into this value, too, and is not followed."""
