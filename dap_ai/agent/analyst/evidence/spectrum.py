"""Which lines ran in tests that pass, and in tests that fail: what only the latter run is suspicious."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from dap_ai.agent.analyst.evidence.record import Record, Run, Spot


@dataclass
class Spectrum:
    """Of each line, how many passing and failing tests ran it, the failure itself left out; and of all tests."""

    passing: Counter[Spot] = field(default_factory=Counter[Spot])
    failing: Counter[Spot] = field(default_factory=Counter[Spot])
    failures: int = 0

    def ochiai(self, spot: Spot, passing: int = 0) -> float:
        """0..1, for a line that the failure itself ran; `passing`: other passing checks that rest on it."""
        failed = 1 + self.failing[spot]
        return failed / ((1 + self.failures) * (failed + passing + self.passing[spot])) ** 0.5


def spectrum_of(record: Record) -> Spectrum:
    """The tests of a record are the runs that no other run has called."""
    lines: dict[int, set[Spot]] = defaultdict(set)
    roots: dict[int, Run] = {}
    for run in record.runs.values():
        root = _root(record, run)
        roots[root.traced.number] = root
        lines[root.traced.number] |= {event.spot for event in run.events}
    found = Spectrum()
    for number, root in roots.items():
        if not root.name.startswith("test"):
            continue
        (found.failing if root.traced.raised else found.passing).update(lines[number])
        found.failures += bool(root.traced.raised)
    return found


def _root(record: Record, run: Run) -> Run:
    for _ in range(100):
        caller = record.runs.get(run.traced.caller)
        if caller is None:
            return run
        run = caller
    return run
