"""What the runs of the failure in copies show of it."""

from __future__ import annotations

from collections.abc import Sequence

from dap_ai.agent.analyst.evidence.seen import Seen, seen_in
from dap_ai.agent.analyst.facts import Diagnosis
from dap_ai.agent.analyst.runs import Control
from dap_ai.agent.case.stack import Case


def seen_again(controls: Sequence[Control], case: Case, diagnosis: Diagnosis) -> Seen | None:
    """What the widest run shows that failed where the program did; None where no such run was recorded."""
    for control in reversed(controls):
        history = control.trace.history if control.usable or control.fails_there else None
        seen = seen_in(history, case.sources, diagnosis) if history else None
        if seen is not None:
            return seen
    return None
