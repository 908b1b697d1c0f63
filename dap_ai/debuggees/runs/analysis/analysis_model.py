"""Result types of `analyse`. Step numbers are those of the run, 1-based."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from dap_ai.debuggees.runs.analysis.onset_model import OnsetFinding
from dap_ai.debuggees.runs.run_model import Ref

EffectKind = Literal["submit", "change", "install", "verify", "run", "explore", "message"]
STRENGTH: tuple[EffectKind, ...] = ("submit", "change", "install", "verify", "run", "explore", "message")
"""Effect kinds, strongest first; a call with several effects has the kind of its strongest one."""
How = Literal[
    "create", "append", "edit", "delete", "move", "restore", "patch", "mode", "log", "unknown"
]  # fmt: skip
"""Ways of writing a file. `create` writes the whole file; `restore` restores a version from version control or a copy;
`mode` changes permissions (chmod); `log` is redirected output of a verify, install or build command."""
Role = Literal["work", "test", "scratch"]
"""Role of a file. `test`: one of the project's tests; `scratch`: made by the agent for itself (reproduction scripts,
temporary files); `work`: any other file."""
CheckKind = Literal["test", "lint", "build", "program", "look"]
"""Kind of a check. `program`: ran the program under work or a script of the agent; `look`: read a result back."""
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
    """One file that a call writes, with its changes as far as the call shows them."""

    path: str
    """Absolute path, or relative to the unknown directory in which the agent started."""
    how: How
    lines: tuple[int, int] | None = None
    """First and last replaced line (1-based, inclusive) in the file before the write."""
    old: str | None = None
    new: str | None = None
    """Replaced text (`old`) and its replacement; for `create`, the whole content. None if the call does not show it."""
    tree: bool = False
    """Whether any file below `path` may change (a restored or patched working tree)."""
    role: Role = "work"


class Effect(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a step's call is meant to do; whether it succeeded is recorded in its result."""

    step: int
    kind: EffectKind
    kinds: Sequence[EffectKind] = ()
    """All effects of the call, strongest first, including `kind`."""
    reads: Sequence[str] = ()
    writes: Sequence[FileWrite] = ()
    executes: Sequence[str] = ()
    """Files run as programs or scripts."""
    programs: Sequence[str] = ()
    """Program names in order; for a tool that is not a shell, the tool's name."""
    runners: Sequence[str] = ()
    """Names (as in checks.toml) of the test runners, linters and builds among the programs."""
    code: str = ""
    """Inline code (`python -c`, a here-document fed to an interpreter), cut at 20,000 characters."""
    cwd: str = ""
    """Directory in which the call starts; "" is the agent's initial directory."""
    noop: str = ""
    """Reason why the call did nothing, e.g. a no-op command or a stray prefix from a broken proxy; else ""."""
    refused: str = ""
    """Line with which the tool rejected the call, which then had no effect; else ""."""
    background: bool = False


class StepCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """Result of one verifying step, parsed from its output. Counts are None if the output shows none."""

    step: int
    kind: CheckKind
    runner: str = ""
    """Name of the runner (`pytest`, `cargo`, ...); "" if no known one printed the output."""
    ok: bool | None = None
    """Whether the check passed; None if it did not finish or its output does not show it."""
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
    """Number of that line in the result's text, 1-based."""
    ref: Ref | None = None
    """Location of the result."""
    ran: bool = True
    """False if the checker itself could not start (not found, bad usage), which shows nothing about the work."""


class RunStage(msgspec.Struct, frozen=True):
    """A range of steps in one stage, first and last included. A stage can occur several times."""

    stage: StageName
    first: int
    last: int


class StateNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step in the state tree. `parent` is the step that created the state in which this step runs."""

    step: int
    parent: int
    """Number of that step, or 0 for the initial state."""
    kind: EffectKind
    intent: str
    """Purpose in one line, preferably from the agent's own text."""
    outcome: str
    """Outcome in one line, from the result."""

    @property
    def row(self) -> str:
        """The node as text, e.g. `7 change: Fix the sum -> ok: 3 passed`."""
        return f"{self.step} {self.kind}: {self.intent}" + (f" -> {self.outcome}" if self.outcome else "")


class Pattern(msgspec.Struct, frozen=True, omit_defaults=True):
    """A common failure pattern found in the run; only certain ones are reported."""

    name: PatternName
    steps: Sequence[int]
    """Steps that show the pattern, in order; the last one completes it."""
    text: str
    """Description in one sentence."""
    quote: str = ""
    """Supporting text from the run, shortened."""


class RunAnalysis(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything the rules found in a run."""

    effects: Sequence[Effect] = ()
    checks: Sequence[StepCheck] = ()
    stages: Sequence[RunStage] = ()
    tree: Sequence[StateNode] = ()
    patterns: Sequence[Pattern] = ()
    finding: OnsetFinding = OnsetFinding()
    """Step where the run went wrong, or the reason why none is named."""
