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
    """Arguments of the tool `stack`, which lists a thread's stack frames."""

    tool: ClassVar[str] = "stack"
    thread: int | None = None
    """Number of the thread as `threads` lists it; by default the stopped thread."""


class FrameArguments(ToolArguments):
    """Arguments of the tool `frame`, which shows a stack frame's source, arguments and locals."""

    tool: ClassVar[str] = "frame"
    frame: FrameNumber | None = None


class VariablesToolArguments(ToolArguments):
    """Arguments of the tool `variables`, which lists a frame's names, or the items, keys or fields of one value."""

    tool: ClassVar[str] = "variables"
    expression: Expression = ""
    """The value whose parts to list; empty lists the frame's own names."""
    start: Annotated[int, Meta(ge=0)] = 0
    """Number of the first variable shown."""
    count: Annotated[int, Meta(ge=1, le=500)] = 50
    """Number of variables shown."""
    frame: FrameNumber | None = None


class EvaluateToolArguments(ToolArguments):
    """Arguments of the tool `evaluate`, which evaluates an expression in a snapshot."""

    tool: ClassVar[str] = "evaluate"
    expression: Expression
    frame: FrameNumber | None = None


class SourceArguments(ToolArguments):
    """Arguments of the tool `source`, which shows lines of a file."""

    tool: ClassVar[str] = "source"
    file: File
    line: Line = 1
    """Line in the middle of the excerpt."""
    window: Annotated[int, Meta(ge=1, le=400)] = 60
    """Number of lines shown."""


class CodeArguments(ToolArguments):
    """Arguments of the tool `code`, which shows the whole function around a line."""

    tool: ClassVar[str] = "code"
    file: File
    """The path may include the line: `shop.c:12`."""
    line: Annotated[int, Meta(ge=0)] = 0
    """Line in the function; 0 means the line given in `file`, else the current line of the file's innermost frame."""
    around: Annotated[int, Meta(ge=1, le=200)] = 30
    """Number of lines shown on each side if the line is in no function or in a very long one."""


class DefinitionArguments(ToolArguments):
    """Arguments of the tool `definition`, which finds the definition of a symbol on a line."""

    tool: ClassVar[str] = "definition"
    file: File
    line: Line
    symbol: str


class TypeArguments(ToolArguments):
    """Arguments of the tool `type`, which describes a variable or member of the frame, or a type by its name."""

    tool: ClassVar[str] = "type"
    symbol: str
    frame: FrameNumber | None = None


class InfoArguments(ToolArguments):
    """Arguments of the tool `info`, which describes a function, a class or a value by its name."""

    tool: ClassVar[str] = "info"
    symbol: str
    """A name or a dotted name in the frame."""
    frame: FrameNumber | None = None


class SearchArguments(ToolArguments):
    """Arguments of the tool `search`, which finds text in the program's source files."""

    tool: ClassVar[str] = "search"
    text: str
    """Literal text to find in the source, not a pattern."""
    files: str = ""
    """Search only files whose path ends with this text: `.py`, `shop/prices.py`."""


class SliceArguments(ToolArguments):
    """Arguments of the tool `slice`, which explains where a value comes from."""

    tool: ClassVar[str] = "slice"
    expression: Expression
    """A name, attribute or subscript whose value to explain."""
    frame: FrameNumber | None = None


class TraceArguments(ToolArguments):
    """Arguments of the tool `trace`, which lists the lines that an expression runs in a snapshot."""

    tool: ClassVar[str] = "trace"
    expression: Expression
    """The expression to evaluate, usually a call."""
    frame: FrameNumber | None = None


class HistoryArguments(ToolArguments):
    """Arguments of the tool `history`, which lists the successive values of an expression."""

    tool: ClassVar[str] = "history"
    expression: Expression
    """A name, attribute or subscript whose successive values to list."""
    when: str = ""
    """A condition on the value, such as `total < 0`; the tool finds the first value for which it held."""
    frame: FrameNumber | None = None


class LineEdit(ToolArguments):
    """A replacement of the lines from `first` to `last`, 1-based and inclusive.

    If `last` is `first` - 1, the text is inserted before `first`.
    """

    file: File
    first: Line
    """First line to replace."""
    last: Annotated[int, Meta(ge=0)]
    """Last line to replace; `first` - 1 inserts the text before `first`."""
    text: str
    """Replacement text; empty deletes the lines."""


class TryFixArguments(ToolArguments):
    """Arguments of the tool `try_fix`: edits of the source, and a check that must pass with these edits."""

    tool: ClassVar[str] = "try_fix"
    edits: Annotated[list[LineEdit], Meta(min_length=1)]
    check: str = ""
    """An expression that must be true, or statements that must not raise, in the frame. Empty reruns the code that
    failed."""
    frame: FrameNumber | None = None
    """The frame in which `check` runs."""
    deadline_s: Annotated[float, Meta(gt=0, le=30)] = 10.0
    """Time limit in seconds."""


class ThreadsArguments(ToolArguments):
    """Arguments of the tool `threads`, which has no arguments."""

    tool: ClassVar[str] = "threads"


class OutputArguments(ToolArguments):
    """Arguments of the tool `output`, which shows the end of the program's output."""

    tool: ClassVar[str] = "output"
    tail: Annotated[int, Meta(ge=1, le=8000)] = 2000
    """Maximum number of characters shown."""


class EnvironmentArguments(ToolArguments):
    """Arguments of the tool `environment`, which lists the program's environment variables."""

    tool: ClassVar[str] = "environment"
    names: list[str] = []
    """Names of variables whose values to show; empty lists all names without values."""


class FramesArguments(ToolArguments):
    """Arguments of the tool `frames`, which lists stack frames of a native program."""

    tool: ClassVar[str] = "frames"
    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=400)] = 60


class RegistersArguments(ToolArguments):
    """Arguments of the tool `registers`, which shows the processor's registers."""

    tool: ClassVar[str] = "registers"
    frame: FrameNumber | None = None
    """If absent, the innermost frame is used."""


class MemoryArguments(ToolArguments):
    """Arguments of the tool `memory`, which shows bytes of the program's memory."""

    tool: ClassVar[str] = "memory"
    address: str
    """A number (`0x7ffe10`) or an expression. For a pointer, the address it points to; for any other value, its own
    address."""
    count: Annotated[int, Meta(ge=1, le=4096)] = 128
    """Number of bytes shown."""
    frame: FrameNumber | None = None


class DisassembleArguments(ToolArguments):
    """Arguments of the tool `disassemble`, which shows machine instructions."""

    tool: ClassVar[str] = "disassemble"
    address: str = ""
    """An address in the form that `memory` accepts; empty means the frame's current instruction."""
    around: Annotated[int, Meta(ge=0, le=50)] = 8
    """Number of instructions shown before and after the address."""
    frame: FrameNumber | None = None
    """If absent, the innermost frame is used."""


class Step(ToolArguments):
    """Arguments of the tool `step`, which resumes the program: to the next line, into or out of a call, or further."""

    tool: ClassVar[str] = "step"
    how: Literal["next", "stepIn", "stepOut", "continue"] = "next"
    reason: str = ""
    """Reason for the action, shown to the user who must confirm it. The tools below have the same field."""


class ContinueTo(ToolArguments):
    """Arguments of the tool `continue_to`, which runs the program to a line."""

    tool: ClassVar[str] = "continue_to"
    file: File
    line: Line
    reason: str = ""


class SetBreakpoint(ToolArguments):
    """Arguments of the tool `set_breakpoint`, which sets a breakpoint at a line."""

    tool: ClassVar[str] = "set_breakpoint"
    file: File
    line: Line
    condition: str = ""
    reason: str = ""


class Execute(ToolArguments):
    """Arguments of the tool `execute`, which evaluates an expression in the program itself."""

    tool: ClassVar[str] = "execute"
    expression: Expression
    frame: FrameNumber | None = None
    reason: str = ""


class SetVariable(ToolArguments):
    """Arguments of the tool `set_variable`, which assigns to a name, an attribute or an item."""

    tool: ClassVar[str] = "set_variable"
    expression: Expression
    value: str
    frame: FrameNumber | None = None
    reason: str = ""


class CitedValue(ToolArguments):
    """A value of the program that supports the answer."""

    expression: Expression
    value: str
    frame: FrameNumber | None = None


class Blamed(ToolArguments):
    """A line of source that may contain the mistake."""

    file: File
    line: int
    reason: str


class ReportedFix(ToolArguments):
    """A fix of the source that a model proposes."""

    edits: list[LineEdit]
    check: str = ""
    """A check of the fix, in the form that `try_fix` accepts."""


class ReportArguments(ToolArguments):
    """Arguments of the tool `report`, a model's last call, which states the evidence for its answer."""

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
