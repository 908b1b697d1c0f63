"""What running again brought: the checks, the fixes that were tried, and which of them may be shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from dap_ai.agent.analyst.changes.candidates import Candidate
from dap_ai.agent.analyst.edits import Edit
from dap_ai.agent.analyst.impact import differ
from dap_ai.agent.analyst.neighbours import Neighbours
from dap_ai.agent.analyst.runs import Control, Verdict
from dap_ai.protocol.contracts.snapshot import SnapshotResult

_NARROW_ONLY, _MEDDLES, _SYMPTOM, _DOUBTED = 0.4, 0.6, 0.7, 0.5


@dataclass
class Trial:
    """A candidate fix and what the checks did with it."""

    candidate: Candidate
    verdict: Verdict
    widest: Verdict | None = None
    """Of the widest check, where that is another one; only if the first passed."""
    at_failure: bool = False
    """It changes the failing statement, and may only hide what is wrong elsewhere."""
    change: float = 0.0
    """How much of what went well before goes otherwise with it: 0 nothing, 1 all."""
    doubt: str = ""
    """Why its pass may prove nothing; empty for a rule's, which has its reason."""
    proof: str = ""
    """In words: what else than the failing check speaks for it; empty: nothing does."""

    @property
    def passes(self) -> bool:
        """Whether a check passes with it, and no wider one fails."""
        return self.verdict.passes and (self.widest is None or self.widest.outcome != "not verified")

    @property
    def verified(self) -> bool:
        """Whether the whole program or test succeeds with it."""
        return self.passes and (self.widest or self.verdict).verified

    @property
    def proved(self) -> bool:
        """Whether it is worth to be shown: all of what failed ends well with it, and something else speaks for it."""
        return self.verified and not self.doubt and bool(self.proof)

    @property
    def grade(self) -> float:
        """How likely it is the fix that is meant; more than 1 for a rule's."""
        candidate = self.candidate
        likely = candidate.prior**1.5 * candidate.suspicion**0.5 * (2.0 if candidate.reason else 1.0)
        symptom = _SYMPTOM if self.at_failure and not candidate.reason else 1.0
        passed = (1.0 if self.verified else _NARROW_ONLY) * (_DOUBTED if self.doubt else 1.0)
        return likely * symptom * passed * (1 - _MEDDLES * self.change)

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
    neighbours: Neighbours | None = None
    """The tests beside the one that failed, as they ended without any edit."""

    @property
    def usable(self) -> list[Control]:
        """The checks that show the failure again, narrow before wide."""
        return [control for control in self.controls if control.usable]

    @property
    def passing(self) -> list[Trial]:
        """The fixes with which nothing fails, the best first: those whose pass may prove nothing come last."""
        order = sorted((t for t in self.tried if t.passes), key=lambda t: (bool(t.doubt), -t.verified, -t.grade))
        return sorted(order, key=lambda t: not t.proved)

    @property
    def proved(self) -> list[Trial]:
        """The fixes that may be shown, the best first."""
        return [t for t in self.passing if t.proved]

    def fixes(self, file: str, line: int) -> bool:
        """Whether the best fix is verified, changes this line, and a rule says why."""
        return any(t.place == (file, line) for t in self.proved[:1] if t.candidate.reason)

    def refutes(self, edit: Edit | None) -> bool:
        """Whether this very edit was tried, and the check still fails with it."""
        return any(t.candidate.edit is edit and t.verdict.outcome == "not verified" for t in self.tried)

    @property
    def rivals(self) -> list[Trial]:
        """Where no rule says why the best fix is right: others that are as good, and do something else."""
        best, *others = self.proved or [None]
        if best is None or best.candidate.reason:
            return []
        return [t for t in others if t and differ(best.outcome, t.outcome)]
