"""Queries for a snapshot and their results: a locked copy of the debuggee does the work, then ends.

Nothing that runs there affects the debuggee, its files or the network. Lines are 1-based.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from dap_ai.protocol.contracts.inspection import Node, Value
from dap_ai.protocol.contracts.rewind_messages import Rewind, Rewound


class EditedSource(msgspec.Struct):
    """A source file's full text before and after an edit. Functions in memory that differ are changed in the copy.

    Changes outside functions take effect only in a run from the start, which reloads the user's modules.
    """

    file: str
    """Absolute path, as in the debuggee's code objects."""
    old: str
    new: str
    inside: bool = False
    """Whether only function bodies differ, as far as the caller knows: then no module needs to be reloaded."""


class Statements(msgspec.Struct, omit_defaults=True):
    """Statements of a frame's function or module to rerun in the copy."""

    source: str
    """Source text, dedented; may contain `return`."""
    line: int = 1
    """Line of the first statement in `file`: a failure is reported with the program's line numbers."""
    file: str = ""
    fresh: bool = False
    """Run in an empty namespace called `__main__` instead of the frame's names: a whole module from its start. An
    edit of this file is also applied to `source`; modules that are still being imported are imported again."""
    anew: bool = False
    """With `fresh`: also import all of the user's modules again."""
    edited: bool = False
    """Whether `source` differs from the file's text."""


class Hidden(msgspec.Struct):
    """A secret of the program and its replacement in the copy, of the same length."""

    secret: str
    shown: str


class FollowQuery(msgspec.Struct, omit_defaults=True):
    """An expression that the inspector reads after each line while statements rerun."""

    frame_id: int
    """The frame whose function is followed in the run."""
    node: Node
    when: Node | None = None
    """A condition, evaluated whenever the value has changed."""
    to_stop: bool = False
    """The run ends at the same position as this stop, with the same values; otherwise with its exception."""


class NeighbourQuery(msgspec.Struct, omit_defaults=True):
    """The failed test (number 0) and its neighbours, nearest first, each run the way their test runner does."""

    for_s: float
    """Processor time after which no other test is started."""
    by_clock_s: float
    """Elapsed time after which no other test is started."""
    lines: bool = False
    """Report which lines of the user's files run in each test."""
    only: list[int] | None = None
    """Numbers of the tests to run; None: all in the same file, bounded."""


class SnapshotQuery(msgspec.Struct, omit_defaults=True):
    """The work of one copy: an expression, statements or tests, in a frame of this stop."""

    frame_id: int
    expression: str = ""
    statements: Statements | None = None
    """Run these instead of `expression`."""
    beside: NeighbourQuery | None = None
    """Run these tests instead of `expression`."""
    edits: list[EditedSource] = []
    """Edits applied first. If one cannot be applied, the status is "unavailable: ..."."""
    trace: bool = False
    """Record the executed lines of the user's files."""
    follow: FollowQuery | None = None
    """Record one expression's values instead of a `trace`."""
    rewind: Rewind | None = None
    """Go to a moment of the run instead of recording a `trace`."""
    steps: bool = False
    """With `trace`: also record the steps in order."""
    to_stop: bool = False
    """With `trace`: end the run at this stop, as in FollowQuery."""
    timed: bool = False
    """Instead of `trace`: measure the time of each line of the user's files."""
    watch: list[str] = []
    """Expressions to evaluate in the innermost user frame of the exception that ends the run."""
    max_text: int = 200
    max_items: int = 12
    max_rows: int = 0
    """Limits on the value's text, as in a Query."""
    deadline_s: float = 2.0
    """Processor time, so that a busy machine does not shorten it."""
    waits: float = 1.0
    """Elapsed-time limit, in multiples of `deadline_s`, for a copy that waits for something or for a processor."""
    memory_bytes: int = 512 << 20
    """Memory that the copy may allocate."""
    folders: list[str] = []
    """Folders that may be read besides Python's own: only for the program's own code, which has read there before."""
    hidden: list[Hidden] = []
    """Secrets overwritten in the copy before any of the program's code runs, so that nothing can be computed from
    them."""

    @property
    def is_trial(self) -> bool:
        """Whether the copy runs a modified program."""
        return bool(self.edits or (self.statements and self.statements.edited))


class RaisedException(msgspec.Struct, omit_defaults=True):
    """The exception that ended a run."""

    type: str
    """Type name, as in ExceptionFacts."""
    message: str = ""
    file: str = ""
    line: int = 0
    """Line of the innermost frame in a user's file; lines of the statements count as lines of their file."""
    function: str = ""
    watched: list[Value | None] = []
    """Values in the order of `watch`; None: could not be evaluated."""


class ValueChanges(msgspec.Struct, omit_defaults=True):
    """Successive values of a name after one line, shortened."""

    name: str
    texts: list[str]
    """The first three and the last two different values, in order."""
    count: int = 1
    """Number of changes at this line."""


class TracedLine(msgspec.Struct, omit_defaults=True):
    """A line that ran. Lines are listed in the order of their first run."""

    file: str
    line: int
    function: str
    count: int = 1
    """Number of line events: a statement of several lines, or a loop header, has more than one per run."""
    changes: list[ValueChanges] = []
    last: int = 0
    """1-based number of the line event of the line's last run."""
    entries: list[int] = []
    """Events of the line grouped by where control came from, flattened: an offset in the code, the previous line in
    the same frame (-1: none), and the number of events; then the next group; and so on."""
    seconds: float = 0.0
    """In a timed run: total time, including what the line called except the user's own functions."""


class TracedCall(msgspec.Struct, omit_defaults=True):
    """A call of a user's function. Only the first calls are recorded, in order."""

    function: str
    file: str
    line: int
    """Line where the function is defined."""
    depth: int = 0
    arguments: list[str] = []
    """Each argument as `name=text`."""
    result: str = ""
    """Returned value; empty if the call had not returned."""
    raised: str = ""
    caller: int = -1
    """Index of the recorded call that made this one; -1: none."""


class TracedRun(msgspec.Struct, array_like=True):
    """One activation of a function or a module. Runs and steps are numbered from 1; 0: none."""

    number: int
    code: int
    """Index in StepHistory.codes."""
    caller: int = 0
    """The run that called this one, or 0; `called_at` is that run's step."""
    called_at: int = 0
    last: int = 0
    """Last step of the run."""
    arguments: list[str] = []
    """Each argument as `name=text`."""
    result: str = ""
    raised: str = ""


class TracedCode(msgspec.Struct, array_like=True):
    """A function or module. `line` is the first line of its code, including decorators."""

    file: str
    function: str
    line: int


class TracedValue(msgspec.Struct, array_like=True):
    """A new value that a step gave to a name."""

    step: int
    name: str
    text: str


class StepHistory(msgspec.Struct):
    """The last steps of a run, in order. A step is one execution of a line."""

    first: int = 1
    """Number of the first step kept."""
    codes: list[TracedCode] = []
    runs: list[TracedRun] = []
    steps: list[int] = []
    """For each step, the number of its run, then its line."""
    values: list[TracedValue] = []
    """In the order in which the changes were seen."""


class RunTrace(msgspec.Struct, omit_defaults=True):
    """Lines and calls that ran in the user's files."""

    lines: list[TracedLine] = []
    calls: list[TracedCall] = []
    events: int = 0
    """Total number of line events."""
    truncated: bool = False
    """A budget ended the recording of values, calls or lines; the run itself went on."""
    lines_truncated: bool = False
    """Whether lines that ran are missing from the list."""
    before: int | None = None
    """Number of `lines` that had run when the exception that ended the run was raised; None: unknown, perhaps all."""
    history: StepHistory | None = None
    """The steps in order, if `steps` requested them and they were not too many."""
    arrived: bool = False
    """With `to_stop`: whether the run reached this stop."""
    cut: bool = False
    """In a timed run: whether the run had not ended."""

    @property
    def late(self) -> list[TracedLine]:
        """Lines that first ran after the exception was raised."""
        return [] if self.before is None else self.lines[self.before :]


class FollowedValue(msgspec.Struct, omit_defaults=True):
    """A value of the followed expression, and the line that ran just before it."""

    text: str
    """Text of the value; empty: the expression no longer had a value."""
    number: int
    """1-based number of the change."""
    file: str = ""
    line: int = 0
    """Line number; 0: not one of the user's lines."""
    function: str = ""
    entries: list[int] = []
    """Events of the line in its current call so far, as in TracedLine."""
    passed: bool = False
    """Whether the value was passed as an argument: then the line is the call's."""
    call: int = 0
    """1-based number of the call of the followed function; 0: not about calls."""


class Followed(msgspec.Struct, omit_defaults=True):
    """Values of an expression, in the call or for the object of this stop."""

    first: list[FollowedValue] = []
    last: list[FollowedValue] = []
    """The last values after `first`; those between are only counted."""
    count: int = 0
    """Total number of changes."""
    when: FollowedValue | None = None
    """The first value for which the condition held."""
    before: FollowedValue | None = None
    """The value before that."""
    earlier: FollowedValue | None = None
    """The first value for which the condition held earlier, in another call or for another object."""
    calls: int = 0
    """Number of calls of the followed function in the run; 0: not about calls."""
    call: int = 0
    """Number of the call that this stop is in."""
    arrived: bool = False
    """With `to_stop`: whether the run reached this stop."""
    differs: str = ""
    """With `to_stop`: what differed when the run reached the position of this stop."""
    cut: bool = False
    """Whether time ran out before the run ended."""
    refused: str = ""
    """Why the condition or the expression could not be read."""
    events: int = 0
    """Total number of line events."""


class Ran(msgspec.Struct, array_like=True):
    """A test that ran. `skipped`: it skipped itself, or failed after it tried to reach outside the copy."""

    number: int
    name: str
    outcome: Literal["passed", "failed", "skipped"]


class Covered(msgspec.Struct, array_like=True):
    """Lines of a file, and the tests in which they ran, as the bits of a hexadecimal number."""

    file: str
    tests: str
    """Bit 0 is the first of `NeighbourOutcomes.tests`, not test number 0."""
    lines: list[int]


class NeighbourOutcomes(msgspec.Struct, omit_defaults=True):
    """Results of the failed test's neighbours."""

    tests: list[Ran]
    lines: list[Covered] = []
    whole: bool = False
    """Whether the file has no other test that could be run."""


_REFUSED = ("PermissionError: [Errno 1]", "PermissionError: a snapshot")
"""How errors raised by a snapshot's locks begin. A program's own are usually EACCES, 13."""
_NAMED = 3


class SnapshotResult(msgspec.Struct, omit_defaults=True):
    """The result of one copy."""

    status: str
    """"ok"; "raised" (see `error`); "deadline": ended unfinished; "unavailable: ..." with the reason."""
    value: Value | None = None
    """Value of `expression`."""
    error: str = ""
    """The exception as text: `ValueError: not enough money`."""
    raised: RaisedException | None = None
    printed: str = ""
    """Text written to stdout and stderr, in order; bounded."""
    printed_truncated: bool = False
    effects: list[str] = []
    """Blocked attempts to act outside the process's own memory, such as `os.remove '/tmp/x'`; bounded."""
    refusals: list[str] = []
    """Actions that the locks refused and the program itself may do: "read data.txt", "call `socket`"; bounded."""
    trace: RunTrace | None = None
    """The recorded trace, also if the run raised; None if it was ended at its deadline."""
    followed: Followed | None = None
    """The followed values, also if the run raised; None if it was ended at its deadline."""
    rewound: Rewound | None = None
    """The result of `rewind`, also if the run raised; None if it was ended at its deadline."""
    beside: NeighbourOutcomes | None = None
    """Results of neighbouring tests, if requested."""
    milliseconds: float = 0.0
    """Time from the request's arrival in the debuggee to the answer."""
    processor_ms: float = 0.0
    """Processor time the copy used; 0 if it was ended."""

    @property
    def was_refused(self) -> bool:
        """Whether the copy lacked something it needed, so that its result says nothing about the program."""
        return bool(self.refusals) or self.error.startswith(_REFUSED)

    @property
    def unknown(self) -> str:
        """Why the result says nothing about the program: "a copy may not read data.txt"; empty if it does."""
        if not self.was_refused:
            return ""
        tried = self.refusals or [f"do this: `{each}`" for each in self.effects]
        more = f", and {len(tried) - _NAMED} more" if len(tried) > _NAMED else ""
        return f"a copy may not {', '.join(tried[:_NAMED])}{more}" if tried else "a copy may not reach outside itself"

    @property
    def reason(self) -> str:
        """Why there is no snapshot, if the status is `unavailable`."""
        return self.status.partition(":")[2].strip() or self.error or "no snapshot could be made"
