"""The ranking by evidence: what the failing value depended on, less what passing checks depend on, too.

Rules multiply what evidence has made possible; outside of the slice they say nothing about this failure.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dap_ai.agent.analyst import assertions
from dap_ai.agent.analyst.enclosing import is_of_tests
from dap_ai.agent.analyst.evidence.dependence import DynamicSlice, Part, slice_of
from dap_ai.agent.analyst.evidence.oddities import Oddity, atoms, oddities
from dap_ai.agent.analyst.evidence.record import Event, Record, Spot
from dap_ai.agent.analyst.evidence.spectrum import Spectrum
from dap_ai.agent.analyst.evidence.weights import WEIGHTS
from dap_ai.agent.analyst.facts import Diagnosis
from dap_ai.agent.analyst.findings import Finding
from dap_ai.agent.case.source import FunctionNode
from dap_ai.agent.case.values import cut

_MAX_PASSING = 6
_DISPLAY = ast.Constant | ast.List | ast.Dict | ast.Tuple | ast.Set
_GIVEN = ast.Name | ast.Constant | ast.Attribute
_UNSAID = ast.Import | ast.ImportFrom | ast.ClassDef | FunctionNode


@dataclass(frozen=True)
class Features:
    """What is known of a line, from which its score is made."""

    distance: int
    role: str
    ochiai: float
    oddity: float = 0.0
    rules: tuple[tuple[str, float], ...] = ()
    """Their names, and how sure each is."""
    ran: bool = True
    module: bool = False
    display: bool = False
    test: bool = False

    def score(self, weights: Mapping[str, float] = WEIGHTS) -> float:
        """How suspicious the line is; comparable within one failure only."""
        score = weights["distance"] ** self.distance * weights.get(self.role, 1.0) * self.ochiai ** weights["spectrum"]
        flags = {"module": self.module, "display": self.display, "test": self.test, "not run": not self.ran}
        for name, holds in flags.items():
            score *= weights[name] if holds else 1.0
        known = max((weights.get(rule, 1.0) * sure for rule, sure in self.rules), default=0.0)
        return score * (1 + weights["rule"] * known) * (1 + weights["oddity"] * self.oddity)


@dataclass
class Evidence:
    """What one traced run shows of a failure."""

    record: Record
    failure: Event
    slice: DynamicSlice
    oddities: list[Oddity]
    passing: Counter[Spot]
    """Of each line, how many checks that passed depended on it."""
    spectrum: Spectrum = field(default_factory=Spectrum)
    """Of the tests beside it."""

    def features(self, findings: Sequence[Finding]) -> dict[Spot, Features]:
        """What is known of each line that may be wrong."""
        lines = self.slice.lines()
        found = {spot: self._known(spot, part) for spot, part in lines.items() if _may_be_wrong(part)}
        nearest: dict[int, Features] = {}
        for part in self.slice.parts:
            if part.event.spot in found:
                nearest.setdefault(id(part.event.run.scope), found[part.event.spot])
        for finding in findings:
            spot = finding.scope.source.path, finding.line
            known = found.get(spot) or nearest.get(id(finding.scope.node))
            if known is not None:
                # a line that did not run is suspected only by what is missing there
                own = known if spot in found else replace(known, ran=False, oddity=0.0, rules=())
                found[spot] = replace(own, rules=(*own.rules, (finding.rule, finding.weight)))
        return found

    def _known(self, spot: Spot, part: Part) -> Features:
        statement, run = part.event.statement, part.event.run
        odd = self.oddity_at(spot)
        return Features(
            part.distance,
            "hands on" if _only_hands_on(part) else part.role,
            self.spectrum.ochiai(spot, self.passing[spot]),
            odd.weight if odd else 0.0,
            module=isinstance(run.scope, ast.Module),
            display=isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, _DISPLAY),
            test=is_of_tests(run.source.path) or _checks(run.scope),
        )

    def reasons(self) -> dict[Spot, str]:
        """Why each line is suspected, in words."""
        found = {spot: _said(part) for spot, part in self.slice.lines().items()}
        for oddity in reversed(self.oddities):
            found[oddity.event.spot] = told(oddity)
        return found

    def oddity_at(self, spot: Spot) -> Oddity | None:
        """What stands out at a line."""
        return next((o for o in self.oddities if o.event.spot == spot), None)


def evidence_of(record: Record, diagnosis: Diagnosis) -> Evidence | None:
    """What a run shows that failed as the program did; None where the failing statement is not in the record."""
    place = diagnosis.place
    statement = place.statement
    failure = record.end(place.frame.path, statement) if statement else None
    if failure is None:
        return None
    sliced = slice_of(record, failure, diagnosis.roots)
    odd = oddities(record, sliced, disputed(diagnosis))
    return Evidence(record, failure, sliced, odd, _passing(record, failure))


def disputed(diagnosis: Diagnosis) -> set[str]:
    """The literals of what was found and not expected; of a crash, a None that is in its values."""
    place, statement = diagnosis.place, diagnosis.place.statement
    sides: list[ast.expr] = []
    match statement:
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            sides = [left, right]
        case ast.Expr(value=ast.Call(args=[left, right, *_])) if assertions.called(statement):
            sides = [left, right]
        case _:
            texts = [v.text for c in diagnosis.cited if (v := place.value(c.expression))]
            return {"None"} & {atom for text in texts for atom in atoms(text)}
    found = [value.text if (value := place.value(side)) else "" for side in sides]
    return atoms(found[0]) ^ atoms(found[1]) if all(found) else set()


def told(oddity: Oddity) -> str:
    """`amount` became `nan` here (the first `nan` of the run), from `row` = `{...}`."""
    verb = "returned" if oddity.name.endswith("()") else "became"
    head = f"`{oddity.name}` {verb} `{cut(oddity.text, 60)}` ({oddity.why})"
    return f"{head}, in {oddity.datum}" if oddity.datum else head


def _passing(record: Record, failure: Event) -> Counter[Spot]:
    """How many earlier checks that passed depended on each line."""
    checks = [e for e in record.until(failure) if _is_check(e.statement) and e.statement is not failure.statement]
    found: Counter[Spot] = Counter()
    for check in checks[-_MAX_PASSING:]:
        found.update(set(slice_of(record, check).lines()))
    return found


def _is_check(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assert) or bool(assertions.called(statement))


def _may_be_wrong(part: Part) -> bool:
    statement = part.event.statement
    gives_nothing = isinstance(statement, ast.Return) and statement.value is None
    if isinstance(statement, _UNSAID) or (gives_nothing and part.event.run.name == "__init__"):
        return False
    return part.distance > 0 or not _is_check(statement)


def _only_hands_on(part: Part) -> bool:
    """Whether it returns what was computed, decided or given elsewhere."""
    statement = part.event.statement
    return part.role == "returns" and isinstance(statement, ast.Return) and isinstance(statement.value, _GIVEN)


def _checks(scope: ast.AST) -> bool:
    """Whether a function is there to check others."""
    return isinstance(scope, FunctionNode) and any(map(_is_check, scope.body))


def _said(part: Part) -> str:
    words = {
        "sets": "sets `{}`",
        "changes": "changes `{}`",
        "passes": "passes the argument `{}`",
        "returns": "computes what `{}` returns",
        "writes": "writes `{}`",
        "calls": "calls `{}`",
        "ends": "is where `{}` ended, without a `return`",
        "decides": "decided which way was taken",
        "failed": "the line that failed",
    }
    said = words[part.role].format(part.name)
    if _only_hands_on(part):
        said = f"is where `{part.name}` returned"
    value = part.event.values.get(part.name)
    return f"{said}, to `{cut(value, 50)}`" if value and part.role in ("sets", "changes") else said


def chain(evidence: Evidence, spots: Iterable[Spot], limit: int) -> Iterator[Part]:
    """The parts to tell: the nearest ones, and those of these lines; nearest first."""
    wanted = set(spots)
    lines = [p for p in evidence.slice.lines().values() if p.distance and not isinstance(p.event.statement, _UNSAID)]
    nearest = [p for p in lines if p.role not in ("decides", "calls")][:limit]
    chosen = [p for p in lines if p.event.spot in wanted]
    kept = {id(p): p for p in [*chosen, *nearest]}
    yield from sorted(list(kept.values())[:limit], key=lambda p: p.distance)
