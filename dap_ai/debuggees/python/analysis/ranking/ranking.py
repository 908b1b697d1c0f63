"""Ranks suspicious lines from findings and the slice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.report.sections import THE_FAILED_LINE
from dap_ai.agent.source.source_file import FunctionNode, is_user_path
from dap_ai.agent.source.statements import header_expressions, last_line
from dap_ai.debuggees.python.analysis.contrast.failure_record import FailureRecord
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.failure.failures import diagnose
from dap_ai.debuggees.python.analysis.ranking.rules import TABLE
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.slice.slicing import BackwardSlice, Slicer, SliceStep, part_of
from dap_ai.debuggees.python.analysis.syntax.cleanup import Cleanup
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver, reach
from dap_ai.protocol.wire.ask_messages import Suspect
from dap_ai.system.texts import code

MAX_SUSPECTS = 10
TOLD_SUSPECTS = 4
"""Number of suspects that an answer names, including the root cause."""
IF_IT_RAN = ", if it ran"
"""Suffix of the reason for a line that may not have run."""
_LEAST_REASON = 0.45
"""Minimum weight of a finding that may name the cause. The line of a weaker finding is only a suspect."""
_DISPLAY = ast.Constant | ast.List | ast.Dict | ast.Tuple
_NO_STEPS = FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom
_OF_CHECKS = frozenset({"float equality", "identity"})
"""Rules whose mistake can be in the failed check itself."""


@dataclass
class StopAnalysis:
    """The result of analysing one stop."""

    case: StopSnapshot
    diagnosis: Diagnosis
    view: RuleContext
    slice: BackwardSlice
    findings: list[SuspectedMistake]
    suspects: list[Suspect] = field(default_factory=list[Suspect])
    scores: dict[tuple[str, int], float] = field(default_factory=dict[tuple[str, int], float])
    """Scores of suspicious lines, 0..1."""
    reasons: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    founded: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """Lines whose reason states what is wrong there, not only how the line took part in the failure."""
    scopes: dict[tuple[str, int], tuple[FunctionScope, int]] = field(
        default_factory=dict[tuple[str, int], tuple[FunctionScope, int]]
    )
    seen: FailureRecord | None = None
    """Evidence from the rerun; None unless its steps were recorded."""
    cut_short: str = ""
    """A sentence on why the analysis is incomplete; empty if it is complete."""
    had_run: Callable[[str, int], bool | None] = field(default=lambda _path, _line: True)
    """Whether a line (path, number) had run when the program failed; None if unknown. Answers omit lines that had not
    run."""

    share: Callable[[tuple[str, int]], float] = field(default=lambda _spot: 1.0)
    """How strongly a line is tied to the failing tests, 0..1; 1 without test evidence."""

    def finding_at(self, file: str, line: int, *, with_fix: bool = False) -> SuspectedMistake | None:
        """Return the finding with the highest weight at a line, or None. `with_fix`: only findings with a fix."""
        here = [f for f in self.findings if f.scope.source.path == file and f.line == line]
        known = [f for f in here if f.edit or not with_fix]
        return max(known, key=lambda f: (f.weight, f.edit is not None), default=None)

    def step_at(self, file: str, line: int) -> SliceStep | None:
        """Return the slice's step at a line, or None."""
        return next((s for s in self.slice.steps if s.scope.source.path == file and s.line == line), None)

    @property
    def cause(self) -> Suspect | None:
        """The first suspect if its reason states what is wrong; None if the cause is unknown."""
        first = self.suspects[0] if self.suspects else None
        return first if first and (first.file, first.line) in self.founded else None

    def blame(self, key: tuple[str, int], reason: str) -> None:
        """Record what is wrong at a line."""
        self.reasons[key] = reason
        self.founded.add(key)

    def rank(self) -> None:
        """Rank the lines by the static analysis."""
        _score(self)
        self.leave_out_what_never_ran()
        self.order()

    def never_ran(self, path: str, line: int) -> bool:
        """Whether a line is known not to have run before the failure."""
        return self.had_run(path, line) is False

    def leave_out_what_never_ran(self) -> None:
        """Drop lines that never ran: they had no part in the failure."""
        for key in [key for key in self.scores if self.never_ran(*key)]:
            del self.scores[key]

    def order(self) -> None:
        """Rebuild the suspects from the scores, most suspicious first."""
        scores = self.scores
        if self._raised in self.reasons:
            scores.setdefault(self._raised, WEIGHTS.failed)  # it ran, even if passing tests run it, too
        told = [key for key in scores if key not in self.diagnosis.cleared and not self.never_ran(*key)]
        order = sorted(told, key=lambda k: (-scores[k], k))[:MAX_SUSPECTS]
        top = max(scores[order[0]], 0.5) if order else 1.0
        self.suspects = [
            Suspect(*key, round(scores[key] / top, 3), self._reason(key)) for key in self._with_crash_line(order)
        ]

    def _reason(self, key: tuple[str, int]) -> str:
        return self.reasons[key] + ("" if self.had_run(*key) else IF_IT_RAN)

    @property
    def _raised(self) -> tuple[str, int]:
        """The (file, line) that raised the exception in a value of a failed check; ("", 0) if there is none."""
        frame = self.case.held[1].places[0].frame if self.case.held else None
        return (frame.path, frame.line) if frame else ("", 0)

    def _with_crash_line(self, order: list[tuple[str, int]]) -> list[tuple[str, int]]:
        """Return the order with the line that crashed among the suspects that an answer names.

        If a failed check's value stores an exception, the line that raised it comes first, or second after a cause.
        """
        if self._raised in self.scores:
            before = [key for key in order[:1] if key in self.founded]
            return list(dict.fromkeys([*before, self._raised, *order]))[:MAX_SUSPECTS]
        frame = self.diagnosis.place.frame
        failed = (frame.path, frame.line)
        if failed not in self.scores or _is_check(self) or failed in order[:TOLD_SUSPECTS]:
            return order
        return [*order[: TOLD_SUSPECTS - 1], failed, *(key for key in order[TOLD_SUSPECTS - 1 :] if key != failed)]


def outline(case: StopSnapshot) -> StopAnalysis | None:
    """Return a quick analysis of the failing line and its callers; None if no frame has source."""
    diagnosis = diagnose(case)
    if diagnosis is None:
        return None
    resolver = Resolver(case.sources, case.places)
    view = RuleContext(case, diagnosis, BackwardSlice(), resolver, {})
    analysis = StopAnalysis(case, diagnosis, view, view.slice, [])
    analysis.rank()
    for distance, place in enumerate(case.places[1:]):
        key = (place.frame.path, place.frame.line)
        analysis.scores.setdefault(key, WEIGHTS.caller * WEIGHTS.further**distance)
        analysis.reasons.setdefault(key, f"the call in {code(place.frame.name)}")
    analysis.order()
    return analysis


def analyse(
    case: StopSnapshot, roots: list[ast.expr] | None = None, asked: FramePlace | None = None
) -> StopAnalysis | None:
    """Return the full analysis of a stop, or None if no frame has source.

    `roots`: expressions of the frame `asked` to explain instead of the failure.
    """
    diagnosis = diagnose(case)
    if diagnosis is None:
        return None
    resolver = Resolver(case.sources, case.places)
    scopes = [s for p in case.places if (s := resolver.of_place(p))]
    at = asked if roots and asked else diagnosis.place
    start = next((s for s in scopes if s.place is at), None)
    reached = reach(resolver, scopes)  # loads the files in which the slice searches for writers of an attribute
    slicer = Slicer(resolver)
    if start:
        line = at.frame.line
        evaluated = header_expressions(at.statement) if at.statement else []
        wanted = roots or [*diagnosis.roots, *evaluated]
        ends = [*_round_ends(at.statement), line] if roots else [line]
        slicer.run([(start, root, end) for end in ends for root in wanted])
    for key, (scope, distance) in slicer.slice.scopes.items():
        reached[key] = (reached[key][0] if key in reached else scope, min(distance, reached.get(key, (scope, 99))[1]))
    return ranked(RuleContext(case, diagnosis, slicer.slice, resolver, reached))


def ranked(view: RuleContext) -> StopAnalysis:
    """Return an analysis with the findings of all rules, and with the lines ranked by these findings."""
    analysis = StopAnalysis(view.case, view.diagnosis, view, view.slice, _apply(view), scopes=view.scopes)
    late = late_at(view.case)
    analysis.had_run = lambda path, line: not late(path, line)
    analysis.rank()
    return analysis


def late_at(case: StopSnapshot) -> Callable[[str, int], bool]:
    """Return a predicate: whether line (path, number) is known to run only after the failure."""
    cleanup = Cleanup(case)
    return lambda path, line: cleanup.holds(path, line) or _is_to_come(case, path, line)


def _is_to_come(case: StopSnapshot, path: str, line: int) -> bool:
    """Whether a module-level line has not run yet, because its module's frame is at an earlier statement.

    If the module is already imported: whether the line is in a handler for a failed import, which rarely runs.
    """
    frame = next((f for f in case.frames if f.path == path and f.name == "<module>"), None)
    source = case.sources.read(path)
    if source is None or source.tree is None or source.function_at(line) is not None:
        return False
    if frame is None:
        return any(h.lineno < line <= (h.end_lineno or 0) for s in source.tree.body for h in _without_import(s))
    return any(s.lineno <= frame.line <= last_line(s) < line for s in source.tree.body)


def _without_import(statement: ast.stmt) -> Iterator[ast.ExceptHandler]:
    for handler in statement.handlers if isinstance(statement, ast.Try) else ():
        if isinstance(handler.type, ast.Name) and handler.type.id in ("ImportError", "ModuleNotFoundError"):
            yield handler


def _round_ends(statement: ast.stmt | None) -> list[int]:
    """Return the line after a loop's body, because the last iteration set the value; empty if not a loop."""
    return [last_line(statement.body[-1]) + 1] if isinstance(statement, ast.For | ast.While) else []


def _apply(view: RuleContext) -> list[SuspectedMistake]:
    findings: list[SuspectedMistake] = []
    for scope, _ in view.scopes.values():
        for rule in TABLE:
            findings += [f for f in rule(scope, view) if is_user_path(f.scope.source.path) or f.scope.place]
    return [f for f in findings if not any(claim.is_refuted(f.scope) for claim in f.claims)]


def _score(analysis: StopAnalysis) -> None:
    scores: dict[tuple[str, int], float] = {}
    reasons: dict[tuple[str, int], tuple[float, str, bool]] = {}

    def add(key: tuple[str, int], score: float, reason: str, *, founded: bool) -> None:
        scores[key] = 1 - (1 - scores.get(key, 0.0)) * (1 - min(score, 0.99))
        if score > reasons.get(key, (0.0, "", False))[0]:
            reasons[key] = (score, reason, founded)

    place = analysis.diagnosis.place
    failed = (place.frame.path, place.frame.line)
    assertion = _is_check(analysis)
    if analysis.case.exception:
        told = analysis.diagnosis.sentences
        reason = THE_FAILED_LINE + (f": {told[0].rstrip('.')}" if told else "")
        weight = WEIGHTS.failed_check if assertion else WEIGHTS.failed
        add(failed, weight, reason, founded=bool(told) and not assertion)
    for step in analysis.slice.steps:
        key = (step.scope.source.path, step.line)
        if key != failed and not isinstance(step.statement, _NO_STEPS):
            add(key, _step_score(step, place.statement), part_of(step), founded=False)
    for finding in analysis.findings:
        key = (finding.scope.source.path, finding.line)
        if key != failed or not assertion or finding.rule in _OF_CHECKS:
            add(key, _weight(finding, analysis), finding.reason, founded=finding.weight >= _LEAST_REASON)
    for suspect, reason in _kept_suspects(*analysis.case.held) if analysis.case.held else ():
        add((suspect.file, suspect.line), WEIGHTS.held * suspect.score, reason, founded=False)
    analysis.scores = scores
    analysis.reasons = {key: reason for key, (_, reason, _) in reasons.items()}
    analysis.founded = {key for key, (_, _, founded) in reasons.items() if founded}


def _kept_suspects(expression: str, there: StopSnapshot) -> Iterator[tuple[Suspect, str]]:
    """Yield the line that raised an exception in a value of a failed check, and the calls to it, with reasons."""
    error, found = there.exception, outline(there)
    for suspect in found.suspects if found else ():
        is_where = suspect.reason.startswith(THE_FAILED_LINE)
        yield (
            suspect,
            f"raised {code(error.type)}, which {code(expression)} holds" if error and is_where else suspect.reason,
        )


def _is_check(analysis: StopAnalysis) -> bool:
    error, statement = analysis.case.exception, analysis.diagnosis.place.statement
    return isinstance(statement, ast.Assert | ast.Raise) or bool(error and error.type == "AssertionError")


def _step_score(step: SliceStep, failed: ast.stmt | None) -> float:
    score = WEIGHTS.step * WEIGHTS.further**step.distance
    statement = step.statement
    assertion, refusal = isinstance(failed, ast.Assert), isinstance(failed, ast.Raise)
    if isinstance(step.scope.node, ast.Module):
        score *= WEIGHTS.at_module
    elif assertion and step.scope.place is not None:
        score *= WEIGHTS.beside_check
    if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, _DISPLAY):
        score *= WEIGHTS.display
    if step.role == "argument" and not refusal:
        score *= WEIGHTS.argument
    if step.role == "written" and refusal:
        score *= WEIGHTS.written
    if step.role == "written" and step.scope.name.endswith("__init__"):
        score *= WEIGHTS.begins
    return score


def _weight(finding: SuspectedMistake, analysis: StopAnalysis) -> float:
    known = analysis.scopes.get(finding.scope.key())
    distance = known[1] if known else 6
    in_slice = analysis.step_at(finding.scope.source.path, finding.line) is not None
    return finding.weight * (1.0 if in_slice else WEIGHTS.outside) * WEIGHTS.away**distance
