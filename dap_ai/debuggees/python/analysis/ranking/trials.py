"""Results of reruns: the checks, and each candidate fix with its outcome."""

from __future__ import annotations

from dataclasses import dataclass, field

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.record.check_runs import Control, FixVerdict
from dap_ai.debuggees.python.analysis.record.impact import differ
from dap_ai.debuggees.python.analysis.record.neighbour_tests import NeighbourTests
from dap_ai.protocol.contracts.snapshot_messages import SnapshotResult

MAX_TRIES = 120


@dataclass
class Candidate:
    """An edit that may be the fix."""

    edit: SourceEdit
    kind: str
    prior: float
    """0..1: how likely its kind is the one that is meant."""
    suspicion: float
    """0..1: of its line."""
    line: int
    """The line that it says is wrong."""
    reason: str = ""
    """From the rule that proposes it; empty for a generated one."""


@dataclass
class Trial:
    """A candidate fix and what the checks did with it."""

    candidate: Candidate
    verdict: FixVerdict
    widest: FixVerdict | None = None
    """Of the widest check, where that is another one; only if the first passed."""
    at_failure: bool = False
    """It changes the failing statement, and may only hide what is wrong elsewhere."""
    change: float = 0.0
    """How much of what went well before goes otherwise with it: 0 nothing, 1 all."""
    beside: str = ""
    """What the tests beside the failed one say for it; empty: nothing."""
    doubt: str = ""
    """Why its pass may prove nothing; empty for a rule's, which has its reason."""
    proof: str = ""
    """What speaks for it beside the check that failed, in words; empty: nothing, and it is not shown."""

    @property
    def passes(self) -> bool:
        """Whether a check passes with it, and no wider one fails."""
        return self.verdict.passes and (self.widest is None or self.widest.outcome != "not verified")

    @property
    def verified(self) -> bool:
        """Whether the whole program or test succeeds with it."""
        return self.passes and (self.widest or self.verdict).verified

    @property
    def grade(self) -> float:
        """How likely it is the fix that is meant, 0..1."""
        candidate = self.candidate
        explained = 1.0 if candidate.reason else WEIGHTS.no_rule
        likely = candidate.prior**WEIGHTS.of_kind * candidate.suspicion**WEIGHTS.of_line * explained
        symptom = WEIGHTS.at_failure if self.at_failure and not candidate.reason else 1.0
        passed = (1.0 if self.verified else WEIGHTS.narrow) * (WEIGHTS.weak_pass if self.doubt else 1.0)
        return likely * symptom * passed * (1 - WEIGHTS.meddles * self.change)

    @property
    def place(self) -> tuple[str, int]:
        """File and line of what it says is wrong."""
        return self.candidate.edit.source.path, self.candidate.line

    @property
    def outcome(self) -> SnapshotResult | None:
        """What the widest run with it did."""
        return (self.widest or self.verdict).result


@dataclass
class Trials:
    """What running again brought."""

    controls: list[Control] = field(default_factory=list[Control])
    tried: list[Trial] = field(default_factory=list[Trial])
    why_not: str = ""
    """Why nothing could be tried."""
    neighbours: NeighbourTests | None = None
    """The tests beside the one that failed."""
    most: int = MAX_TRIES
    """So many fixes are tried."""
    has_more: bool = False
    """More might have been tried, had there been more of the budget."""

    @property
    def usable(self) -> list[Control]:
        """The checks that show the failure again, narrow before wide."""
        return [control for control in self.controls if control.usable]

    @property
    def passing(self) -> list[Trial]:
        """The fixes with which nothing fails, the best first: those whose pass may prove nothing come last."""
        held = (t for t in self.tried if t.passes)
        return sorted(held, key=lambda t: (bool(t.doubt), not t.proof, -t.verified, -t.grade))

    @property
    def proved(self) -> list[Trial]:
        """Those for which more speaks than the check that failed, the best first."""
        return [t for t in self.passing if t.proof and not t.doubt]

    def fixes(self, file: str, line: int) -> bool:
        """Whether the best fix is verified, changes this line, and a rule says why."""
        return any(t.place == (file, line) for t in self.passing[:1] if t.verified and t.candidate.reason)

    def refutes(self, edit: SourceEdit | None) -> bool:
        """Whether this very edit was tried, and the check still fails with it."""
        return any(t.candidate.edit is edit and t.verdict.outcome == "not verified" for t in self.tried)

    @property
    def rivals(self) -> list[Trial]:
        """Where no rule says why the best fix is right: others that as much speaks for, and that do something else."""
        best = next(iter(self.proved), None)
        return [t for t in self.unlike(best) if t.proof] if best and not best.candidate.reason else []

    def unlike(self, trial: Trial) -> list[Trial]:
        """The other fixes that hold, and do something else."""
        held = (t for t in self.tried if t.passes and not t.doubt and t is not trial)
        return [t for t in held if differ(trial.outcome, t.outcome)]
