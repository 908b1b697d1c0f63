"""Results of reruns: the control checks, and each candidate fix with its outcome."""

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
    """An edit that may be the fix, with its likelihood."""

    edit: SourceEdit
    kind: str
    prior: float
    """How likely this kind of edit is the right fix, 0..1."""
    suspicion: float
    """How suspicious the edit's line is, 0..1."""
    line: int
    """1-based line that the edit treats as wrong."""
    reason: str = ""
    """Reason of the rule that proposed the edit; empty for a generated edit."""


@dataclass
class Trial:
    """A candidate fix and the outcome of the checks that ran with the fix."""

    candidate: Candidate
    verdict: FixVerdict
    widest: FixVerdict | None = None
    """Verdict of the widest check; None if that is the first check, or the first check failed."""
    at_failure: bool = False
    """Whether the fix changes the failing statement, and so may only hide a mistake elsewhere."""
    change: float = 0.0
    """Share of previously correct behaviour that the fix changes: 0 none, 1 all."""
    beside: str = ""
    """Evidence for the fix from neighbour tests; empty if none."""
    doubt: str = ""
    """Why passing may prove nothing; empty for a rule's fix, which has its own reason."""
    proof: str = ""
    """Evidence for the fix other than the failed check. A fix without such evidence is not shown."""

    @property
    def passes(self) -> bool:
        """Whether a check passes with the fix, and no wider check fails."""
        return self.verdict.passes and (self.widest is None or self.widest.outcome != "not verified")

    @property
    def verified(self) -> bool:
        """Whether the whole program or test succeeds with the fix."""
        return self.passes and (self.widest or self.verdict).verified

    @property
    def grade(self) -> float:
        """How likely the candidate is the right fix, 0..1."""
        candidate = self.candidate
        explained = 1.0 if candidate.reason else WEIGHTS.no_rule
        likely = candidate.prior**WEIGHTS.of_kind * candidate.suspicion**WEIGHTS.of_line * explained
        symptom = WEIGHTS.at_failure if self.at_failure and not candidate.reason else 1.0
        passed = (1.0 if self.verified else WEIGHTS.narrow) * (WEIGHTS.weak_pass if self.doubt else 1.0)
        return likely * symptom * passed * (1 - WEIGHTS.meddles * self.change)

    @property
    def place(self) -> tuple[str, int]:
        """(file, line) that the fix declares wrong."""
        return self.candidate.edit.source.path, self.candidate.line

    @property
    def outcome(self) -> SnapshotResult | None:
        """The result of the widest run with the fix."""
        return (self.widest or self.verdict).result


@dataclass
class Trials:
    """Control runs and tried fixes of one failure."""

    controls: list[Control] = field(default_factory=list[Control])
    tried: list[Trial] = field(default_factory=list[Trial])
    why_not: str = ""
    """Why no fix could be tried, as a clause."""
    neighbours: NeighbourTests | None = None
    """Runs of neighbour tests, for comparison with the failed one."""
    most: int = MAX_TRIES
    """Maximum number of fixes tried."""
    has_more: bool = False
    """Whether the budget ended before all fixes were tried."""

    @property
    def usable(self) -> list[Control]:
        """The checks that reproduce the failure, narrowest first."""
        return [control for control in self.controls if control.usable]

    @property
    def passing(self) -> list[Trial]:
        """The fixes with which no check fails, best first; fixes with a `doubt` are last."""
        held = (t for t in self.tried if t.passes)
        return sorted(held, key=lambda t: (bool(t.doubt), not t.proof, -t.verified, -t.grade))

    @property
    def proved(self) -> list[Trial]:
        """The passing fixes with evidence other than the failed check, best first."""
        return [t for t in self.passing if t.proof and not t.doubt]

    def fixes(self, file: str, line: int) -> bool:
        """Whether the best fix is verified, changes this line, and has a rule's reason."""
        return any(t.place == (file, line) for t in self.passing[:1] if t.verified and t.candidate.reason)

    def refutes(self, edit: SourceEdit | None) -> bool:
        """Whether exactly this edit was tried and the check still failed."""
        return any(t.candidate.edit is edit and t.verdict.outcome == "not verified" for t in self.tried)

    @property
    def rivals(self) -> list[Trial]:
        """Other proved fixes that behave differently from the best one; empty if a rule explains the best one."""
        best = next(iter(self.proved), None)
        return [t for t in self.unlike(best) if t.proof] if best and not best.candidate.reason else []

    def unlike(self, trial: Trial) -> list[Trial]:
        """Return the other passing, undoubted fixes that behave differently from `trial`."""
        held = (t for t in self.tried if t.passes and not t.doubt and t is not trial)
        return [t for t in held if differ(trial.outcome, t.outcome)]
