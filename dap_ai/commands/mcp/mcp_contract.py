"""Names, descriptions and arguments of the MCP server's tools, for checking calls and for clients.

Every client adds all of this text to every conversation, so keep it short (`benchmarks/mcp_servers.py` counts the
words).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, cast

import msgspec
from msgspec import Meta

from dap_ai.protocol.contracts.tool_arguments import LineEdit

INSTRUCTIONS = (
    "A debugger that answers questions. Begin with `ask`: without `program` it is about the session that the user has "
    "stopped in an editor, with `program` it runs that to its crash. The other tools are for details. Nothing changes "
    "the program: what is evaluated or tried runs in a copy."
)

Session = Annotated[str, Meta(description="Id; default: the one that is stopped.")]
Frame = Annotated[int, Meta(ge=0, description="Number as `look` shows it.")]
Program = Annotated[str, Meta(description="Python file, native program or C file to run; or `-m MODULE`.")]
Breakpoints = Annotated[list[str], Meta(description="FILE:LINE or FILE:LINE:CONDITION.")]
Exceptions = Annotated[list[str], Meta(description="Also stop at `raised` or `userUnhandled` ones.")]


class McpCall(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The arguments of an MCP tool; a subclass for each tool."""

    tool: ClassVar[str]
    """The tool's name."""
    told: ClassVar[str]
    """The tool's description that a model reads."""
    looks: ClassVar[bool] = True
    """Whether the tool is read-only, so that it starts and ends nothing."""


class McpProgramCall(McpCall):
    """The arguments of an MCP tool that runs a program."""

    looks: ClassVar[bool] = False
    program: Program = ""
    args: list[str] = []
    cwd: str = ""
    breakpoints: Breakpoints = []
    exceptions: Exceptions = []
    seconds: Annotated[float, Meta(gt=0, le=3600, description="Paused, if it has not stopped by then.")] = 20.0


class McpAsk(McpProgramCall, kw_only=True):
    """Arguments of the MCP tool `ask`."""

    tool: ClassVar[str] = "ask"
    told: ClassVar[str] = (
        "Why did it crash, why has a variable this value? Root cause, evidence, a fix tried in a copy. "
        "With `program`: runs it first."
    )
    question: str
    session: Session = ""
    frame: Frame | None = None
    more: Annotated[bool, Meta(description="Only the whole of the last answer.")] = False


class McpSessions(McpCall):
    """The MCP tool `sessions`, which takes no arguments."""

    tool: ClassVar[str] = "sessions"
    told: ClassVar[str] = "Debug sessions of the user's editors and of this server, and where they are stopped."


class McpStart(McpProgramCall):
    """Arguments of the MCP tool `start`."""

    tool: ClassVar[str] = "start"
    told: ClassVar[str] = "Runs a program to its first crash or breakpoint. Gives the session."


class McpLook(McpCall):
    """Arguments of the MCP tool `look`."""

    tool: ClassVar[str] = "look"
    told: ClassVar[str] = "The stack, and a frame's source and variables; with `expression` what is inside a value."
    expression: str = ""
    frame: Frame | None = None
    session: Session = ""


class McpEvaluate(McpCall):
    """Arguments of the MCP tool `evaluate`."""

    tool: ClassVar[str] = "evaluate"
    told: ClassVar[str] = "The value of an expression, calls too, in a copy of the process."
    expression: str
    frame: Frame | None = None
    session: Session = ""


class McpTrace(McpCall):
    """Arguments of the MCP tool `trace`."""

    tool: ClassVar[str] = "trace"
    told: ClassVar[str] = "Each line that an expression runs, and the values it sets, in a copy."
    expression: str
    frame: Frame | None = None
    session: Session = ""


class McpTryFix(McpCall):
    """Arguments of the MCP tool `try_fix`."""

    tool: ClassVar[str] = "try_fix"
    told: ClassVar[str] = "Does what failed pass with these lines replaced? In a copy; no file changes."
    edits: list[LineEdit]
    check: Annotated[str, Meta(description="Expression or statements that must hold instead.")] = ""
    frame: Frame | None = None
    session: Session = ""


class RunOpen(McpCall):
    """Arguments of the MCP tool `run_open`."""

    tool: ClassVar[str] = "run_open"
    told: ClassVar[str] = "Opens a recorded run of an LLM agent (trajectory, transcript): its steps and checks."
    looks: ClassVar[bool] = False
    path: str


class RunAsk(McpCall):
    """Arguments of the MCP tool `run_ask`."""

    tool: ClassVar[str] = "run_ask"
    told: ClassVar[str] = "Where did a recorded run go wrong? By quotes of it."
    looks: ClassVar[bool] = False
    question: str = ""
    path: str = ""
    session: Session = ""


class McpStop(McpCall):
    """Arguments of the MCP tool `stop`."""

    tool: ClassVar[str] = "stop"
    told: ClassVar[str] = "Ends a session of `start` or `ask`; never the user's."
    looks: ClassVar[bool] = False
    session: Session = ""


_ALL: tuple[type[McpCall], ...] = (
    McpAsk,
    McpSessions,
    McpStart,
    McpLook,
    McpEvaluate,
    McpTrace,
    McpTryFix,
    RunOpen,
    RunAsk,
    McpStop,
)
TOOLS: Mapping[str, type[McpCall]] = {kind.tool: kind for kind in _ALL}
"""The classes of arguments by tool name; a model should begin with the first tool."""


class BadCall(Exception):  # noqa: N818  its text is the answer to the model
    """Raised if a tool call is invalid; the text tells the model what is wrong."""


def call_of(name: str, arguments: Mapping[str, Any]) -> McpCall:
    """Parse a client's call into the arguments of its tool. Raises BadCall."""
    kind = TOOLS.get(name)
    if kind is None:
        raise BadCall(f"There is no tool {name}; there are: {', '.join(TOOLS)}.")
    try:
        return msgspec.convert(arguments, kind)
    except msgspec.ValidationError as error:
        takes = ", ".join(kind.__struct_fields__) or "nothing"
        raise BadCall(f"{name}: {error}. It takes: {takes}.") from error


def schema_of(kind: type[McpCall]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments, without entries that mean nothing to a model."""
    (schema,), components = msgspec.json.schema_components([kind])
    return cast("dict[str, Any]", _plain(schema, components))


def _plain(schema: object, components: Mapping[str, Any]) -> object:
    if isinstance(schema, list):
        return [_plain(part, components) for part in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    fields = cast("dict[str, Any]", schema)
    if "$ref" in fields:
        inside = dict(components[fields["$ref"].rpartition("/")[2]])
        inside.pop("description", None)
        return _plain(inside, components)
    if "anyOf" in fields:  # `X | None`: a client omits the field instead of passing null
        return _plain(next(part for part in fields["anyOf"] if part.get("type") != "null"), components)
    return {key: _plain(part, components) for key, part in fields.items() if key not in {"title", "default"}}
