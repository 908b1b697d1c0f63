"""What the runs of the failure in copies show of it, and the ranking with that."""

from __future__ import annotations

from collections.abc import Sequence

from dap_ai.agent.analyst.evidence.oddities import Oddity
from dap_ai.agent.analyst.evidence.seen import Seen, seen_in
from dap_ai.agent.analyst.facts import Diagnosis
from dap_ai.agent.analyst.ranking import Analysis
from dap_ai.agent.analyst.runs import Control
from dap_ai.agent.case.stack import Case
from dap_ai.agent.case.values import cut

_LIFT = 0.9
_NOTICED = 0.6
"""Of the line that failed, where a value was born elsewhere that stands out: there it was only noticed."""
_MAX_TEXT = 60


def weigh(analysis: Analysis, controls: Sequence[Control]) -> None:
    """Raises the lines at which values were born that stand out."""
    seen = analysis.seen = seen_again(controls, analysis.case, analysis.diagnosis)
    strong = seen.telling if seen else []
    for odd in seen.oddities if seen else ():
        spot = odd.event.spot
        analysis.scores[spot] = 1 - (1 - analysis.scores.get(spot, 0.0)) * (1 - _LIFT * odd.weight)
        known = analysis.finding_at(*spot)
        if odd in strong and (known is None or known.weight < odd.weight):
            analysis.blame(spot, told(odd))
        analysis.reasons.setdefault(spot, told(odd))
    frame = analysis.diagnosis.place.frame
    failed = frame.path, frame.line
    if failed in analysis.scores and strong and all(o.event.spot != failed for o in strong):
        analysis.scores[failed] *= _NOTICED


def told(odd: Oddity) -> str:
    """`amount` became `nan` (the first `nan` of the run), in round 2: `row` is `{...}`."""
    verb = "returned" if odd.name.endswith("()") else "became"
    head = f"`{odd.name}` {verb} `{cut(odd.text, _MAX_TEXT)}` ({odd.why})"
    return f"{head}, in {odd.datum}" if odd.datum else head


def seen_again(controls: Sequence[Control], case: Case, diagnosis: Diagnosis) -> Seen | None:
    """What the widest run shows that failed where the program did; None where no such run was recorded."""
    for control in reversed(controls):
        history = control.trace.history if control.usable or control.fails_there else None
        seen = seen_in(history, case.sources, diagnosis) if history else None
        if seen is not None:
            return seen
    return None
