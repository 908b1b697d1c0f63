"""What each tool is called and takes: the `arguments` of `askTool`, and what a model's calls must fit.

The tables of docs/protocol.md and the schemas of the extension's package.json are made from it, with what stands on the
tools themselves (agent/tools), by vscode-extension/scripts/generate_protocol.py.

`frame` is a frame's number in the stack, 0 the innermost, library frames counted; None: the frame that the question
is about. Lines are 1-based and inclusive. `file` is absolute, or the end of a path: `shop/prices.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

FrameNumber = Annotated[
    int, Meta(ge=0, description="Number of the frame as `stack` shows it; by default, the frame that is asked about.")
]
File = Annotated[str, Meta(description="Absolute path, or the end of one.")]
Line = Annotated[int, Meta(ge=1)]
Expression = Annotated[str, Meta(description="An expression of the program's language, as it stands in that frame.")]


class ToolArguments(msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """What a tool takes."""

    tool: ClassVar[str]
    """The tool's name."""


class StackArguments(ToolArguments):
    """Arguments of `stack`."""

    tool: ClassVar[str] = "stack"
    thread: int | None = None
    """Number of the thread as `threads` lists it; without it, the one that stopped."""


class FrameArguments(ToolArguments):
    """Arguments of `frame`."""

    tool: ClassVar[str] = "frame"
    frame: FrameNumber | None = None


class VariablesToolArguments(ToolArguments):
    """Arguments of `variables`: the names of a frame, or the items, keys or fields of one value."""

    tool: ClassVar[str] = "variables"
    expression: Expression = ""
    """Empty: the frame's own names."""
    start: Annotated[int, Meta(ge=0)] = 0
    """Number of the first that is shown."""
    count: Annotated[int, Meta(ge=1, le=500)] = 50
    """How many are shown."""
    frame: FrameNumber | None = None


class EvaluateToolArguments(ToolArguments):
    """Arguments of `evaluate`."""

    tool: ClassVar[str] = "evaluate"
    expression: Expression
    frame: FrameNumber | None = None


class SourceArguments(ToolArguments):
    """Arguments of `source`."""

    tool: ClassVar[str] = "source"
    file: File
    line: Line = 1
    """The middle of what is shown."""
    window: Annotated[int, Meta(ge=1, le=400)] = 60
    """Lines."""


class CodeArguments(ToolArguments):
    """Arguments of `code`: the whole function that holds a line."""

    tool: ClassVar[str] = "code"
    file: File
    """Also with its line, `shop.c:12`."""
    line: Annotated[int, Meta(ge=0)] = 0
    """0: that of `file`, else where the innermost frame of the file stands."""
    around: Annotated[int, Meta(ge=1, le=200)] = 30
    """Lines on both sides where there is no function, or a very long one."""


class DefinitionArguments(ToolArguments):
    """Arguments of `definition`: where the symbol that stands on that line was defined."""

    tool: ClassVar[str] = "definition"
    file: File
    line: Line
    symbol: str


class TypeArguments(ToolArguments):
    """Arguments of `type`: a variable or member of the frame, or a type's name."""

    tool: ClassVar[str] = "type"
    symbol: str
    frame: FrameNumber | None = None


class InfoArguments(ToolArguments):
    """Arguments of `info`."""

    tool: ClassVar[str] = "info"
    symbol: str
    """A name or a dotted name in the frame."""
    frame: FrameNumber | None = None


class SearchArguments(ToolArguments):
    """Arguments of `search`."""

    tool: ClassVar[str] = "search"
    text: str
    """As it stands in the source; no pattern."""
    files: str = ""
    """Only where the path ends so: `.py`, `shop/prices.py`."""


class SliceArguments(ToolArguments):
    """Arguments of `slice`."""

    tool: ClassVar[str] = "slice"
    expression: Expression
    """A name, an attribute, a subscript: whose value is to be explained."""
    frame: FrameNumber | None = None


class TraceArguments(ToolArguments):
    """Arguments of `trace`."""

    tool: ClassVar[str] = "trace"
    expression: Expression
    """Usually a call."""
    frame: FrameNumber | None = None


class HistoryArguments(ToolArguments):
    """Arguments of `history`."""

    tool: ClassVar[str] = "history"
    expression: Expression
    """A name, an attribute, a subscript: what took one value after the other."""
    when: str = ""
    """A condition on it, `total < 0`: which value was the first with which it held?"""
    frame: FrameNumber | None = None


class LineEdit(ToolArguments):
    """A change of whole lines, 1-based, `first` to `last` inclusive; `last` = `first` - 1 inserts before `first`."""

    file: File
    first: Line
    """First line that is replaced."""
    last: Annotated[int, Meta(ge=0)]
    """Last line that is replaced; first - 1 inserts before it."""
    text: str
    """Instead of these lines; empty: without them."""


class TryFixArguments(ToolArguments):
    """Arguments of `try_fix`: the edits, and what must pass with them."""

    tool: ClassVar[str] = "try_fix"
    edits: Annotated[list[LineEdit], Meta(min_length=1)]
    check: str = ""
    """An expression that must be true, or statements that must not raise, in the frame; empty: what failed."""
    frame: FrameNumber | None = None
    """For `check`."""
    deadline_s: Annotated[float, Meta(gt=0, le=30)] = 10.0
    """Seconds."""


class ThreadsArguments(ToolArguments):
    """Arguments of `threads`: none."""

    tool: ClassVar[str] = "threads"


class OutputArguments(ToolArguments):
    """Arguments of `output`."""

    tool: ClassVar[str] = "output"
    tail: Annotated[int, Meta(ge=1, le=8000)] = 2000
    """Characters."""


class EnvironmentArguments(ToolArguments):
    """Arguments of `environment`."""

    tool: ClassVar[str] = "environment"
    names: list[str] = []
    """Of variables whose values are wanted; empty: the names of all, without values."""


class FramesArguments(ToolArguments):
    """Arguments of `frames`."""

    tool: ClassVar[str] = "frames"
    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=400)] = 60


class RegistersArguments(ToolArguments):
    """Arguments of `registers`."""

    tool: ClassVar[str] = "registers"
    frame: FrameNumber | None = None
    """None: the innermost."""


class MemoryArguments(ToolArguments):
    """Arguments of `memory`."""

    tool: ClassVar[str] = "memory"
    address: str
    """A number (`0x7ffe10`), or an expression: where its value points, else where it lies."""
    count: Annotated[int, Meta(ge=1, le=4096)] = 128
    """Bytes."""
    frame: FrameNumber | None = None


class DisassembleArguments(ToolArguments):
    """Arguments of `disassemble`."""

    tool: ClassVar[str] = "disassemble"
    address: str = ""
    """As of `memory`; empty: where the frame stands."""
    around: Annotated[int, Meta(ge=0, le=50)] = 8
    """Instructions before and after."""
    frame: FrameNumber | None = None
    """None: the innermost."""


class Step(ToolArguments):
    """Arguments of `step`."""

    tool: ClassVar[str] = "step"
    how: Literal["next", "stepIn", "stepOut", "continue"] = "next"
    reason: str = ""
    """Why, for the user who is asked; so in all that follow."""


class ContinueTo(ToolArguments):
    """Arguments of `continue_to`."""

    tool: ClassVar[str] = "continue_to"
    file: File
    line: Line
    reason: str = ""


class SetBreakpoint(ToolArguments):
    """Arguments of `set_breakpoint`."""

    tool: ClassVar[str] = "set_breakpoint"
    file: File
    line: Line
    condition: str = ""
    reason: str = ""


class Execute(ToolArguments):
    """Arguments of `execute`: an expression evaluated in the program itself."""

    tool: ClassVar[str] = "execute"
    expression: Expression
    frame: FrameNumber | None = None
    reason: str = ""


class SetVariable(ToolArguments):
    """Arguments of `set_variable`: a name, an attribute or an item, and its new value as source text."""

    tool: ClassVar[str] = "set_variable"
    expression: Expression
    value: str
    frame: FrameNumber | None = None
    reason: str = ""


class CitedValue(ToolArguments):
    """A value that the answer rests on."""

    expression: Expression
    value: str
    frame: FrameNumber | None = None


class Blamed(ToolArguments):
    """A line that may hold the mistake."""

    file: File
    line: int
    reason: str


class ReportedFix(ToolArguments):
    """A fix."""

    edits: list[LineEdit]
    check: str = ""
    """As in `try_fix`."""


class ReportArguments(ToolArguments):
    """Arguments of `report`, with which a model ends: what its answer rests on."""

    tool: ClassVar[str] = "report"
    evidence: list[CitedValue] = []
    suspects: list[Blamed] = []
    """Most suspicious first."""
    fixes: list[ReportedFix] = []


_ALL: tuple[type[ToolArguments], ...] = (
    *(
        StackArguments,
        FrameArguments,
        VariablesToolArguments,
        EvaluateToolArguments,
        SourceArguments,
        CodeArguments,
        DefinitionArguments,
        TypeArguments,
        InfoArguments,
        SearchArguments,
        SliceArguments,
        TraceArguments,
        HistoryArguments,
    ),
    *(TryFixArguments, ThreadsArguments, OutputArguments, EnvironmentArguments),
    *(FramesArguments, RegistersArguments, MemoryArguments, DisassembleArguments),
    *(Step, ContinueTo, SetBreakpoint, Execute, SetVariable),
)
TOOLS: Mapping[str, type[ToolArguments]] = {kind.tool: kind for kind in _ALL}
"""What `askTool` and a model may call, by name: the last five at the level `mutate` only, each with the user's
confirmation. `report` is a model's alone."""
