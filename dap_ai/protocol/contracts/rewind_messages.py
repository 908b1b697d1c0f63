"""Queries for a rerun that goes to an earlier moment of the program, and their results.

A moment is the point before a line of a user's file runs. Moments are numbered from 1 in the order of the run. Lines
are 1-based. Frames are numbered from 0, the innermost.
"""

from __future__ import annotations

import msgspec


class Halt(msgspec.Struct, omit_defaults=True):
    """A line at which a rerun should stop, like a breakpoint."""

    file: str
    line: int
    condition: str = ""
    """Expression that the copy evaluates in the frame at that line. If the expression raises, it counts as false."""


class MomentQuery(msgspec.Struct, omit_defaults=True):
    """A request for the parts of one value at one moment of a rerun."""

    frame: int = 0
    root: str = "locals"
    """Where `path` begins: "locals", "globals", or "=" followed by an expression, which runs in the copy."""
    path: list[int] = []
    """Index of each nested part among its siblings, from the root down."""
    start: int = 0
    count: int = 0
    """Number of parts to return, beginning with `start`; 0 requests as many as one reply may hold."""


class Rewind(msgspec.Struct, omit_defaults=True):
    """Where a rerun ends and which values it returns. Without `at`, it returns the steps that lead to its end."""

    at: int = 0
    """Moment at which the run ends and answers `looks`."""
    until: int = 0
    """Moment at which the run ends; 0 lets it end at the stop, or with the exception."""
    to_stop: bool = False
    """Whether the run ends when it reaches the current stop's position with the same values; else it ends with its
    exception."""
    at_line: bool = False
    """With `to_stop`: whether the run ends at the beginning of the stop's line, even if the program is further on."""
    halts: list[Halt] = []
    most_calls: int = 0
    """Every line with at most this many of the user's calls on the stack also counts as a halt."""
    after: int = 0
    """Moment after which the run ends at the first halt. If 0, the run goes on and returns the last halt before its
    end."""
    looks: list[MomentQuery] = []


class PastFrame(msgspec.Struct):
    """A frame of a user's function at an earlier moment."""

    function: str
    file: str
    line: int


class MomentValue(msgspec.Struct, omit_defaults=True):
    """A value at an earlier moment, with or without a name."""

    name: str
    value: str
    """The value's text."""
    type: str = ""
    parts: int = 0
    """Number of parts of the value that another MomentQuery can request."""
    indexed: bool = False
    """Whether the parts have numbers instead of names."""


class MomentResult(msgspec.Struct, omit_defaults=True):
    """The result of a MomentQuery."""

    parts: list[MomentValue] = []
    value: MomentValue | None = None
    """The expression's value, if `root` was an expression."""
    error: str = ""
    """The exception that the expression raised, or another reason why the query has no result."""


class Rewound(msgspec.Struct, omit_defaults=True):
    """The result of a rerun requested by a Rewind."""

    count: int = 0
    """The moment at which the run ended: the last moment before the stop, or the stop itself."""
    within: bool = False
    """Whether the stopped program is in the middle of a line."""
    depth: int = 0
    """Number of the user's calls on the stack at the stop; 0 if an exception has left them."""
    hit: int = 0
    """The moment at which a halt was hit; 0 if no halt was hit."""
    first: int = 1
    """The moment of the first step in `steps`. For a long run, `steps` holds only the last steps."""
    codes: list[tuple[str, str]] = []
    """File and function name of each code object."""
    steps: list[int] = []
    """Three numbers for each moment: index in `codes`, line, and number of the user's calls on the stack."""
    frames: list[PastFrame] = []
    """Frames at the moment `at`, innermost first; empty if the run did not reach that moment."""
    seen: list[MomentResult] = []
    """Results of the queries in `looks`, in the same order."""
    arrived: bool = False
    """Whether the run reached the current stop, if `to_stop` was set."""
    differs: str = ""
    """What differed when the run reached the current stop's position, if `to_stop` was set."""
    cut: bool = False
    """Whether the time limit ended the run."""
