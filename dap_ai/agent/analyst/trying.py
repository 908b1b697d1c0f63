"""Tries fixes in snapshots: those of the rules, then small changes of lines that ran."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable, Sequence
from itertools import chain, islice

from dap_ai.agent.analyst.changes.candidates import Candidate, candidates, distinct
from dap_ai.agent.analyst.edits import Edit
from dap_ai.agent.analyst.evading import evaded
from dap_ai.agent.analyst.hiding import hides
from dap_ai.agent.analyst.impact import change
from dap_ai.agent.analyst.plausibility import doubt_of
from dap_ai.agent.analyst.ranking import Analysis
from dap_ai.agent.analyst.runs import CANNOT, Control, Runs, Verdict
from dap_ai.agent.analyst.trials import Trial, Trials
from dap_ai.agent.case.source import SourceFile, body_fields, is_user_path, last_line

MAX_TRIES = 60
ENOUGH = 12
"""So many verified fixes are plenty to choose from."""
_TOLD_EVERY = 20
_UNSUSPECTED = 0.06
_OF_THE_TEST = 0.5
"""A function that asserts tells of others more than of itself."""

Tell = Callable[[str], None]


async def try_all(runs: Runs, found: list[Candidate], trials: Trials, tell: Tell) -> None:
    """Tries them, the likeliest first, while there is time; tells how far it is."""
    queue, total = iter(found), len(found)

    async def work() -> None:
        for candidate in queue:
            if not runs.has_time or _enough(trials.tried):
                return
            trials.tried.append(await _try_one(runs, candidate, trials.usable))
            if len(trials.tried) % _TOLD_EVERY == 0:
                tell(f"tried {len(trials.tried)} of {total} small fixes in snapshots")

    if total:
        tell(f"trying up to {counted(total, 'small fix', 'small fixes')} in snapshots")
    workers = [asyncio.ensure_future(work()) for _ in range(2)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    if len(trials.tried) > _TOLD_EVERY and len(trials.tried) % _TOLD_EVERY:
        tell(f"tried {len(trials.tried)} of {total} small fixes in snapshots")


def _enough(tried: Sequence[Trial]) -> bool:
    held = [t for t in tried if t.passes and not t.doubt]
    return len(held) >= ENOUGH or any(t.candidate.reason and t.candidate.prior >= 0.5 for t in held)


async def _try_one(runs: Runs, candidate: Candidate, usable: Sequence[Control]) -> Trial:
    """The narrowest check that runs the edited lines, and if that passes, the widest."""
    edit = candidate.edit
    reaching = [c for c in usable if c.ran(edit.source, edit.first, edit.last)] or [usable[-1]]
    verdict, at = Verdict(CANNOT, ""), reaching[0]
    for at in reaching:
        verdict = await runs.attempt([edit], at)
        if verdict.outcome != CANNOT:
            break
    if candidate.reason and not verdict.passes and at is not usable[-1]:
        afresh = await runs.attempt([edit], usable[-1], trace=True)
        verdict, at = (afresh, usable[-1]) if afresh.passes else (verdict, at)
    trial = Trial(candidate, verdict, at_failure=bool(runs.failure and runs.failure.holds(edit)))
    if verdict.passes and at is not usable[-1]:
        trial.widest = await runs.attempt([edit], usable[-1], trace=True)
        if _breaks(edit, trial.widest):
            trial.verdict = trial.widest
    control, last = (usable[-1], trial.widest) if trial.widest else (at, verdict)
    if last.passes and last.result:
        trial.change = change(control.result, last.result, edit)
        trial.doubt = "" if candidate.reason else doubt_of(runs.case, control, last.result, edit)
        if not candidate.reason and not trial.doubt:
            trial.doubt = await evaded(runs, control, edit, last.result)
    return trial


def _breaks(edit: Edit, widest: Verdict) -> bool:
    """Whether the widest run fails in the very function that was edited."""
    raised = widest.result.raised if widest.result and not widest.passes else None
    if raised is None or raised.file != edit.source.path:
        return False
    line = raised.line - edit.growth if raised.line > edit.last + edit.growth else min(raised.line, edit.last)
    return edit.source.scope_at(line) is edit.source.scope_at(edit.first)


def candidates_of(analysis: Analysis, usable: Sequence[Control]) -> list[Candidate]:
    """The fixes of rules, then small changes of lines that ran, the likeliest first."""
    rules = [
        Candidate(f.edit, f.rule, f.weight, 1.0, f.line, f.reason)
        for f in sorted(analysis.findings, key=lambda f: -f.weight)
        if f.edit and f.edit.first > 0 and (f.scope.source.path, f.line) in analysis.scores
    ]
    generated: list[Candidate] = []
    for path in dict.fromkeys(path for c in usable for path, _ in c.counts):
        source = analysis.case.sources.read(path) if is_user_path(path) else None
        if source:
            generated += candidates(source, _suspicion(analysis, source, usable))
    generated.sort(key=lambda c: -c.prior * c.suspicion)
    return list(islice(distinct(chain(rules, (c for c in generated if not hides(c, analysis)))), MAX_TRIES))


def _suspicion(analysis: Analysis, source: SourceFile, usable: Sequence[Control]) -> dict[int, float]:
    """How suspicious each line is that ran in a usable check."""
    place = analysis.diagnosis.place
    own = place.function if source is place.source and isinstance(place.statement, ast.Assert) else None
    found: dict[int, float] = {}
    for line in ran_lines(source, usable):
        if analysis.evidence and not any((source.path, n) in analysis.scores for n in _of_statement(source, line)):
            continue
        factor = _OF_THE_TEST if own and own.lineno <= line <= last_line(own) else 1.0
        found[line] = factor * max(_UNSUSPECTED, analysis.scores.get((source.path, line), 0.0))
    return found


def _of_statement(source: SourceFile, line: int) -> tuple[int, ...]:
    statement = source.statement_at(line)
    return (line, statement.lineno) if statement else (line,)


def ran_lines(source: SourceFile, usable: Sequence[Control]) -> set[int]:
    """Every line of a statement that ran in one of the checks, and the headers of functions that were called."""
    ran = {line for control in usable for path, line in control.counts if path == source.path}
    if source.tree is None:
        return ran
    found = set(ran)
    for node in source.index.statements:
        inner = next(body_fields(node), None)
        own = range(node.lineno, inner[0].lineno if inner else last_line(node) + 1)
        called = isinstance(node, ast.FunctionDef) and ran & set(range(node.body[0].lineno, last_line(node) + 1))
        if called or ran & set(own):
            found |= set(own)
    return found


def counted(count: int, one: str, many: str = "") -> str:
    """`1 snapshot`, `3 snapshots`."""
    return f"{count} {one if count == 1 else many or one + 's'}"
