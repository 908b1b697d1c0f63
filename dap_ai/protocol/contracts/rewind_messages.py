"""Queries for a rerun that is followed to a moment in its past, and their results.

A moment is the point before a line of a user's file runs; moments are numbered from 1 in the order of the run. Lines
are 1-based, frames are numbered from 0, the innermost.
"""

from __future__ import annotations

import msgspec


class Halt(msgspec.Struct, omit_defaults=True):
    """A line at which a run should stop."""

    file: str
    line: int
    condition: str = ""
    """Evaluated in the copy, in the frame at that line; an expression that raises counts as false."""


class MomentQuery(msgspec.Struct, omit_defaults=True):
    """The parts of a value to return, at one moment."""

    frame: int = 0
    root: str = "locals"
    """"locals", "globals", or "=" followed by an expression, which runs in the copy."""
    path: list[int] = []
    """Index of each part among its siblings, from the root down."""
    start: int = 0
    count: int = 0
    """Number of parts to return, from `start`; 0: the maximum for one reply."""


class Rewind(msgspec.Struct, omit_defaults=True):
    """How far a run goes, and what it returns. Without `at`, it returns the steps that lead there."""

    at: int = 0
    """The run ends at this moment and answers `looks` there."""
    until: int = 0
    """The run ends at this moment; 0: at the stop, or with the exception."""
    to_stop: bool = False
    """The run ends at the same position as this stop, with the same values; otherwise with its exception."""
    at_line: bool = False
    """With `to_stop`: the beginning of the line counts as the stop, wherever within the line the program is."""
    halts: list[Halt] = []
    most_calls: int = 0
    """Any line with at most this many of the user's calls on the stack is a halt, too."""
    after: int = 0
    """The run ends at the first halt after this moment; 0: the last halt before its end is returned."""
    looks: list[MomentQuery] = []


class PastFrame(msgspec.Struct):
    """A frame of a user's function at a moment."""

    function: str
    file: str
    line: int


class MomentValue(msgspec.Struct, omit_defaults=True):
    """A value, with or without a name."""

    name: str
    value: str
    """Text of the value."""
    type: str = ""
    parts: int = 0
    """Number of parts that can be looked at."""
    indexed: bool = False
    """Whether the parts are numbered rather than named."""


class MomentResult(msgspec.Struct, omit_defaults=True):
    """The result of a MomentQuery."""

    parts: list[MomentValue] = []
    value: MomentValue | None = None
    """Value of an expression."""
    error: str = ""
    """The exception that the expression raised, or why there is no result."""


class Rewound(msgspec.Struct, omit_defaults=True):
    """The result of a Rewind."""

    count: int = 0
    """The moment at which the run ended: the last one before the stop, or the stop itself."""
    within: bool = False
    """Whether the current instruction is in the middle of a line."""
    depth: int = 0
    """Number of the user's calls on the stack at the stop; 0: an exception has left them."""
    hit: int = 0
    """The moment of a halt; 0: none."""
    first: int = 1
    """The moment of the first step kept: for a long run, only the last steps are."""
    codes: list[tuple[str, str]] = []
    """File and function of each code object."""
    steps: list[int] = []
    """For each moment: index of its code, its line, and the number of the user's calls on the stack."""
    frames: list[PastFrame] = []
    """Frames at the moment `at`, innermost first; empty: the run did not reach it."""
    seen: list[MomentResult] = []
    """Results in the order of `looks`."""
    arrived: bool = False
    """With `to_stop`: whether the run reached this stop."""
    differs: str = ""
    """With `to_stop`: what differed when the run reached the position of this stop."""
    cut: bool = False
    """Whether time ran out before the run ended."""
