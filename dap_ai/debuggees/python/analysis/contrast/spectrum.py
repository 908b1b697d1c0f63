"""Rates lines by test outcomes: a line is suspicious if failing tests run it and passing tests do not.

This is spectrum-based fault localization with the Ochiai coefficient, the best that Abreu, Zoeteweij and van Gemund
(2006) compared: ef / sqrt((ef + nf) * (ef + ep)), where ef failing tests run the line, nf failing tests do not, and ep
passing tests run the line (`NeighbourTests.ochiai`).

The coefficient alone cannot rank here: with one failing test and a few others, many lines share one value. So it is one
of five factors, each from 0 to 1. The others: the score from rules and slice, how late the line ran, how much of the
line could be wrong, and whether the line belongs to the test. The factors are multiplied, not added, because one strong
reason to clear a line is enough: a line that every passing test runs stays low, whatever a rule reports. The score
from rules and slice (`known`) has a floor; otherwise a line that no rule matches could never lead.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.source.source_file import FunctionNode, SourceFile, is_user_path
from dap_ai.agent.source.statements import header_nodes
from dap_ai.debuggees.python.analysis.record.enclosing import is_of_test
from dap_ai.debuggees.python.analysis.record.neighbour_tests import NeighbourTests
from dap_ai.debuggees.python.analysis.record.trace_record import Spot

WEIGHTS = {"floor": 0.15, "spectrum": 2.0, "test": 0.02, "plain": 0.3, "last": 1.0}
"""Weights of the factors. `floor`: score of a line known only to have run. `spectrum`: exponent of the Ochiai
coefficient. `test`: factor for a line of the test itself. `plain`: factor for a line with nothing that could be
different. `last`: 1 + `last` is the factor for the line that ran last, before scaling."""
_NO_STEPS = FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Pass | ast.Global | ast.Nonlocal
_PARTS = ast.Compare | ast.BinOp | ast.BoolOp | ast.UnaryOp | ast.IfExp | ast.Call | ast.Subscript | ast.Constant
_MANY = 5


@dataclass
class SpectrumStatement:
    """A statement in a function that the failing test ran."""

    source: SourceFile
    statement: ast.stmt
    ochiai: float = 0.0
    last: int = 0


def spectrum(
    case: StopSnapshot, scores: Mapping[Spot, float], last: Mapping[Spot, int], neighbours: NeighbourTests
) -> dict[Spot, float]:
    """Map each statement that the failing test ran to a score, from its earlier score and all test outcomes.

    `last`: (file, line) -> number of the line's last step.
    """
    found = _lines(case, neighbours)
    end = max(last.values(), default=0) or 1
    for (path, line), step in last.items():
        if known := found.get((path, line)):
            known.last = max(known.last, step)
    return {spot: scored(case, spot, each, scores.get(spot, 0.0), each.last / end) for spot, each in found.items()}


def _lines(case: StopSnapshot, neighbours: NeighbourTests) -> dict[Spot, SpectrumStatement]:
    found: dict[Spot, SpectrumStatement] = {}
    paths = {path for path, _ in neighbours.ran if is_user_path(path)}
    sources = {path: case.sources.read(path) for path in paths}
    for path, line in neighbours.ran:
        source, ochiai = sources.get(path), neighbours.ochiai((path, line))
        statement = source.statement_at(line) if source and ochiai else None
        if source is None or statement is None or isinstance(statement, _NO_STEPS) or not source.function_at(line):
            continue
        known = found.setdefault((path, statement.lineno), SpectrumStatement(source, statement))
        known.ochiai = max(known.ochiai, ochiai)
    return found


def scored(case: StopSnapshot, spot: Spot, line: SpectrumStatement, known: float, recent: float) -> float:
    """Return a line's score. `known`: score from rules and slice; `recent`: when it last ran, 0 (start) to 1 (end)."""
    of_test = _is_of_test(case, line.source, spot)
    return Features(known, recent, line.ochiai, substance(line.statement), of_test).score()


@dataclass(frozen=True)
class Features:
    """The factors of the score of a statement that the failing test ran; numbers from 0 to 1."""

    known: float
    recent: float
    ochiai: float
    substance: float
    is_of_test: bool

    def score(self, weights: Mapping[str, float] = WEIGHTS) -> float:
        """Return the statement's suspicion, 0..1."""
        # Each factor is divided by its maximum, so that weights do not change the scale: the score stays within 0..1.
        score = (weights["floor"] + self.known) / (weights["floor"] + 1)
        score *= (1 + weights["last"] * self.recent) / (1 + weights["last"])
        score *= weights["plain"] + (1 - weights["plain"]) * self.substance
        return score * _share(self.ochiai, weights, is_of_test=self.is_of_test)


def share(case: StopSnapshot, neighbours: NeighbourTests, spot: Spot) -> float:
    """Return how strongly a line is tied to the failing tests, 0..1; lower for a line of the test itself."""
    of_test = _is_of_test(case, case.sources.read(spot[0]), spot)
    return _share(neighbours.ochiai(spot), WEIGHTS, is_of_test=of_test)


def _is_of_test(case: StopSnapshot, source: SourceFile | None, spot: Spot) -> bool:
    function = source.function_at(spot[1]) if source else None
    return is_of_test(case, spot[0], function.name if function else "")


def _share(ochiai: float, weights: Mapping[str, float], *, is_of_test: bool) -> float:
    return ochiai ** weights["spectrum"] * (weights["test"] if is_of_test else 1.0)


def substance(statement: ast.stmt) -> float:
    """Return how much of a statement could be different, 0..1."""
    parts = sum(isinstance(n, _PARTS) for n in header_nodes(statement))
    return min(1.0, parts / _MANY)
