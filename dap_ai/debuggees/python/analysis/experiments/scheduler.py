"""Schedules runs in copies: reruns the failure, then tries fixes, within limits of time and number.

A run in a copy costs milliseconds of processor time, and all runs together have 1.2 s (`BUDGET_S`). So:

1. The control runs start before the ranking, because the ranking uses their results. Only a check that fails as the
   program did is used; a fix that passes another check would prove nothing.
2. The widest check and the neighbour tests go first, two at a time, since both are traced and need a processor each.
3. Then four workers take candidates from one iterator, most likely first. There is no batch to wait for, and the
   budget cuts off only the least likely candidates.
4. The search stops at the first passing fix that a likely rule proposed, or at 12 passing fixes.

Running out of time is an ordinary end: finished results are kept, runs in progress are cancelled.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.debuggees.python.analysis.experiments.attempt import attempt
from dap_ai.debuggees.python.analysis.experiments.proposals import proposals
from dap_ai.debuggees.python.analysis.ranking.rank_update import update_ranking
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.trials import MAX_TRIES, Candidate, Trial, Trials
from dap_ai.debuggees.python.analysis.record.check_plan import checks_of
from dap_ai.debuggees.python.analysis.record.check_runs import AT_ONCE, BUDGET_S, CheckRuns, Control
from dap_ai.debuggees.python.analysis.record.enclosing import own_folders
from dap_ai.debuggees.python.analysis.record.failure_check import FailureCheck, failure_of
from dap_ai.debuggees.python.analysis.record.neighbour_tests import neighbours_of
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.system.texts import counted

ENOUGH = 12
"""Number of passing fixes at which the search stops."""
_TOLD_EVERY = 20
_TRACED_AT_ONCE = 2
"""Maximum number of traced runs at once: each needs a processor, while a failing fix needs little."""
_LATE = 1.25
"""Waiting stops after the time limit times this factor. Copies end earlier, by their own deadlines."""
_TIME_TO_SEE, _TIME_TO_SEE_MOST, _AGES_S = 0.6, 0.9, 1e6
"""Maximum shares of the time left for reproducing the failure: for all checks, and for the widest check. `_AGES_S`
replaces an infinite time."""
NO_TIME = "there was no time to run the failure again"

Tell = Callable[[str], None]


class Investigation:
    """Reruns the failure, starting at once and without a ranking; then tries the fixes that a ranking proposes.

    If a resume, an error or a time limit ends the investigation early, partial results are kept.
    """

    def __init__(
        self, debugger: Debugger, case: StopSnapshot, tell: Tell, budget_s: float = BUDGET_S, clock_s: float = math.inf
    ) -> None:
        """Start rerunning the failure. Requires a running event loop; call `aclose` when done."""
        self._trials = trials = Trials(most=int(MAX_TRIES * budget_s / BUDGET_S))
        self._tell = tell
        self._ends = time.monotonic() + _LATE * clock_s
        failure = failure_of(case)
        checks = checks_of(case) if failure else []
        self._runs = CheckRuns(debugger, case, failure, budget_s, clock_s=clock_s, folders=own_folders(case))
        self._again: asyncio.Task[None] | None = None
        if checks:
            tell(f"running the failure again in {counted(len(checks), 'snapshot')}")
            self._again = asyncio.ensure_future(_control(self._runs, checks, trials))

    async def tried(self, analysis: StopAnalysis) -> Trials:
        """Try fixes, update the ranking with the evidence, and return the results of all runs."""
        trials = self._trials
        if self._again is None:
            trials.why_not = "no statement of the program can be rerun here"
            return trials
        left_s = None if self._ends == math.inf else max(0.0, self._ends - time.monotonic())
        try:
            await asyncio.wait_for(self._try(self._again, analysis), left_s)
        except asyncio.TimeoutError:
            trials.why_not = trials.why_not if trials.usable else NO_TIME
        except NotStopped:
            trials.why_not = trials.why_not or "the program has continued meanwhile"
        except RequestFailed as error:
            trials.why_not = error.user_text
        return trials

    async def aclose(self) -> None:
        """Cancel the runs that are still in progress."""
        if self._again is not None:
            self._again.cancel()
            await asyncio.gather(self._again, return_exceptions=True)

    async def _try(self, again: asyncio.Task[None], analysis: StopAnalysis) -> None:
        trials = self._trials
        await again
        await asyncio.to_thread(update_ranking, analysis, trials.controls, trials.neighbours)
        if not trials.usable:
            reasons = list(dict.fromkeys(control.why_not for control in trials.controls))
            trials.why_not = "; ".join(reasons[:2]) or NO_TIME
            return
        found = await asyncio.to_thread(proposals, analysis, trials.usable, trials.most)
        await _try_all(self._runs, found, trials, self._tell)
        has_more = len(trials.tried) == trials.most or (len(trials.tried) < len(found) and self._runs.left_s > 0)
        trials.has_more = has_more and not _enough(trials.tried)


async def _control(runs: CheckRuns, checks: Sequence[FailureCheck], trials: Trials) -> None:
    """Run all checks without edits, the widest check and the neighbour tests first; drop checks that are late."""
    controls: dict[int, Control] = {}
    traced = asyncio.Semaphore(_TRACED_AT_ONCE)

    async def run(number: int) -> None:
        async with traced:
            controls[number] = await runs.control(checks[number])
        trials.controls = [controls[n] for n in sorted(controls)]

    async def beside() -> None:
        async with traced:
            trials.neighbours = await neighbours_of(runs)

    # Waits up to 90 % of the time left for the widest check and the neighbour tests, because nothing can be judged
    # without them; for the others only up to 60 %, so that fixes get the rest.
    order = sorted(range(len(checks)), key=lambda n: (not checks[n].whole, n))
    tasks = [asyncio.ensure_future(each) for each in (*map(run, order[:1]), beside(), *map(run, order[1:]))]
    left_s = min(runs.left_s, _AGES_S)
    ends = time.monotonic() + _TIME_TO_SEE * left_s
    try:
        await asyncio.wait(tasks[:2], timeout=_TIME_TO_SEE_MOST * left_s)
        await asyncio.wait(tasks, timeout=max(0.0, ends - time.monotonic()))
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if not controls and trials.neighbours is None:
        raise asyncio.TimeoutError


async def _try_all(runs: CheckRuns, found: list[Candidate], trials: Trials, tell: Tell) -> None:
    queue, total = iter(found), len(found)

    async def work() -> None:
        # All workers share the iterator; they are tasks of one thread, so each candidate is taken once.
        for candidate in queue:
            if not runs.has_time or _enough(trials.tried):
                return
            trials.tried.append(await attempt(runs, candidate, trials))
            if len(trials.tried) % _TOLD_EVERY == 0:
                tell(f"tried {len(trials.tried)} of {total} small fixes in snapshots")

    if total:
        tell(f"trying up to {counted(total, 'small fix', 'small fixes')} in snapshots")
    workers = [asyncio.ensure_future(work()) for _ in range(AT_ONCE)]
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
