"""Names and arguments of the tools: the `arguments` of `askTool`, and the schema that a model's calls must match.

vscode-extension/scripts/generate_protocol.py makes the tables of docs/protocol.md and the schemas of the extension's
package.json from this file and the tools (agent/tools).

`frame` is a frame's number in the stack: 0 is the innermost, and library frames count. None: the frame that the
question is about. Lines are 1-based and inclusive. `file` is absolute, or the end of a path: `shop/prices.py`.
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
    """Base class of a tool's arguments."""

    tool: ClassVar[str]
    """The tool's name."""


class StackArguments(ToolArguments):
    """Arguments of `stack`."""

    tool: ClassVar[str] = "stack"
    thread: int | None = None
    """Number of the thread as `threads` lists it; without it, the stopped thread."""


class FrameArguments(ToolArguments):
    """Arguments of `frame`."""

    tool: ClassVar[str] = "frame"
    frame: FrameNumber | None = None


class VariablesToolArguments(ToolArguments):
    """Arguments of `variables`: it lists a frame's names, or the items, keys or fields of one value."""

    tool: ClassVar[str] = "variables"
    expression: Expression = ""
    """Empty: list the frame's own names."""
    start: Annotated[int, Meta(ge=0)] = 0
    """Number of the first variable shown."""
    count: Annotated[int, Meta(ge=1, le=500)] = 50
    """How many variables are shown."""
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
    """Line in the middle of the excerpt."""
    window: Annotated[int, Meta(ge=1, le=400)] = 60
    """Number of lines shown."""


class CodeArguments(ToolArguments):
    """Arguments of `code`: it shows the whole function around a line."""

    tool: ClassVar[str] = "code"
    file: File
    """May include the line: `shop.c:12`."""
    line: Annotated[int, Meta(ge=0)] = 0
    """0: the line given in `file`, else the current line of the file's innermost frame."""
    around: Annotated[int, Meta(ge=1, le=200)] = 30
    """Lines shown on each side if there is no function, or a very long one."""


class DefinitionArguments(ToolArguments):
    """Arguments of `definition`: it finds the definition of a symbol on that line."""

    tool: ClassVar[str] = "definition"
    file: File
    line: Line
    symbol: str


class TypeArguments(ToolArguments):
    """Arguments of `type`: it describes a variable or member of the frame, or a type by its name."""

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
    """Literal text to find in the source, not a pattern."""
    files: str = ""
    """Only files whose path ends with this text: `.py`, `shop/prices.py`."""


class SliceArguments(ToolArguments):
    """Arguments of `slice`."""

    tool: ClassVar[str] = "slice"
    expression: Expression
    """A name, attribute or subscript whose value is to be explained."""
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
    """A name, attribute or subscript whose successive values are listed."""
    when: str = ""
    """A condition on the value, such as `total < 0`, to find the first value for which it held."""
    frame: FrameNumber | None = None


class LineEdit(ToolArguments):
    """A change of whole lines, 1-based, `first` to `last` inclusive; `last` = `first` - 1 inserts before `first`."""

    file: File
    first: Line
    """First line replaced."""
    last: Annotated[int, Meta(ge=0)]
    """Last line replaced; first - 1 inserts before it."""
    text: str
    """Replacement text; empty: delete the lines."""


class TryFixArguments(ToolArguments):
    """Arguments of `try_fix`: the edits, and a check that must pass with them."""

    tool: ClassVar[str] = "try_fix"
    edits: Annotated[list[LineEdit], Meta(min_length=1)]
    check: str = ""
    """An expression that must be true, or statements that must not raise, in the frame; empty: what failed is rerun."""
    frame: FrameNumber | None = None
    """The frame in which `check` runs."""
    deadline_s: Annotated[float, Meta(gt=0, le=30)] = 10.0
    """Time limit in seconds."""


class ThreadsArguments(ToolArguments):
    """Arguments of `threads`: none."""

    tool: ClassVar[str] = "threads"


class OutputArguments(ToolArguments):
    """Arguments of `output`."""

    tool: ClassVar[str] = "output"
    tail: Annotated[int, Meta(ge=1, le=8000)] = 2000
    """Maximum number of characters."""


class EnvironmentArguments(ToolArguments):
    """Arguments of `environment`."""

    tool: ClassVar[str] = "environment"
    names: list[str] = []
    """Names of variables whose values are shown; empty: all names, without values."""


class FramesArguments(ToolArguments):
    """Arguments of `frames`."""

    tool: ClassVar[str] = "frames"
    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=400)] = 60


class RegistersArguments(ToolArguments):
    """Arguments of `registers`."""

    tool: ClassVar[str] = "registers"
    frame: FrameNumber | None = None
    """Without it, the innermost frame."""


class MemoryArguments(ToolArguments):
    """Arguments of `memory`."""

    tool: ClassVar[str] = "memory"
    address: str
    """A number (`0x7ffe10`), or an expression: the address its value points to, else the value's own address."""
    count: Annotated[int, Meta(ge=1, le=4096)] = 128
    """Number of bytes."""
    frame: FrameNumber | None = None


class DisassembleArguments(ToolArguments):
    """Arguments of `disassemble`."""

    tool: ClassVar[str] = "disassemble"
    address: str = ""
    """An address as for `memory`; empty: the frame's current instruction."""
    around: Annotated[int, Meta(ge=0, le=50)] = 8
    """Instructions shown before and after."""
    frame: FrameNumber | None = None
    """Without it, the innermost frame."""


class Step(ToolArguments):
    """Arguments of `step`."""

    tool: ClassVar[str] = "step"
    how: Literal["next", "stepIn", "stepOut", "continue"] = "next"
    reason: str = ""
    """Reason shown to the user who is asked to confirm; `reason` means the same in the tools below."""


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
    """Arguments of `execute`: it evaluates an expression in the program itself."""

    tool: ClassVar[str] = "execute"
    expression: Expression
    frame: FrameNumber | None = None
    reason: str = ""


class SetVariable(ToolArguments):
    """Arguments of `set_variable`: it assigns to a name, an attribute or an item."""

    tool: ClassVar[str] = "set_variable"
    expression: Expression
    value: str
    frame: FrameNumber | None = None
    reason: str = ""


class CitedValue(ToolArguments):
    """A value that supports the answer."""

    expression: Expression
    value: str
    frame: FrameNumber | None = None


class Blamed(ToolArguments):
    """A line that may contain the mistake."""

    file: File
    line: int
    reason: str


class ReportedFix(ToolArguments):
    """A proposed fix."""

    edits: list[LineEdit]
    check: str = ""
    """A check as in `try_fix`."""


class ReportArguments(ToolArguments):
    """Arguments of `report`, a model's last call: the evidence for its answer."""

    tool: ClassVar[str] = "report"
    evidence: list[CitedValue] = []
    suspects: list[Blamed] = []
    """Suspicious lines, most suspicious first."""
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
"""Tools that `askTool` and a model may call, by name. The last five need the level `mutate` and the user's
confirmation of each call. Only a model may call `report`."""
