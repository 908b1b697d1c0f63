"""Names and arguments of the tools on a recorded run; `step` and `search` of tool_arguments.py are for programs.

Steps are numbered as the run numbers them, 1-based; a range includes both ends. Pages are counted in characters.
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
    """Arguments of `steps`."""

    tool: ClassVar[str] = "steps"
    first: StepNumber = 1
    """Number of the first that is shown."""
    count: Annotated[int, Meta(ge=1, le=60)] = 20
    """How many are shown."""
    kind: Kind = ""
    """Only steps of this effect."""
    failed: bool = False
    """Only those whose tool failed, or whose check did."""


class RunStepArguments(ToolArguments):
    """Arguments of `step` on a run."""

    tool: ClassVar[str] = "step"
    number: StepNumber
    part: Literal["", "said", "call", "result"] = ""
    """Only this part, a page of it; empty: the beginning of each, and the end of the result."""
    start: int = 0
    """Character at which the page begins; negative: so many before the end."""


class RunSearchArguments(ToolArguments):
    """Arguments of `search` on a run."""

    tool: ClassVar[str] = "search"
    text: Annotated[str, Meta(min_length=1, max_length=400)]
    """As it stands, letter case aside; `a|b` finds either."""
    start: Annotated[int, Meta(ge=0)] = 0
    """Number of the first match that is shown."""


class DiffArguments(ToolArguments):
    """Arguments of `diff`."""

    tool: ClassVar[str] = "diff"
    first: Annotated[int, Meta(ge=0)]
    """0: before the first step, with `workspace`."""
    second: StepNumber
    workspace: bool = False
    """What became of each file after `first`, up to `second`; else what the two steps said, called and got."""


class TreeArguments(ToolArguments):
    """Arguments of `tree`."""

    tool: ClassVar[str] = "tree"
    first: StepNumber = 1
    """Number of the first step that is shown."""
    whole: bool = False
    """Also steps that only looked, ran or spoke."""


class WorkspaceArguments(ToolArguments):
    """Arguments of `workspace`."""

    tool: ClassVar[str] = "workspace"
    path: str = ""
    """The end of a file's path, whose text is shown; empty: all files that were changed."""
    step: Annotated[int, Meta(ge=0)] = 0
    """As it was after this step; 0: at the end."""
    start: Annotated[int, Meta(ge=0)] = 0
    """Character at which the page begins."""


class ChecksArguments(ToolArguments):
    """Arguments of `checks`: none."""

    tool: ClassVar[str] = "checks"


class CompareArguments(ToolArguments):
    """Arguments of `compare`: none. The other run is the one that the user has named."""

    tool: ClassVar[str] = "compare"


class CitedStep(ToolArguments):
    """Words of the run that the answer rests on."""

    step: Annotated[int, Meta(ge=0)]
    """0: the task, or the recorded outcome."""
    quote: str
    """One line or less, as it stands."""


class RunReportArguments(ToolArguments):
    """Arguments of `report` on a run, with which a model ends."""

    tool: ClassVar[str] = "report"
    first: Annotated[int, Meta(ge=0)] = 0
    """First step of the block where it went wrong; 0: not known, or nothing did."""
    last: Annotated[int, Meta(ge=0)] = 0
    """0: the same step."""
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
"""What `askTool` and a model may call on a recorded run, by name. `report` is a model's alone."""
