"""What speaks for a fix beside the failing check: a rule, other checks that rest on its line, other tests."""

from __future__ import annotations

import ast
import asyncio

from dap_ai.agent.analyst import assertions, neighbours
from dap_ai.agent.analyst.check import Check
from dap_ai.agent.analyst.enclosing import test_of
from dap_ai.agent.analyst.neighbours import Neighbours
from dap_ai.agent.analyst.ranking import Analysis
from dap_ai.agent.analyst.runs import Control, Runs, Unavailable
from dap_ai.agent.analyst.trials import Trial, Trials
from dap_ai.protocol.contracts.snapshot import Trace
from dap_ai.protocol.wire.errors import RequestFailed

LEAST_CHECKS = 2
"""So many other checks of a test must rest on a line for a change of it to be shown; of a program, one."""
MOST_PROVED = 4
LEAST_WEIGHT = 0.3
"""So sure must a rule be of a line for a change of it to be shown."""


def prove(analysis: Analysis, trials: Trials) -> None:
    """Says of each fix that passes what else speaks for it: a rule, or checks that rest on its line and pass."""
    least = LEAST_CHECKS if test_of(analysis.case) else 1
    for trial in trials.tried:
        if not trial.verified or trial.doubt:
            continue
        known = analysis.finding_at(*trial.place)
        if trial.candidate.reason or (known and known.weight >= LEAST_WEIGHT):
            trial.proof = "a known mistake"
        elif (count := _before(analysis, trial) + _after(analysis, trial, trials.usable[-1])) >= least:
            checks = "1 other check that rests" if count == 1 else f"{count} other checks that rest"
            trial.proof = f"{checks} on this line {'passes' if count == 1 else 'pass'} with it"


def _before(analysis: Analysis, trial: Trial) -> int:
    return analysis.evidence.passing[trial.place] if analysis.evidence else 0


def _after(analysis: Analysis, trial: Trial, control: Control) -> int:
    """How many checks ran with it that the failure had kept from running, where its line ran more often, too."""
    edit, case = trial.candidate.edit, analysis.case
    trace = (trial.outcome and trial.outcome.trace) or Trace()
    now = {(t.file, t.line): t.count for t in trace.lines}
    spots = [(edit.source.path, n) for n in range(edit.first, max(edit.first, edit.last) + 1)]
    if all(now.get(spot, 0) <= control.counts.get(spot, 0) for spot in spots):
        return 0
    source = case.places[0].source
    if source is None or (edit.growth and source is edit.source):
        return 0
    checks = [s for s in source.index.statements if isinstance(s, ast.Assert) or assertions.called(s)]
    keys = [(source.path, s.lineno) for s in checks]
    return sum(key in now and key not in control.counts for key in keys)


async def prove_by(runs: Runs, beside: Check, trials: Trials, before: Neighbours) -> None:
    """Runs the tests beside it with the best fixes: those that break one of them are none."""
    best = [t for t in trials.passing if t.verified and not t.doubt][:MOST_PROVED]

    async def one(trial: Trial) -> None:
        edit = trial.candidate.edit
        try:
            result = await runs.run(beside.query([edit], deadline_s=neighbours.DEADLINE_S))
        except (Unavailable, RequestFailed, ValueError):
            return
        after = neighbours.told(result)
        broken = before.broken(after) if after else before.count
        if broken:
            trial.doubt = f"{broken} other tests that passed fail"
        elif before.count and before.runs(edit.source.path, range(edit.first, max(edit.first, edit.last) + 1)):
            trial.proof = f"{before.count} other tests that passed still do"

    await asyncio.gather(*map(one, best))
