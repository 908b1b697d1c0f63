"""Queries for a snapshot, and their results. A snapshot is a locked copy of the debuggee that does some work and ends.

Code that runs in the copy affects neither the debuggee nor its files nor the network. Lines are 1-based.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from dap_ai.protocol.contracts.inspection import Node, Value
from dap_ai.protocol.contracts.rewind_messages import Rewind, Rewound
from dap_ai.system.texts import code


class EditedSource(msgspec.Struct):
    """A source file's full text before and after an edit. The copy changes functions in memory whose text differs.

    A change outside functions takes effect only in a run from the start, which reloads the user's modules.
    """

    file: str
    """Absolute path of the file, as in the debuggee's code objects."""
    old: str
    new: str
    inside: bool = False
    """Whether only function bodies differ, as far as the caller knows. No module then needs to be reloaded."""


class Statements(msgspec.Struct, omit_defaults=True):
    """Statements of a frame's function or module that the copy reruns."""

    source: str
    """Dedented source text; may contain `return`."""
    line: int = 1
    """Line of the first statement in `file`. A failure is reported with this file's line numbers."""
    file: str = ""
    fresh: bool = False
    """Whether to run the statements as a whole module from its start, in an empty namespace called `__main__`, not with
    the frame's names. An edit of this file then also changes `source`, and modules whose import is unfinished are
    imported again."""
    anew: bool = False
    """With `fresh`: whether to import all of the user's modules again."""
    edited: bool = False
    """Whether `source` differs from the file's own text."""


class Hidden(msgspec.Struct):
    """A secret of the program, and the text of the same length that replaces it in the copy."""

    secret: str
    shown: str


class FollowQuery(msgspec.Struct, omit_defaults=True):
    """An expression that the copy reads after each line while statements rerun."""

    frame_id: int
    """The frame whose function the rerun follows."""
    node: Node
    when: Node | None = None
    """A condition to evaluate each time the value has changed."""
    to_stop: bool = False
    """Whether the run ends when it reaches the current stop's position with the same values; else it ends with its
    exception."""


class NeighbourQuery(msgspec.Struct, omit_defaults=True):
    """Which tests to run near a failed test. The failed test has the number 0; its neighbours follow, nearest first.

    The copy runs each test as the test runner does.
    """

    for_s: float
    """Seconds of processor time after which no further test starts."""
    by_clock_s: float
    """Seconds of elapsed time after which no further test starts."""
    lines: bool = False
    """Whether to report which lines of the user's files run in each test."""
    only: list[int] | None = None
    """Numbers of the tests to run. None runs all tests of the same file, up to a limit."""


class SnapshotQuery(msgspec.Struct, omit_defaults=True):
    """Work for one copy of the debuggee: an expression, statements or tests, in a frame of this stop."""

    frame_id: int
    expression: str = ""
    statements: Statements | None = None
    """Statements to run instead of `expression`."""
    beside: NeighbourQuery | None = None
    """Tests to run instead of `expression`."""
    edits: list[EditedSource] = []
    """Source edits to apply before the run. If an edit cannot be applied, the status is "unavailable: ..."."""
    trace: bool = False
    """Whether to record the executed lines of the user's files."""
    follow: FollowQuery | None = None
    """An expression whose values to record, instead of a `trace`."""
    rewind: Rewind | None = None
    """A moment of the run to go to, instead of recording a `trace`."""
    steps: bool = False
    """With `trace`: whether to record the steps in order as well."""
    to_stop: bool = False
    """With `trace`: whether to end the run at the current stop, as in FollowQuery."""
    timed: bool = False
    """Whether to measure the time of each line of the user's files, instead of recording a `trace`."""
    watch: list[str] = []
    """Expressions to evaluate in the innermost user frame when an exception ends the run."""
    max_text: int = 200
    max_items: int = 12
    max_rows: int = 0
    """Maximum number of rows of a table, as in a Query; 0 requests no tables."""
    deadline_s: float = 2.0
    """Time limit in seconds of processor time, so that a busy machine does not shorten the limit."""
    waits: float = 1.0
    """Limit of elapsed time, in multiples of `deadline_s`, for a copy that waits for something or for a processor."""
    memory_bytes: int = 512 << 20
    """Maximum memory that the copy may allocate, in bytes."""
    folders: list[str] = []
    """Folders that the copy may read besides Python's own. Set only for the program's own code, which has already read
    there."""
    hidden: list[Hidden] = []
    """Secrets that the copy overwrites before any of the program's code runs, so that no result can depend on them."""

    @property
    def is_trial(self) -> bool:
        """Whether the copy runs a modified program."""
        return bool(self.edits or (self.statements and self.statements.edited))


class RaisedException(msgspec.Struct, omit_defaults=True):
    """The exception that ended a run in a copy."""

    type: str
    """Name of the exception's type, as in ExceptionFacts."""
    message: str = ""
    file: str = ""
    line: int = 0
    """Line of the innermost frame in a user's file. Lines of rerun statements count as lines of their file."""
    function: str = ""
    watched: list[Value | None] = []
    """Values of the query's `watch` expressions, in order; None for an expression that could not be evaluated."""


class ValueChanges(msgspec.Struct, omit_defaults=True):
    """Successive values that a name had after one line, as shortened texts."""

    name: str
    texts: list[str]
    """The first three and the last two different values, in the order in which they were seen."""
    count: int = 1
    """How often the value changed at this line."""


class TracedLine(msgspec.Struct, omit_defaults=True):
    """A line that ran in a recorded run. Lines are listed in the order of their first run."""

    file: str
    line: int
    function: str
    count: int = 1
    """Number of line events. A statement of several lines, or a loop header, has several events per run."""
    changes: list[ValueChanges] = []
    last: int = 0
    """1-based number, in the whole run, of the line event of the line's last run."""
    entries: list[int] = []
    """The line's events, grouped by the place that control came from. Each group is three numbers: an offset in the
    code, the previous line in the same frame (-1 if none), and the number of events."""
    seconds: float = 0.0
    """Total seconds in a timed run, including calls that the line made, except calls of the user's own functions."""


class TracedCall(msgspec.Struct, omit_defaults=True):
    """A call of a user's function in a recorded run. Only the first calls are recorded, in order."""

    function: str
    file: str
    line: int
    """Line of the function's definition."""
    depth: int = 0
    arguments: list[str] = []
    """Each argument as text: `name=value`."""
    result: str = ""
    """Text of the returned value; empty if the call had not returned."""
    raised: str = ""
    caller: int = -1
    """Index of the recorded call that made this call; -1 if no recorded call did."""


class TracedRun(msgspec.Struct, array_like=True):
    """One activation of a function or a module in a recorded run. Activations and steps are numbered from 1."""

    number: int
    code: int
    """Index of the function or module in StepHistory.codes."""
    caller: int = 0
    """Number of the activation that called this one; 0 if none. `called_at` is the step of the call."""
    called_at: int = 0
    last: int = 0
    """Number of the activation's last step."""
    arguments: list[str] = []
    """Each argument as text: `name=value`."""
    result: str = ""
    raised: str = ""


class TracedCode(msgspec.Struct, array_like=True):
    """A function or module that ran. `line` is the first line of its code, including decorators."""

    file: str
    function: str
    line: int


class TracedValue(msgspec.Struct, array_like=True):
    """A new value that one step of a run gave to a name."""

    step: int
    name: str
    text: str


class StepHistory(msgspec.Struct):
    """The last steps of a run, in order. A step is one execution of a line."""

    first: int = 1
    """Number of the first step in `steps`."""
    codes: list[TracedCode] = []
    runs: list[TracedRun] = []
    steps: list[int] = []
    """Two numbers for each step: the number of its activation (TracedRun), then its line."""
    values: list[TracedValue] = []
    """New values of names, in the order in which the changes were seen."""


class RunTrace(msgspec.Struct, omit_defaults=True):
    """Lines and calls that ran in the user's files during one run."""

    lines: list[TracedLine] = []
    calls: list[TracedCall] = []
    events: int = 0
    """Total number of line events in the run."""
    truncated: bool = False
    """Whether a limit ended the recording of values, calls or lines. The run itself went on."""
    lines_truncated: bool = False
    """Whether lines that ran are missing from `lines`."""
    before: int | None = None
    """Number of `lines` that had run when the final exception was raised. None if unknown; all may have run before."""
    history: StepHistory | None = None
    """The steps in order; None if the query did not request them or there were too many."""
    arrived: bool = False
    """Whether the run reached the current stop, if `to_stop` was set."""
    cut: bool = False
    """Whether a timed run was ended before it had finished."""

    @property
    def late(self) -> list[TracedLine]:
        """Lines that ran for the first time after the exception was raised."""
        return [] if self.before is None else self.lines[self.before :]


class FollowedValue(msgspec.Struct, omit_defaults=True):
    """A value of the followed expression, and the line that ran just before the value was read."""

    text: str
    """Text of the value; empty if the expression no longer had a value."""
    number: int
    """1-based number of the value's change."""
    file: str = ""
    line: int = 0
    """Line number; 0 if the line is not in the user's files."""
    function: str = ""
    entries: list[int] = []
    """Events of the line in its current call so far, grouped as in TracedLine."""
    passed: bool = False
    """Whether the value was passed as an argument. The line is then the line of the call."""
    call: int = 0
    """1-based number of the followed function's call; 0 if the query does not count calls."""


class Followed(msgspec.Struct, omit_defaults=True):
    """Successive values of an expression in one call or for one object: the call or object of this stop."""

    first: list[FollowedValue] = []
    last: list[FollowedValue] = []
    """The last values after those in `first`. Values in between are only counted."""
    count: int = 0
    """Total number of changes of the value."""
    when: FollowedValue | None = None
    """The first value for which the condition held."""
    before: FollowedValue | None = None
    """The value just before `when`."""
    earlier: FollowedValue | None = None
    """The first value for which the condition held in an earlier call or for another object."""
    calls: int = 0
    """Number of calls of the followed function in the run; 0 if the query does not count calls."""
    call: int = 0
    """Number of the call in which the program is stopped now."""
    arrived: bool = False
    """Whether the run reached the current stop, if `to_stop` was set."""
    differs: str = ""
    """What differed when the run reached the current stop's position, if `to_stop` was set."""
    cut: bool = False
    """Whether the time limit ended the run."""
    refused: str = ""
    """Why the condition or the expression could not be read."""
    events: int = 0
    """Total number of line events in the run."""


class Ran(msgspec.Struct, array_like=True):
    """A test that ran in the copy.

    `skipped`: the test skipped itself, or failed after it tried to reach outside the copy.
    """

    number: int
    name: str
    outcome: Literal["passed", "failed", "skipped"]


class Covered(msgspec.Struct, array_like=True):
    """Lines of a file and the tests that ran them. `tests` is a hexadecimal number with one bit per test."""

    file: str
    tests: str
    """Hexadecimal number. Bit 0 is the first entry of `NeighbourOutcomes.tests`, not the test with the number 0."""
    lines: list[int]


class NeighbourOutcomes(msgspec.Struct, omit_defaults=True):
    """Results of a failed test and of the tests near it in the same file."""

    tests: list[Ran]
    lines: list[Covered] = []
    whole: bool = False
    """Whether the run tried all tests that could be run, and not only some of them."""


_REFUSED = ("PermissionError: [Errno 1]", "PermissionError: a snapshot")
"""Beginnings of errors that a snapshot's locks raise. A program's own PermissionError usually has EACCES (13)."""
_NAMED = 3


class SnapshotResult(msgspec.Struct, omit_defaults=True):
    """The result of the work that one copy of the debuggee did."""

    status: str
    """"ok"; "raised" (see `error`); "deadline", if the time limit ended the copy; or "unavailable: " and the reason."""
    value: Value | None = None
    """Value of the query's `expression`."""
    error: str = ""
    """The exception as text, such as `ValueError: not enough money`."""
    raised: RaisedException | None = None
    printed: str = ""
    """Text that the copy wrote to stdout and stderr, in order. Its length is limited."""
    printed_truncated: bool = False
    effects: list[str] = []
    """Blocked attempts to act outside the process's own memory, such as `os.remove '/tmp/x'`. Their number is
    limited."""
    refusals: list[str] = []
    """Actions that the copy's locks refused but the program itself may do, such as "read data.txt" or "call `socket`".
    Their number is limited."""
    trace: RunTrace | None = None
    """The recorded trace, even if the run raised an exception; None if the time limit ended the copy."""
    followed: Followed | None = None
    """The followed values, even if the run raised an exception; None if the time limit ended the copy."""
    rewound: Rewound | None = None
    """The result of `rewind`, even if the run raised an exception; None if the time limit ended the copy."""
    beside: NeighbourOutcomes | None = None
    """Results of the tests near the failed test, if the query requested them."""
    milliseconds: float = 0.0
    """Time from the request's arrival in the debuggee to the reply."""
    processor_ms: float = 0.0
    """Processor time that the copy used; 0 if the copy was ended."""

    @property
    def was_refused(self) -> bool:
        """Whether the copy was denied something it needed, so that its result says nothing about the program."""
        return bool(self.refusals) or self.error.startswith(_REFUSED)

    @property
    def unknown(self) -> str:
        """Reason why the result says nothing about the program, such as "a copy may not read data.txt"; else empty."""
        if not self.was_refused:
            return ""
        tried = self.refusals or [f"do this: {code(each)}" for each in self.effects]
        more = f", and {len(tried) - _NAMED} more" if len(tried) > _NAMED else ""
        return f"a copy may not {', '.join(tried[:_NAMED])}{more}" if tried else "a copy may not reach outside itself"

    @property
    def reason(self) -> str:
        """Reason why no snapshot was made, if the status is `unavailable`."""
        return self.status.partition(":")[2].strip() or self.error or "no snapshot could be made"
