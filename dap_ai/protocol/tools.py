"""What each tool takes: the `arguments` of `askTool`, and what a model's tool calls must fit. docs/protocol.md.

`frame` is a frame's number in the stack, 0 the innermost, library frames counted; None: the frame that the question
is about. Lines are 1-based and inclusive. `file` is absolute, or the end of a path: `shop/prices.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class _Arguments(msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    pass


class Stack(_Arguments):
    """Arguments of `stack`."""

    thread: int | None = None
    """As `threads` lists it; None: the one that stopped."""


class Frame(_Arguments):
    """Arguments of `frame`."""

    frame: int | None = None


class Variables(_Arguments):
    """Arguments of `variables`: the names of a frame, or the items, keys or fields of one value."""

    expression: str = ""
    """Empty: the frame's own names."""
    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=500)] = 50
    frame: int | None = None


class Evaluate(_Arguments):
    """Arguments of `evaluate`."""

    expression: str
    frame: int | None = None


class Source(_Arguments):
    """Arguments of `source`."""

    file: str
    line: Annotated[int, Meta(ge=1)] = 1
    """The middle of what is shown."""
    window: Annotated[int, Meta(ge=1, le=400)] = 60
    """Lines."""


class Code(_Arguments):
    """Arguments of `code`: the whole function that holds a line."""

    file: str
    """Also with its line, `shop.c:12`."""
    line: Annotated[int, Meta(ge=0)] = 0
    """0: that of `file`, else where the innermost frame of the file stands."""
    around: Annotated[int, Meta(ge=1, le=200)] = 30
    """Lines on both sides where there is no function, or a very long one."""


class Definition(_Arguments):
    """Arguments of `definition`: where the symbol that stands on that line was defined."""

    file: str
    line: Annotated[int, Meta(ge=1)]
    symbol: str


class TypeOf(_Arguments):
    """Arguments of `type`: a variable or member of the frame, or a type's name."""

    symbol: str
    frame: int | None = None


class Info(_Arguments):
    """Arguments of `info`."""

    symbol: str
    """A name or a dotted name in the frame."""
    frame: int | None = None


class Search(_Arguments):
    """Arguments of `search`."""

    text: str
    """As it stands in the source; no pattern."""
    files: str = ""
    """Only where the path ends so: `.py`, `shop/prices.py`."""


class Slice(_Arguments):
    """Arguments of `slice`."""

    expression: str
    """A name, an attribute, a subscript: whose value is to be explained."""
    frame: int | None = None


class Trace(_Arguments):
    """Arguments of `trace`."""

    expression: str
    """Usually a call."""
    frame: int | None = None


class LineEdit(_Arguments):
    """A change of whole lines, 1-based, `first` to `last` inclusive; `last` = `first` - 1 inserts before `first`."""

    file: str
    first: int
    last: int
    text: str
    """Instead of these lines; empty: without them."""


class TryFix(_Arguments):
    """Arguments of `try_fix`: the edits, and what must pass with them."""

    edits: list[LineEdit]
    check: str = ""
    """An expression that must be true, or statements that must not raise, in the frame; empty: what failed."""
    frame: int | None = None
    """For `check`."""
    deadline_s: Annotated[float, Meta(gt=0, le=30)] = 10.0


class Threads(_Arguments):
    """Arguments of `threads`: none."""


class Output(_Arguments):
    """Arguments of `output`."""

    tail: Annotated[int, Meta(ge=1, le=8000)] = 2000
    """Characters."""


class Environment(_Arguments):
    """Arguments of `environment`."""

    names: list[str] = []
    """Of variables whose values are wanted; empty: the names of all, without values."""


class Frames(_Arguments):
    """Arguments of `frames`."""

    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=400)] = 60


class Registers(_Arguments):
    """Arguments of `registers`."""

    frame: int | None = None
    """None: the innermost."""


class Memory(_Arguments):
    """Arguments of `memory`."""

    address: str
    """A number (`0x7ffe10`), or an expression: where its value points, else where it lies."""
    count: Annotated[int, Meta(ge=1, le=4096)] = 128
    """Bytes."""
    frame: int | None = None


class Disassemble(_Arguments):
    """Arguments of `disassemble`."""

    address: str = ""
    """As of `memory`; empty: where the frame stands."""
    around: Annotated[int, Meta(ge=0, le=50)] = 8
    """Instructions before and after."""
    frame: int | None = None
    """None: the innermost."""


class Step(_Arguments):
    """Arguments of `step`."""

    how: Literal["next", "stepIn", "stepOut", "continue"] = "next"
    reason: str = ""
    """Why, for the user who is asked; so in all that follow."""


class ContinueTo(_Arguments):
    """Arguments of `continue_to`."""

    file: str
    line: Annotated[int, Meta(ge=1)]
    reason: str = ""


class SetBreakpoint(_Arguments):
    """Arguments of `set_breakpoint`."""

    file: str
    line: Annotated[int, Meta(ge=1)]
    condition: str = ""
    reason: str = ""


class Execute(_Arguments):
    """Arguments of `execute`: an expression evaluated in the program itself."""

    expression: str
    frame: int | None = None
    reason: str = ""


class SetVariable(_Arguments):
    """Arguments of `set_variable`: a name, an attribute or an item, and its new value as source text."""

    expression: str
    value: str
    frame: int | None = None
    reason: str = ""


class CitedValue(_Arguments):
    """A value that the answer rests on."""

    expression: str
    value: str
    frame: int | None = None


class Blamed(_Arguments):
    """A line that may hold the mistake."""

    file: str
    line: int
    reason: str


class Change(_Arguments):
    """A fix."""

    edits: list[LineEdit]
    check: str = ""
    """As in `try_fix`."""


class Report(_Arguments):
    """Arguments of `report`, with which a model ends: what its answer rests on."""

    evidence: list[CitedValue] = []
    suspects: list[Blamed] = []
    """Most suspicious first."""
    fixes: list[Change] = []


ToolArguments = (
    Stack
    | Frame
    | Variables
    | Evaluate
    | Source
    | Code
    | Definition
    | TypeOf
    | Info
    | Search
    | Slice
    | Trace
    | TryFix
    | Threads
    | Output
    | Environment
    | Frames
    | Registers
    | Memory
    | Disassemble
    | Step
    | ContinueTo
    | SetBreakpoint
    | Execute
    | SetVariable
    | Report
)

TOOLS: Mapping[str, type[ToolArguments]] = {
    "stack": Stack,
    "frame": Frame,
    "variables": Variables,
    "evaluate": Evaluate,
    "source": Source,
    "code": Code,
    "definition": Definition,
    "type": TypeOf,
    "info": Info,
    "search": Search,
    "slice": Slice,
    "trace": Trace,
    "try_fix": TryFix,
    "threads": Threads,
    "output": Output,
    "environment": Environment,
    "frames": Frames,
    "registers": Registers,
    "memory": Memory,
    "disassemble": Disassemble,
    "step": Step,
    "continue_to": ContinueTo,
    "set_breakpoint": SetBreakpoint,
    "execute": Execute,
    "set_variable": SetVariable,
}
"""What `askTool` and a model may call, by name: the last five at the level `mutate` only, each with the user's consent.
`report` is a model's alone."""
