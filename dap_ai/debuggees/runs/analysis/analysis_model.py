"""The words of analysis: what `analyse` finds in a run. Steps are numbered as in the run, 1-based."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from dap_ai.debuggees.runs.analysis.onset_model import OnsetFinding
from dap_ai.debuggees.runs.run_model import Ref

EffectKind = Literal["submit", "change", "install", "verify", "run", "explore", "message"]
STRENGTH: tuple[EffectKind, ...] = ("submit", "change", "install", "verify", "run", "explore", "message")
"""Strongest first: a call that does several things is called by the strongest of them."""
How = Literal[
    "create", "append", "edit", "delete", "move", "restore", "patch", "mode", "log", "unknown"
]  # fmt: skip
"""`create` writes a file whole; `restore` puts back what version control or a copy has; `mode` is chmod and the like;
`log` is what a verifying, installing or building command printed."""
Role = Literal["work", "test", "scratch"]
"""`test`: a file of tests of the project; `scratch`: what the agent made for itself (reproductions, temporary ones)."""
CheckKind = Literal["test", "lint", "build", "program", "look"]
"""`program`: the program under work or a script of the agent's own was run; `look`: a result was read back."""
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
    """One file that a call writes, and what of it is known."""

    path: str
    """Absolute, or relative to the unknown directory that the agent started in."""
    how: How
    lines: tuple[int, int] | None = None
    """First and last line that are replaced, 1-based, of the file as it was before."""
    old: str | None = None
    new: str | None = None
    """The text replaced and its replacement; of `create` the whole content. None where the call does not say."""
    tree: bool = False
    """Any file below `path` (a restored or patched working tree)."""
    role: Role = "work"


class Effect(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one step did, as its call says; whether it worked is for its result to say."""

    step: int
    kind: EffectKind
    kinds: Sequence[EffectKind] = ()
    """All that the call does, strongest first; `kind` is one of them."""
    reads: Sequence[str] = ()
    writes: Sequence[FileWrite] = ()
    executes: Sequence[str] = ()
    """Files that were run as programs or scripts."""
    programs: Sequence[str] = ()
    """Names of the programs, in order; for a tool that is no shell its name."""
    runners: Sequence[str] = ()
    """Test runners, linters and builds among them, by the names in checks.toml."""
    code: str = ""
    """Inline code (`python -c`, a here-document fed to an interpreter), cut at 20,000 characters."""
    cwd: str = ""
    """Where relative paths started; "" is the agent's first directory."""
    noop: str = ""
    """Why the call did nothing: a no-op command, a stray prefix left by a broken proxy."""
    refused: str = ""
    """The line with which the tool refused the call: nothing was done."""
    background: bool = False


class StepCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one verifying step printed. Counts are None where nothing was counted."""

    step: int
    kind: CheckKind
    runner: str = ""
    """`pytest`, `cargo`, ...; "" where no known one printed."""
    ok: bool | None = None
    """None: it never ran to an end, or the text does not say."""
    exit_code: int | None = None
    passed: int | None = None
    failed: int | None = None
    errors: int | None = None
    skipped: int | None = None
    summary: str = ""
    """The line that says how it ended."""
    error: str = ""
    """The first line that tells of a failure."""
    error_line: int | None = None
    """Its line in the result's text, 1-based."""
    ref: Ref | None = None
    """The result's."""
    ran: bool = True
    """False: the checker itself could not start (not found, bad usage), which says nothing of the work."""


class RunStage(msgspec.Struct, frozen=True):
    """A range of steps, first and last included. A stage may come back."""

    stage: StageName
    first: int
    last: int


class StateNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step in the tree of states. `parent` is the step that made the state which this one looks at or changes."""

    step: int
    parent: int
    """A step's number, or 0: the state that the agent was given."""
    kind: EffectKind
    intent: str
    """One line, from the agent's own words where it has some."""
    outcome: str
    """One line, from the result."""

    @property
    def row(self) -> str:
        """`7 change: Fix the sum -> ok: 3 passed`."""
        return f"{self.step} {self.kind}: {self.intent}" + (f" -> {self.outcome}" if self.outcome else "")


class Pattern(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that goes wrong in many runs, seen here. Only what is sure is said."""

    name: PatternName
    steps: Sequence[int]
    """Those that show it, in order; the last is where it is complete."""
    text: str
    """One sentence for a reader."""
    quote: str = ""
    """The words of the artefact that it rests on, cut."""


class RunAnalysis(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that the rules see in a run."""

    effects: Sequence[Effect] = ()
    checks: Sequence[StepCheck] = ()
    stages: Sequence[RunStage] = ()
    tree: Sequence[StateNode] = ()
    patterns: Sequence[Pattern] = ()
    finding: OnsetFinding = OnsetFinding()
    """Where the run went wrong, or why nothing is said of that."""
