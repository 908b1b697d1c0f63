"""What is asked of a run again that is followed to a moment of its past, and what it brings back.

A moment is a line of a user's file about to run; moments are numbered from 1 on, in the order of the run. Lines are
1-based, frames are counted from 0, the innermost.
"""

from __future__ import annotations

import msgspec


class Halt(msgspec.Struct, omit_defaults=True):
    """A line at which a run is wanted to stop."""

    file: str
    line: int
    condition: str = ""
    """Runs in the copy, in the frame that stands there; one that fails does not hold."""


class MomentQuery(msgspec.Struct, omit_defaults=True):
    """What is to be told of a moment: the parts of a value."""

    frame: int = 0
    root: str = "locals"
    """ "locals", "globals"; or "=" and an expression, which runs in the copy."""
    path: list[int] = []
    """From the root, each time the place of a part among its parts."""
    start: int = 0
    count: int = 0
    """Of the parts, from `start` on; 0: as many as are told at once."""


class Rewind(msgspec.Struct, omit_defaults=True):
    """How far a run goes, and what is wanted of it: without `at`, the steps that lead there."""

    at: int = 0
    """It ends at this moment, of which `looks` are told."""
    until: int = 0
    """It ends at this moment; 0: at the stop, or with the exception."""
    to_stop: bool = False
    """The stop is where it stands as this one does, with the same values; else its exception ends it."""
    at_line: bool = False
    """With `to_stop`, the line's beginning counts as the stop, wherever within the line that is."""
    halts: list[Halt] = []
    most_calls: int = 0
    """Any line around which no more of the user's calls stand is a halt, too."""
    after: int = 0
    """It ends at the first halt after this moment; 0: the last one before its end is told."""
    looks: list[MomentQuery] = []


class PastFrame(msgspec.Struct):
    """A frame of a moment, of the user's."""

    function: str
    file: str
    line: int


class MomentValue(msgspec.Struct, omit_defaults=True):
    """A value, by a name or without one."""

    name: str
    value: str
    """Its text."""
    type: str = ""
    parts: int = 0
    """So many parts can be looked at."""
    indexed: bool = False
    """They are numbered, not named."""


class MomentResult(msgspec.Struct, omit_defaults=True):
    """What a Look has found."""

    parts: list[MomentValue] = []
    value: MomentValue | None = None
    """Of an expression."""
    error: str = ""
    """What it raised, or why there is nothing."""


class Rewound(msgspec.Struct, omit_defaults=True):
    """What a run brings back."""

    count: int = 0
    """The moment at which it ended: the last one before the stop, or the stop itself."""
    within: bool = False
    """By the instruction at which it stands, the program is in the midst of a line."""
    depth: int = 0
    """How many of the user's calls stand around the stop; 0: an exception has left them."""
    hit: int = 0
    """The moment of a halt; 0: none."""
    first: int = 1
    """The moment of the first step that is kept: of a long run the last ones are."""
    codes: list[tuple[str, str]] = []
    """File and function of each code object."""
    steps: list[int] = []
    """Of each moment the index of its code, its line, and how many of the user's calls stand around it."""
    frames: list[PastFrame] = []
    """Of the moment `at`, innermost first; empty: the run did not come there."""
    seen: list[MomentResult] = []
    """In the order of `looks`."""
    arrived: bool = False
    """With `to_stop`: the run has come to this stop."""
    differs: str = ""
    """With `to_stop`: what was different where the run stood as this stop does."""
    cut: bool = False
    """There was no time to run to the end."""
