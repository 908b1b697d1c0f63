"""What is asked of a snapshot and what it brings back: a locked copy of the debuggee does the work, and ends.

Nothing of what is run there reaches the debuggee, its files or the network. Lines are 1-based.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from dap_ai.protocol.contracts.inspection import Node, Value
from dap_ai.protocol.contracts.rewind_messages import Rewind, Rewound


class EditedSource(msgspec.Struct):
    """A source file before and after an edit, whole. The functions in memory that differ are changed in the copy.

    What stands outside of functions only a run from the start shows, for which the user's modules are loaded anew.
    """

    file: str
    """Absolute, as the debuggee's code objects name it."""
    old: str
    new: str
    inside: bool = False
    """Whether only bodies of functions differ, as far as who asks can tell: then no module is read to load it anew."""


class Statements(msgspec.Struct, omit_defaults=True):
    """Statements of a frame's function or module, to run again in the copy."""

    source: str
    """Dedented; may contain `return`."""
    line: int = 1
    """Of the first one, in `file`: what is told of a failure names the lines of the program."""
    file: str = ""
    fresh: bool = False
    """Run in an empty namespace called `__main__` instead of the frame's names: a whole module from its start. An edit
    of this file is applied to `source` too; modules whose import has not ended are imported again."""
    anew: bool = False
    """With `fresh`: all modules of the user's are."""
    edited: bool = False
    """`source` is another text than the file has."""


class Hidden(msgspec.Struct):
    """A secret of the program, and what stands in its place in the copy: of the same length."""

    secret: str
    shown: str


class FollowQuery(msgspec.Struct, omit_defaults=True):
    """An expression whose values the inspector reads after each line while statements run again."""

    frame_id: int
    """Where it stands: the frame whose function is followed in the run."""
    node: Node
    when: Node | None = None
    """A condition, which is looked at whenever the value has changed."""
    to_stop: bool = False
    """The run ends where it stands as this stop does, with the same values; else with its exception."""


class NeighbourQuery(msgspec.Struct, omit_defaults=True):
    """The test that has failed (number 0) and those beside it, each run as their runner does, the nearest first."""

    for_s: float
    """Of a processor: after it, no other test is begun."""
    by_clock_s: float
    """The same by the clock."""
    lines: bool = False
    """Tell which lines of the user's files run in each."""
    only: list[int] | None = None
    """Their numbers; None: all that are in the same file, bounded."""


class SnapshotQuery(msgspec.Struct, omit_defaults=True):
    """One copy's work: an expression, statements or tests, in a frame of this stop."""

    frame_id: int
    expression: str = ""
    statements: Statements | None = None
    """Instead of `expression`."""
    beside: NeighbourQuery | None = None
    """The same."""
    edits: list[EditedSource] = []
    """Applied before. An edit that cannot be applied makes the status "unavailable: ..."."""
    trace: bool = False
    """Record the executed lines of the user's files."""
    follow: FollowQuery | None = None
    """Instead of `trace`."""
    rewind: Rewind | None = None
    """The same."""
    steps: bool = False
    """With `trace`: also the steps in their order."""
    to_stop: bool = False
    """With `trace`: as with Follow."""
    timed: bool = False
    """Instead of `trace`: how long each line of the user's files took."""
    watch: list[str] = []
    """Expressions to evaluate in the innermost user frame of the exception that it ends with."""
    max_text: int = 200
    max_items: int = 12
    max_rows: int = 0
    """As in a Query: how much of the value is told."""
    deadline_s: float = 2.0
    """Of a processor, so that a busy machine does not make it shorter."""
    waits: float = 1.0
    """After how many deadlines by the clock a copy is ended that waits for something, or for a processor."""
    memory_bytes: int = 512 << 20
    """What the copy may allocate."""
    folders: list[str] = []
    """That may be read besides Python's own: only for code of the program itself, which has read there before."""
    hidden: list[Hidden] = []
    """Overwritten in the copy before anything of the program runs there: nothing can be computed from them."""

    @property
    def is_trial(self) -> bool:
        """Whether it runs another program than the debuggee."""
        return bool(self.edits or (self.statements and self.statements.edited))


class RaisedException(msgspec.Struct, omit_defaults=True):
    """The exception that ended it."""

    type: str
    """As in ExceptionFacts."""
    message: str = ""
    file: str = ""
    line: int = 0
    """Of the innermost frame in a user's file; the statements' own lines count as those of their file."""
    function: str = ""
    watched: list[Value | None] = []
    """In the order of `watch`; None: could not be evaluated there."""


class ValueChanges(msgspec.Struct, omit_defaults=True):
    """The successive values of a name after one line, folded."""

    name: str
    texts: list[str]
    """The first three and the last two different ones, in order."""
    count: int = 1
    """How many times it changed there."""


class TracedLine(msgspec.Struct, omit_defaults=True):
    """A line that ran. Listed in the order of their first run."""

    file: str
    line: int
    function: str
    count: int = 1
    """Line events: a statement of several lines, and the header of a loop, has more than one in each run of it."""
    changes: list[ValueChanges] = []
    last: int = 0
    """Number of the line event of its last run, from 1 on."""
    entries: list[int] = []
    """Its events by where they came from: an offset in the code, the line before it in the same frame (-1: none), and
    how many there were; the next; and so on."""
    seconds: float = 0.0
    """Where the run was timed: what it took in all, with what it called, but for the user's own functions."""


class TracedCall(msgspec.Struct, omit_defaults=True):
    """A call of a user's function. The first ones, in order."""

    function: str
    file: str
    line: int
    """Where the function is defined."""
    depth: int = 0
    arguments: list[str] = []
    """`name=text`."""
    result: str = ""
    """Empty while it had not returned."""
    raised: str = ""
    caller: int = -1
    """The number of the recorded call that made it; -1: none."""


class TracedRun(msgspec.Struct, array_like=True):
    """One activation of a function or a module. Numbers of runs and steps begin with 1; 0 is none."""

    number: int
    code: int
    """Index in History.codes."""
    caller: int = 0
    """The run that called it, or 0; and the step of that run at which it did."""
    called_at: int = 0
    last: int = 0
    """Its last step."""
    arguments: list[str] = []
    """`name=text`."""
    result: str = ""
    raised: str = ""


class TracedCode(msgspec.Struct, array_like=True):
    """A function or module. `line`: the first of its code, with decorators."""

    file: str
    function: str
    line: int


class TracedValue(msgspec.Struct, array_like=True):
    """A step gave another value to a name."""

    step: int
    name: str
    text: str


class StepHistory(msgspec.Struct):
    """The last steps of a run in their order. A step is one run of a line."""

    first: int = 1
    """Number of the first step that is kept."""
    codes: list[TracedCode] = []
    runs: list[TracedRun] = []
    steps: list[int] = []
    """Of each step the number of its run, then its line."""
    values: list[TracedValue] = []
    """In the order in which they were noticed."""


class RunTrace(msgspec.Struct, omit_defaults=True):
    """What ran in the user's files."""

    lines: list[TracedLine] = []
    calls: list[TracedCall] = []
    events: int = 0
    """Line events in all."""
    truncated: bool = False
    """A budget ended the recording of values, calls or lines; the run itself went on."""
    lines_truncated: bool = False
    """Not every line that ran is told."""
    before: int | None = None
    """How many of `lines` had run when the exception that ended the run was raised; None: not known, perhaps all."""
    history: StepHistory | None = None
    """Where `steps` was asked for, and it was not too long to be told."""
    arrived: bool = False
    """With `to_stop`: the run has come to this stop."""
    cut: bool = False
    """Where the run was timed: it had not ended."""

    @property
    def late(self) -> list[TracedLine]:
        """The lines whose first run came after the raise."""
        return [] if self.before is None else self.lines[self.before :]


class FollowedValue(msgspec.Struct, omit_defaults=True):
    """A value that a followed expression took, and what had just run when it did."""

    text: str
    """Empty: it had no value any more."""
    number: int
    """Of the change, from 1 on."""
    file: str = ""
    line: int = 0
    """0: not a line of the user's."""
    function: str = ""
    entries: list[int] = []
    """Of the line in its call so far, as those of TracedLine."""
    passed: bool = False
    """An argument: the line is that of the call."""
    call: int = 0
    """The number of the call of the function that is followed, from 1 on; 0: it is not about calls."""


class Followed(msgspec.Struct, omit_defaults=True):
    """The values that an expression took, in the call or for the object that this stop is about."""

    first: list[FollowedValue] = []
    last: list[FollowedValue] = []
    """Those after `first`, the last ones: what lies between is counted only."""
    count: int = 0
    """Changes in all."""
    when: FollowedValue | None = None
    """The first with which the condition held."""
    before: FollowedValue | None = None
    """The one before that."""
    earlier: FollowedValue | None = None
    """The first with which it held in another call, or for another object, before."""
    calls: int = 0
    """How often the function that is followed was called in the run; 0: it is not about calls."""
    call: int = 0
    """Which of them this is."""
    arrived: bool = False
    """With `to_stop`: the run has come to this stop."""
    differs: str = ""
    """With `to_stop`: what was different where the run stood as this stop does."""
    cut: bool = False
    """There was no time to run to the end."""
    refused: str = ""
    """Why the condition, or the expression, could not be read."""
    events: int = 0
    """Line events in all."""


class Ran(msgspec.Struct, array_like=True):
    """A test that was run. `skipped`: it skips itself, or has failed and tried to reach outside of the copy."""

    number: int
    name: str
    outcome: Literal["passed", "failed", "skipped"]


class Covered(msgspec.Struct, array_like=True):
    """Lines of a file, and in which tests they ran: those whose bit is set in a hexadecimal number."""

    file: str
    tests: str
    """Bit 0 is the first of `Outcomes.tests`, not the one of number 0."""
    lines: list[int]


class NeighbourOutcomes(msgspec.Struct, omit_defaults=True):
    """What came of the tests beside the one that has failed."""

    tests: list[Ran]
    lines: list[Covered] = []
    whole: bool = False
    """The file has no other test that could be run."""


_REFUSED = ("PermissionError: [Errno 1]", "PermissionError: a snapshot")
"""How such errors begin. A program's own are mostly EACCES, 13."""
_NAMED = 3


class SnapshotResult(msgspec.Struct, omit_defaults=True):
    """What one copy did."""

    status: str
    """ "ok"; "raised" (see `error`); "deadline": it was ended unfinished; "unavailable: ..." with the reason."""
    value: Value | None = None
    """Of `expression`."""
    error: str = ""
    """`ValueError: not enough money`."""
    raised: RaisedException | None = None
    printed: str = ""
    """What it wrote to stdout and stderr, in order; bounded."""
    printed_truncated: bool = False
    effects: list[str] = []
    """What it tried to do outside of the process's own memory, and was not let: `os.remove '/tmp/x'`; bounded."""
    refusals: list[str] = []
    """What the locks have refused, and the program may do: "read data.txt", "call `socket`"; bounded."""
    trace: RunTrace | None = None
    """Also when it raised; not when it was ended at its deadline."""
    followed: Followed | None = None
    """The same."""
    rewound: Rewound | None = None
    """The same."""
    beside: NeighbourOutcomes | None = None
    """Where that was asked for."""
    milliseconds: float = 0.0
    """From the request's arrival in the debuggee to the answer."""
    processor_ms: float = 0.0
    """What the copy used of a processor; 0 where it was ended."""

    @property
    def was_refused(self) -> bool:
        """Whether a copy is not given what this one needed: what came of it says nothing of the program."""
        return bool(self.refusals) or self.error.startswith(_REFUSED)

    @property
    def unknown(self) -> str:
        """Why nothing is known of the program by it: "a copy may not read data.txt"; empty if something is."""
        if not self.was_refused:
            return ""
        tried = self.refusals or [f"do this: `{each}`" for each in self.effects]
        more = f", and {len(tried) - _NAMED} more" if len(tried) > _NAMED else ""
        return f"a copy may not {', '.join(tried[:_NAMED])}{more}" if tried else "a copy may not reach outside itself"

    @property
    def reason(self) -> str:
        """Why there is no snapshot, where its status is `unavailable`."""
        return self.status.partition(":")[2].strip() or self.error or "no snapshot could be made"
