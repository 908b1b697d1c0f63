"""Tries fixes in snapshots: those of the rules, then small changes of lines that ran; bounded in time and number."""

from __future__ import annotations

import ast
import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from dap_ai.agent.case.stack import Case
from dap_ai.agent.report.edits import Edit
from dap_ai.agent.source.source import SourceFile, is_user_path
from dap_ai.agent.source.statements import body_fields, last_line
from dap_ai.debuggees.python.analysis.experiments.changes.candidates import candidates, distinct, spread
from dap_ai.debuggees.python.analysis.experiments.evading import evaded
from dap_ai.debuggees.python.analysis.experiments.hiding import hides
from dap_ai.debuggees.python.analysis.experiments.plausibility import doubt_of
from dap_ai.debuggees.python.analysis.ranking.ranking import Analysis
from dap_ai.debuggees.python.analysis.ranking.trials import Candidate
from dap_ai.debuggees.python.analysis.ranking.weighing import weigh
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.record.check import Check, failure_of
from dap_ai.debuggees.python.analysis.record.checks import checks_of
from dap_ai.debuggees.python.analysis.record.enclosing import is_of_test, own_folders
from dap_ai.debuggees.python.analysis.record.impact import change, differ
from dap_ai.debuggees.python.analysis.record.neighbours import Neighbours, judged, neighbours_of, upheld
from dap_ai.debuggees.python.analysis.record.runs import AT_ONCE, BUDGET_S, CANNOT, Control, Runs, Verdict
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.contracts.snapshot import SnapshotResult
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed
from dap_ai.texts import counted

MAX_TRIES, MAX_LINES = 120, 150
ENOUGH = 12
"""So many verified fixes are plenty to choose from."""
_TOLD_EVERY = 20
_TRACED_AT_ONCE = 2
"""They need a processor each, where a fix that fails hardly does."""
_LATE = 1.25
"""Copies end by their own deadlines; so much later, whatever is still waited for is given up."""
_TIME_TO_SEE, _TIME_TO_SEE_MOST, _AGES_S = 0.6, 0.9, 1e6
"""Of the clock's time: for what shows the failure, before any fix is tried; and for the widest of that."""
NO_TIME = "there was no time to run the failure again"
_UNSUSPECTED = 0.06
_OF_THE_TEST = 0.5
"""A function that asserts tells of others more than of itself."""

Tell = Callable[[str], None]


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
    beside: str = ""
    """What the tests beside the failed one say for it; empty: nothing."""
    doubt: str = ""
    """Why its pass may prove nothing; empty for a rule's, which has its reason."""
    proof: str = ""
    """What speaks for it beside the check that failed, in words; empty: nothing, and it is not shown."""

    @property
    def passes(self) -> bool:
        """Whether a check passes with it, and no wider one fails."""
        return self.verdict.passes and (self.widest is None or self.widest.outcome != "not verified")

    @property
    def verified(self) -> bool:
        """Whether the whole program or test succeeds with it."""
        return self.passes and (self.widest or self.verdict).verified

    @property
    def grade(self) -> float:
        """How likely it is the fix that is meant, 0..1."""
        candidate = self.candidate
        explained = 1.0 if candidate.reason else WEIGHTS.no_rule
        likely = candidate.prior**WEIGHTS.of_kind * candidate.suspicion**WEIGHTS.of_line * explained
        symptom = WEIGHTS.at_failure if self.at_failure and not candidate.reason else 1.0
        passed = (1.0 if self.verified else WEIGHTS.narrow) * (WEIGHTS.weak_pass if self.doubt else 1.0)
        return likely * symptom * passed * (1 - WEIGHTS.meddles * self.change)

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
    """The tests beside the one that failed."""
    most: int = MAX_TRIES
    """So many fixes are tried."""
    has_more: bool = False
    """More might have been tried, had there been more of the budget."""

    @property
    def usable(self) -> list[Control]:
        """The checks that show the failure again, narrow before wide."""
        return [control for control in self.controls if control.usable]

    @property
    def passing(self) -> list[Trial]:
        """The fixes with which nothing fails, the best first: those whose pass may prove nothing come last."""
        held = (t for t in self.tried if t.passes)
        return sorted(held, key=lambda t: (bool(t.doubt), not t.proof, -t.verified, -t.grade))

    @property
    def proved(self) -> list[Trial]:
        """Those for which more speaks than the check that failed, the best first."""
        return [t for t in self.passing if t.proof and not t.doubt]

    def fixes(self, file: str, line: int) -> bool:
        """Whether the best fix is verified, changes this line, and a rule says why."""
        return any(t.place == (file, line) for t in self.passing[:1] if t.verified and t.candidate.reason)

    def refutes(self, edit: Edit | None) -> bool:
        """Whether this very edit was tried, and the check still fails with it."""
        return any(t.candidate.edit is edit and t.verdict.outcome == "not verified" for t in self.tried)

    @property
    def rivals(self) -> list[Trial]:
        """Where no rule says why the best fix is right: others that as much speaks for, and that do something else."""
        best = next(iter(self.proved), None)
        return [t for t in self.unlike(best) if t.proof] if best and not best.candidate.reason else []

    def unlike(self, trial: Trial) -> list[Trial]:
        """The other fixes that hold, and do something else."""
        held = (t for t in self.tried if t.passes and not t.doubt and t is not trial)
        return [t for t in held if differ(trial.outcome, t.outcome)]


class Investigation:
    """The failure run again, which begins at once and needs no ranking; then the fixes that a ranking asks for.

    What a resume or a failure cuts short stands as far as it came. So does what time does: see Runs.
    """

    def __init__(
        self, debugger: Debugger, case: Case, tell: Tell, budget_s: float = BUDGET_S, clock_s: float = math.inf
    ) -> None:
        """To be made in an event loop, and closed."""
        self._trials = trials = Trials(most=int(MAX_TRIES * budget_s / BUDGET_S))
        self._tell = tell
        self._ends = time.monotonic() + _LATE * clock_s
        failure = failure_of(case)
        checks = checks_of(case) if failure else []
        self._runs = Runs(debugger, case, failure, budget_s, clock_s=clock_s, folders=own_folders(case))
        self._again: asyncio.Task[None] | None = None
        if checks:
            tell(f"running the failure again in {counted(len(checks), 'snapshot')}")
            self._again = asyncio.ensure_future(_control(self._runs, checks, trials))

    async def tried(self, analysis: Analysis) -> Trials:
        """What has come of it; the ranking is the better for what was seen."""
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
        """Ends what still runs."""
        if self._again is not None:
            self._again.cancel()
            await asyncio.gather(self._again, return_exceptions=True)

    async def _try(self, again: asyncio.Task[None], analysis: Analysis) -> None:
        trials = self._trials
        await again
        await asyncio.to_thread(weigh, analysis, trials.controls, trials.neighbours)
        if not trials.usable:
            trials.why_not = _why_not(trials.controls) or NO_TIME
            return
        found = await asyncio.to_thread(_candidates, analysis, trials.usable, trials.most)
        await _try_all(self._runs, found, trials, self._tell)
        has_more = len(trials.tried) == trials.most or (len(trials.tried) < len(found) and self._runs.left_s > 0)
        trials.has_more = has_more and not _enough(trials.tried)


async def _control(runs: Runs, checks: Sequence[Check], trials: Trials) -> None:
    """The widest check and the tests beside it come first: of what is late then, the ranking can do without."""
    controls: dict[int, Control] = {}
    traced = asyncio.Semaphore(_TRACED_AT_ONCE)

    async def run(number: int) -> None:
        async with traced:
            controls[number] = await runs.control(checks[number])
        trials.controls = [controls[n] for n in sorted(controls)]

    async def beside() -> None:
        async with traced:
            trials.neighbours = await neighbours_of(runs)

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


async def _try_all(runs: Runs, found: list[Candidate], trials: Trials, tell: Tell) -> None:
    queue, total = iter(found), len(found)

    async def work() -> None:
        for candidate in queue:
            if not runs.has_time or _enough(trials.tried):
                return
            trials.tried.append(await _try_one(runs, candidate, trials))
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


async def _try_one(runs: Runs, candidate: Candidate, trials: Trials) -> Trial:
    """The narrowest check that runs the edited lines; if that passes, the widest; and then the tests beside it."""
    edit, usable = candidate.edit, trials.usable
    reaching = [c for c in usable if c.ran(edit.source, edit.first, edit.last)]
    reaching = reaching or [c for c in usable[-1:] if c.check.whole]
    verdict, at = Verdict(CANNOT, ""), usable[-1]
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
        if not trial.doubt:
            await _judge(runs, trial, trials.neighbours)
    return trial


async def _judge(runs: Runs, trial: Trial, neighbours: Neighbours | None) -> None:
    """By the tests beside the one that failed."""
    found = await judged(runs, neighbours, [trial.candidate.edit])
    trial.beside = found.words
    if trial.widest and not found.broken:
        trial.widest = upheld(trial.widest, found)
    else:
        trial.verdict = upheld(trial.verdict, found)


def _breaks(edit: Edit, widest: Verdict) -> bool:
    """Whether the widest run fails in the very function that was edited."""
    raised = widest.result.raised if widest.result and not widest.passes else None
    if raised is None or raised.file != edit.source.path:
        return False
    line = raised.line - edit.growth if raised.line > edit.last + edit.growth else min(raised.line, edit.last)
    return edit.source.scope_at(line) is edit.source.scope_at(edit.first)


def _candidates(analysis: Analysis, usable: Sequence[Control], most: int) -> list[Candidate]:
    rules = [
        Candidate(f.edit, f.rule, f.weight, 1.0, f.line, f.reason)
        for f in sorted(analysis.findings, key=lambda f: -f.weight)
        if f.edit and f.edit.first > 0
    ]
    suspicion: list[tuple[SourceFile, dict[int, float]]] = []
    for path in dict.fromkeys(path for c in usable for path, _ in c.counts):
        source = analysis.case.sources.read(path) if is_user_path(path) else None
        if source and not is_of_test(analysis.case, path, ""):
            suspicion.append((source, _suspicion(analysis, source, usable)))
    least = sorted((each for _, lines in suspicion for each in lines.values()), reverse=True)[:MAX_LINES][-1:]
    generated: list[Candidate] = []
    for source, lines in suspicion:
        generated += candidates(source, {line: each for line, each in lines.items() if [each] >= least})
    return list(islice(distinct(chain(rules, (c for c in spread(generated) if not hides(c, analysis)))), most))


def _suspicion(analysis: Analysis, source: SourceFile, usable: Sequence[Control]) -> dict[int, float]:
    """How suspicious each line is that ran in a usable check."""
    place = analysis.diagnosis.place
    own = place.function if source is place.source and isinstance(place.statement, ast.Assert) else None
    found: dict[int, float] = {}
    for line in ran_lines(source, usable):
        factor = _OF_THE_TEST if own and own.lineno <= line <= last_line(own) else 1.0
        statement = source.statement_at(line)
        scores = [analysis.scores.get((source.path, n), 0.0) for n in {line, statement.lineno if statement else line}]
        found[line] = factor * max(_UNSUSPECTED, *scores)
    return found


def ran_lines(source: SourceFile, usable: Sequence[Control]) -> set[int]:
    """Every line of a statement that ran in one of the checks, and the headers of functions that were called."""
    return whole_lines(source, {line for control in usable for path, line in control.counts if path == source.path})


def whole_lines(source: SourceFile, ran: set[int]) -> set[int]:
    """The same, where these lines ran."""
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


def _why_not(controls: Sequence[Control]) -> str:
    reasons = list(dict.fromkeys(control.why_not for control in controls))
    return "; ".join(reasons[:2])
