"""Result types of `analyse`. Step numbers are those of the run, 1-based."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from dap_ai.debuggees.runs.analysis.onset_model import OnsetFinding
from dap_ai.debuggees.runs.run_model import Ref

EffectKind = Literal["submit", "change", "install", "verify", "run", "explore", "message"]
STRENGTH: tuple[EffectKind, ...] = ("submit", "change", "install", "verify", "run", "explore", "message")
"""Effect kinds, strongest first. If a call has several effects, the strongest determines the call's kind."""
How = Literal[
    "create", "append", "edit", "delete", "move", "restore", "patch", "mode", "log", "unknown"
]  # fmt: skip
"""Ways of writing a file. `create` writes the whole file. `restore` restores a version from version control or a copy.
`mode` changes permissions (chmod). `log` is redirected output of a verify, install or build command."""
Role = Literal["work", "test", "scratch"]
"""Role of a file. `test` is one of the project's tests. `scratch` is a file that the agent made for its own use
(reproduction scripts, temporary files). `work` is any other file."""
CheckKind = Literal["test", "lint", "build", "program", "look"]
"""Kind of a check. `program` runs the program under work or a script of the agent; `look` reads a result back."""
StageName = Literal["environment", "dependencies", "inspection", "patching", "verification", "submission"]
PatternName = Literal[
    "success-without-change",
    "edit-lost",
    "same-region-again",
    "same-call-again",
    "cut-result-relied-on",
    "failed-check-ignored",
    "never-verified",
    "check-edited",
    "placeholder-result",
    "wrong-directory",
    "limit",
    "refused",
]


class FileWrite(msgspec.Struct, frozen=True, omit_defaults=True):
    """One file that a call writes, with the changes that the call shows."""

    path: str
    """Path of the file: absolute, or relative to the unknown directory in which the agent started."""
    how: How
    lines: tuple[int, int] | None = None
    """First and last line replaced by the write. Line numbers are 1-based and those of the file before the write."""
    old: str | None = None
    new: str | None = None
    """Text that replaces `old`. For `create`, `new` is the whole content. Both are None if the call does not show them.
    """
    tree: bool = False
    """Whether any file below `path` may change, e.g. because the call restores or patches the working tree."""
    role: Role = "work"


class Effect(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a step's call is meant to do. The step's result records whether the call succeeded."""

    step: int
    kind: EffectKind
    kinds: Sequence[EffectKind] = ()
    """All effects of the call, strongest first, including `kind`."""
    reads: Sequence[str] = ()
    writes: Sequence[FileWrite] = ()
    executes: Sequence[str] = ()
    """Files that the call runs as programs or scripts."""
    programs: Sequence[str] = ()
    """Names of the programs in order. For a tool other than a shell, the tool's name."""
    runners: Sequence[str] = ()
    """Names (as in checks.toml) of the test runners, linters and builds among the programs."""
    code: str = ""
    """Inline code (`python -c`, a here-document fed to an interpreter), cut at 20,000 characters."""
    cwd: str = ""
    """Directory in which the call starts. An empty string is the agent's initial directory."""
    noop: str = ""
    """Reason why the call did nothing, e.g. a no-op command or a stray prefix from a broken proxy; empty otherwise."""
    refused: str = ""
    """Line of the result with which the tool rejected the call. Empty if the tool accepted the call."""
    background: bool = False


class StepCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """Result of one verifying step, parsed from the step's output.

    A count is None if the output does not show that count.
    """

    step: int
    kind: CheckKind
    runner: str = ""
    """Name of the runner (`pytest`, `cargo`, ...). Empty if no known runner printed the output."""
    ok: bool | None = None
    """Whether the check passed. None if the check did not finish or its output does not show the outcome."""
    exit_code: int | None = None
    passed: int | None = None
    failed: int | None = None
    errors: int | None = None
    skipped: int | None = None
    summary: str = ""
    """Line of the output that summarizes the result."""
    error: str = ""
    """First line of the output that reports a failure."""
    error_line: int | None = None
    """Line number of `error` in the result's text, 1-based."""
    ref: Ref | None = None
    """Location of the check's result."""
    ran: bool = True
    """Whether the checker could start. A checker that is not found or is called wrongly shows nothing about the work.
    """


class RunStage(msgspec.Struct, frozen=True):
    """A range of steps in one stage, first and last included. A stage can have several ranges."""

    stage: StageName
    first: int
    last: int


class StateNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step in the state tree. `parent` is the step that created the state in which this step runs."""

    step: int
    parent: int
    """Step that created this step's state; 0 is the initial state."""
    kind: EffectKind
    intent: str
    """Purpose of the step in one line, preferably from the agent's own text."""
    outcome: str
    """Outcome of the step in one line, from its result."""

    @property
    def row(self) -> str:
        """The node as text, e.g. `7 change: Fix the sum -> ok: 3 passed`."""
        return f"{self.step} {self.kind}: {self.intent}" + (f" -> {self.outcome}" if self.outcome else "")


class Pattern(msgspec.Struct, frozen=True, omit_defaults=True):
    """A common failure pattern found in the run. Uncertain patterns are not reported."""

    name: PatternName
    steps: Sequence[int]
    """Numbers of the steps that show the pattern, in order. The last step completes the pattern."""
    text: str
    """Description in one sentence."""
    quote: str = ""
    """Text from the run that supports the pattern, shortened."""


class RunAnalysis(msgspec.Struct, frozen=True, omit_defaults=True):
    """All results of the rules for a run."""

    effects: Sequence[Effect] = ()
    checks: Sequence[StepCheck] = ()
    stages: Sequence[RunStage] = ()
    tree: Sequence[StateNode] = ()
    patterns: Sequence[Pattern] = ()
    finding: OnsetFinding = OnsetFinding()
    """Step where the run went wrong, or the reason why no step is named."""
