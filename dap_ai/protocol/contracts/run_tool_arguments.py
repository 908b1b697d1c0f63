"""Names and arguments of the tools for recorded runs; `step` and `search` of tool_arguments.py are for programs.

Steps are 1-based, as the run numbers them; a range includes both ends. Page positions are in characters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, get_args

import msgspec
from msgspec import Meta

from dap_ai.protocol.contracts.tool_arguments import ToolArguments

StepNumber = Annotated[int, Meta(ge=1)]
Kind = Literal["", "explore", "change", "install", "verify", "run", "submit", "message"]


class StepsArguments(ToolArguments):
    """Arguments of `steps`, which lists a run's steps."""

    tool: ClassVar[str] = "steps"
    first: StepNumber = 1
    """Number of the first step shown."""
    count: Annotated[int, Meta(ge=1, le=60)] = 20
    """How many steps are shown."""
    kind: Kind = ""
    """Only steps with this effect."""
    failed: bool = False
    """Only steps whose tool or check failed."""


class RunStepArguments(ToolArguments):
    """Arguments of `step` on a run, which shows one step."""

    tool: ClassVar[str] = "step"
    number: StepNumber
    part: Literal["", "said", "call", "result"] = ""
    """Show a page of this part only; empty: the beginning of each part, and the end of the result."""
    start: int = 0
    """Character at which the page begins; negative: counted from the end."""


class RunSearchArguments(ToolArguments):
    """Arguments of `search` on a run, which finds text in its steps."""

    tool: ClassVar[str] = "search"
    text: Annotated[str, Meta(min_length=1, max_length=400)]
    """Text to find, ignoring case; `a|b` finds either."""
    start: Annotated[int, Meta(ge=0)] = 0
    """Number of the first match shown."""


class DiffArguments(ToolArguments):
    """Arguments of `diff`, which compares files or steps."""

    tool: ClassVar[str] = "diff"
    first: Annotated[int, Meta(ge=0)]
    """0: before the first step, with `workspace`."""
    second: StepNumber
    workspace: bool = False
    """Compare each file after `first` with the file after `second`; else compare the two steps' texts, calls and
    results."""


class TreeArguments(ToolArguments):
    """Arguments of `tree`, which outlines what a run changed and checked."""

    tool: ClassVar[str] = "tree"
    first: StepNumber = 1
    """Number of the first step shown."""
    whole: bool = False
    """Include steps that only read, ran or wrote text."""


class WorkspaceArguments(ToolArguments):
    """Arguments of `workspace`, which shows files as the run changed them."""

    tool: ClassVar[str] = "workspace"
    path: str = ""
    """The end of the path of the file to show; empty: list all changed files."""
    step: Annotated[int, Meta(ge=0)] = 0
    """Show the file as it was after this step; 0: at the end."""
    start: Annotated[int, Meta(ge=0)] = 0
    """Character at which the page begins."""


class ChecksArguments(ToolArguments):
    """Arguments of `checks`: none."""

    tool: ClassVar[str] = "checks"


class CompareArguments(ToolArguments):
    """Arguments of `compare`: none. The user names the other run."""

    tool: ClassVar[str] = "compare"


class CitedStep(ToolArguments):
    """A quotation from the run that supports the answer."""

    step: Annotated[int, Meta(ge=0)]
    """Step number; 0: the task, or the recorded outcome."""
    quote: str
    """Verbatim text, at most one line."""


class RunReportArguments(ToolArguments):
    """Arguments of `report` on a run: a model's last call."""

    tool: ClassVar[str] = "report"
    first: Annotated[int, Meta(ge=0)] = 0
    """First step of the block where the run went wrong; 0: unknown, or nothing went wrong."""
    last: Annotated[int, Meta(ge=0)] = 0
    """Last step of that block; 0: the same step."""
    reason: str = ""
    evidence: list[CitedStep] = msgspec.field(default_factory=list[CitedStep])


RunToolArguments = (
    StepsArguments
    | RunStepArguments
    | RunSearchArguments
    | DiffArguments
    | TreeArguments
    | WorkspaceArguments
    | ChecksArguments
    | CompareArguments
)
RUN_TOOLS: Mapping[str, type[ToolArguments]] = {kind.tool: kind for kind in get_args(RunToolArguments)}
"""Tools that `askTool` and a model may call on a recorded run, by name. Only a model may call `report`."""
