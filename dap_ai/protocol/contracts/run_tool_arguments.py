"""Names and arguments of the tools for recorded runs; tool_arguments.py holds those for programs.

Steps are 1-based, as the run numbers them. A range includes both ends. Page positions are in characters.
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
    """Arguments of the tool `steps`, which lists a run's steps."""

    tool: ClassVar[str] = "steps"
    first: StepNumber = 1
    """Number of the first step shown."""
    count: Annotated[int, Meta(ge=1, le=60)] = 20
    """Number of steps shown."""
    kind: Kind = ""
    """Show only steps of this kind; empty shows every kind."""
    failed: bool = False
    """Show only steps whose tool or check failed."""


class RunStepArguments(ToolArguments):
    """Arguments of the tool `step`, which shows one step of a recorded run."""

    tool: ClassVar[str] = "step"
    number: StepNumber
    part: Literal["", "said", "call", "result"] = ""
    """Show a page of this part only. If empty, show the beginning of each part, and the end of the result."""
    start: int = 0
    """Character at which the page begins; a negative number counts from the end."""


class RunSearchArguments(ToolArguments):
    """Arguments of the tool `search`, which finds text in the steps of a recorded run."""

    tool: ClassVar[str] = "search"
    text: Annotated[str, Meta(min_length=1, max_length=400)]
    """Text to find, ignoring case; `a|b` finds `a` or `b`."""
    start: Annotated[int, Meta(ge=0)] = 0
    """Number of the first match shown."""


class DiffArguments(ToolArguments):
    """Arguments of the tool `diff`, which compares files or steps of a recorded run."""

    tool: ClassVar[str] = "diff"
    first: Annotated[int, Meta(ge=0)]
    """Number of the earlier step; with `workspace`, 0 means the state before the first step."""
    second: StepNumber
    workspace: bool = False
    """Compare each file after step `first` with the file after step `second`. If false, compare the two steps' texts,
    calls and results."""


class TreeArguments(ToolArguments):
    """Arguments of the tool `tree`, which outlines what a recorded run changed and checked."""

    tool: ClassVar[str] = "tree"
    first: StepNumber = 1
    """Number of the first step shown."""
    whole: bool = False
    """Include steps that only read files, ran commands or wrote text."""


class WorkspaceArguments(ToolArguments):
    """Arguments of the tool `workspace`, which shows files as a recorded run changed them."""

    tool: ClassVar[str] = "workspace"
    path: str = ""
    """End of the path of the file to show; empty lists all changed files."""
    step: Annotated[int, Meta(ge=0)] = 0
    """Show the file as it was after this step; 0 shows the file at the end of the run."""
    start: Annotated[int, Meta(ge=0)] = 0
    """Character at which the page begins."""


class ChecksArguments(ToolArguments):
    """Arguments of the tool `checks`, which has no arguments."""

    tool: ClassVar[str] = "checks"


class CompareArguments(ToolArguments):
    """Arguments of the tool `compare`, which has no arguments. The user names the run to compare with."""

    tool: ClassVar[str] = "compare"


class CitedStep(ToolArguments):
    """A quotation from a recorded run that supports the answer."""

    step: Annotated[int, Meta(ge=0)]
    """Step number; 0 means the task or the recorded outcome."""
    quote: str
    """Verbatim text from the step, at most one line."""


class RunReportArguments(ToolArguments):
    """Arguments of the tool `report` on a recorded run, which is a model's last call."""

    tool: ClassVar[str] = "report"
    first: Annotated[int, Meta(ge=0)] = 0
    """First step of the block of steps where the run went wrong; 0 if unknown, or if nothing went wrong."""
    last: Annotated[int, Meta(ge=0)] = 0
    """Last step of the block where the run went wrong; 0 means the step `first`."""
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
