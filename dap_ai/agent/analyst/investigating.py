"""Runs the failure again, ranks by what that shows, tries fixes and proves them; bounded in time and number."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

from dap_ai.agent.analyst import neighbours
from dap_ai.agent.analyst.check import Check, failure_of
from dap_ai.agent.analyst.checks import checks_of
from dap_ai.agent.analyst.enclosing import own_folders
from dap_ai.agent.analyst.neighbours import neighbours_of
from dap_ai.agent.analyst.proving import prove, prove_by
from dap_ai.agent.analyst.ranking import Analysis
from dap_ai.agent.analyst.runs import BUDGET_S, Control, Runs
from dap_ai.agent.analyst.trials import Trials
from dap_ai.agent.analyst.trying import Tell, candidates_of, counted, try_all
from dap_ai.agent.analyst.weighing import weigh
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

_LATE = 1.25
"""Copies end by their own deadlines; so much later, whatever is still waited for is given up."""
NO_TIME = "there was no time to run the failure again"


async def investigate(
    debugger: Debugger, analysis: Analysis, tell: Tell, budget_s: float = BUDGET_S, clock_s: float = math.inf
) -> Trials:
    """Runs the checks, then the candidate fixes. What a resume or a failure cuts short stands as far as it came.

    So does what time does: see Runs.
    """
    failure = failure_of(analysis.case)
    checks = checks_of(analysis.case) if failure else []
    trials = Trials()
    if failure is None or not checks:
        trials.why_not = "no statement of the program can be rerun here"
        return trials
    runs = Runs(debugger, analysis.case, failure, budget_s, clock_s=clock_s, folders=own_folders(analysis.case))
    tell(f"running the failure again in {counted(len(checks), 'snapshot')}")
    try:
        await asyncio.wait_for(_rerun(runs, checks, analysis, trials, tell), _LATE * clock_s)
    except asyncio.TimeoutError:
        trials.why_not = trials.why_not if trials.usable else NO_TIME
    except NotStopped:
        trials.why_not = trials.why_not or "the program has continued meanwhile"
    except RequestFailed as error:
        trials.why_not = error.user_text
    return trials


async def _rerun(runs: Runs, checks: Sequence[Check], analysis: Analysis, trials: Trials, tell: Tell) -> None:
    beside = neighbours_of(analysis.case)
    ran = runs.run(beside.query(trace=True, deadline_s=neighbours.DEADLINE_S)) if beside else _nothing()
    trials.controls, tests = await asyncio.gather(runs.controls(checks), ran)
    trials.neighbours = neighbours.told(tests) if tests else None
    if not trials.usable:
        trials.why_not = _why_not(trials.controls)
        return
    await asyncio.to_thread(weigh, analysis, trials)
    found = await asyncio.to_thread(candidates_of, analysis, trials.usable)
    await try_all(runs, found, trials, tell)
    prove(analysis, trials)
    if beside and trials.neighbours:
        await prove_by(runs, beside, trials, trials.neighbours)


async def _nothing() -> None:
    return None


def _why_not(controls: Sequence[Control]) -> str:
    reasons = list(dict.fromkeys(control.why_not for control in controls))
    return "; ".join(reasons[:2])
