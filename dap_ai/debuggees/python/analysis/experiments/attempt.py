"""Tries one fix: with the narrowest check that runs its lines, then the widest check, then the neighbour tests.

Narrow checks come first because most fixes fail, and a narrow check (a rerun statement or call) shows that fastest. A
pass of a narrow check proves little: the check starts from existing values and covers only a part of the program. So a
passing fix then runs in the widest check, which starts anew, and then in the tests that run the edited line. Each stage
stops at a doubt: lines no longer run, the failed operation is skipped, another test breaks.
"""

from __future__ import annotations

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.debuggees.python.analysis.experiments.evaded_failure import evaded
from dap_ai.debuggees.python.analysis.experiments.plausibility import doubt_of
from dap_ai.debuggees.python.analysis.ranking.trials import Candidate, Trial, Trials
from dap_ai.debuggees.python.analysis.record.check_runs import CANNOT, CheckRuns, FixVerdict
from dap_ai.debuggees.python.analysis.record.impact import change
from dap_ai.debuggees.python.analysis.record.neighbour_tests import NeighbourTests, judged, upheld


async def attempt(runs: CheckRuns, candidate: Candidate, trials: Trials) -> Trial:
    """Try a fix with the narrowest check that runs its lines, then with the widest check and the neighbour tests."""
    edit, usable = candidate.edit, trials.usable
    reaching = [c for c in usable if c.ran(edit.source, edit.first, edit.last)]
    reaching = reaching or [c for c in usable[-1:] if c.check.whole]
    verdict, at = FixVerdict(CANNOT, ""), usable[-1]
    for at in reaching:
        verdict = await runs.attempt([edit], at)
        if verdict.outcome != CANNOT:
            break
    # A fix with a rule's reason is also tried by the widest check, which starts anew, while the narrow one continues
    # with values made without the edit. Generated fixes are too many for that.
    if candidate.reason and not verdict.passes and at is not usable[-1]:
        afresh = await runs.attempt([edit], usable[-1], trace=True)
        verdict, at = (afresh, usable[-1]) if afresh.passes else (verdict, at)
    trial = Trial(candidate, verdict, at_failure=bool(runs.failure and runs.failure.holds(edit)))
    if verdict.passes and at is not usable[-1]:
        trial.widest = await runs.attempt([edit], usable[-1], trace=True)
        # Passing the narrow check and then failing in the edited function is a failure. Failing elsewhere does not
        # count against the edit here: both verdicts are kept.
        if _breaks(edit, trial.widest):
            trial.verdict = trial.widest
    control, last = (usable[-1], trial.widest) if trial.widest else (at, verdict)
    if last.passes and last.result:
        trial.change = change(control.result, last.result, edit)
        trial.doubt = "" if candidate.reason else doubt_of(runs.case, control, last.result, edit)
        if not candidate.reason and not trial.doubt:
            trial.doubt = await evaded(runs, control, edit, last.result)
        if not trial.doubt:
            await _judge(runs, trial, trials.neighbours)
    return trial


async def _judge(runs: CheckRuns, trial: Trial, neighbours: NeighbourTests | None) -> None:
    """Run the neighbour tests with the trial's fix, and update the trial's verdict."""
    found = await judged(runs, neighbours, [trial.candidate.edit])
    trial.beside = found.words
    if trial.widest and not found.broken:
        trial.widest = upheld(trial.widest, found)
    else:
        trial.verdict = upheld(trial.verdict, found)


def _breaks(edit: SourceEdit, widest: FixVerdict) -> bool:
    """Whether the widest run fails in the edited function itself."""
    raised = widest.result.raised if widest.result and not widest.passes else None
    if raised is None or raised.file != edit.source.path:
        return False
    line = raised.line - edit.growth if raised.line > edit.last + edit.growth else min(raised.line, edit.last)
    return edit.source.scope_at(line) is edit.source.scope_at(edit.first)
