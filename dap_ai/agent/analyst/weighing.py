"""What a run of the failure in a copy shows, as evidence for the ranking."""

from __future__ import annotations

import re

from dap_ai.agent.analyst.check import failure_of
from dap_ai.agent.analyst.checks import checks_of
from dap_ai.agent.analyst.enclosing import own_folders
from dap_ai.agent.analyst.evidence.ranking import Evidence, evidence_of
from dap_ai.agent.analyst.evidence.record import Record
from dap_ai.agent.analyst.evidence.spectrum import spectrum_of
from dap_ai.agent.analyst.facts import Diagnosis
from dap_ai.agent.analyst.failures import diagnose
from dap_ai.agent.analyst.ranking import Analysis
from dap_ai.agent.analyst.runs import Control, Runs
from dap_ai.agent.analyst.trials import Trials
from dap_ai.agent.case.stack import Case
from dap_ai.protocol.contracts.debugger import Debugger
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

_AGAIN, _AGAIN_S = 2, 1.0
_STARTS = re.compile(r"\bThread\(|PoolExecutor\(|\bPool\(|\bProcess\(|to_thread\(")


def weigh(analysis: Analysis, trials: Trials) -> None:
    """Ranks by the widest run that failed there, where its steps are known."""
    tests = trials.neighbours.trace.history if trials.neighbours else None
    for control in reversed(trials.controls):
        evidence = evidence_in(control, analysis.case, analysis.diagnosis)
        if evidence is not None:
            if tests:
                evidence.spectrum = spectrum_of(Record(tests, analysis.case.sources))
            analysis.weigh(evidence, control.check.whole and not _has_threads(analysis.case))
            return


def evidence_in(control: Control, case: Case, diagnosis: Diagnosis | None = None) -> Evidence | None:
    """What a run shows that failed where the program did; None where its steps are not known."""
    history, diagnosis = control.trace.history, diagnosis or diagnose(case)
    if history is None or diagnosis is None or not (control.usable or control.fails_there):
        return None
    return evidence_of(Record(history, case.sources), diagnosis)


def _has_threads(case: Case) -> bool:
    """Whether code may have run in other threads or processes, which is not traced."""
    return any(place.source and _STARTS.search(place.source.text) for place in case.places)


async def demand_again(debugger: Debugger, case: Case) -> Control | None:
    """The widest check that shows a failed assertion or a raise again; None: there is none, or nothing is called."""
    failure = failure_of(case)
    control = await run_again(debugger, case) if failure and failure.is_demand else None
    return control if control and control.trace.calls else None


async def run_again(debugger: Debugger, case: Case) -> Control | None:
    """The widest check that shows the failure again; None where there is none, or nothing can be run."""
    failure = failure_of(case) if case.exception and not debugger.why_no_snapshot else None
    if failure is None:
        return None
    runs = Runs(debugger, case, failure, _AGAIN_S, folders=own_folders(case))
    for check in reversed(checks_of(case)[-_AGAIN:]):
        try:
            control = await runs.control(check)
        except (NotStopped, RequestFailed):
            return None
        if control.usable:
            return control
    return None
