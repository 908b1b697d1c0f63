"""Changes that only take the failure away, and are not worth a try."""

from __future__ import annotations

from dap_ai.agent.analyst.changes.candidates import Candidate
from dap_ai.agent.analyst.ranking import Analysis


def hides(candidate: Candidate, analysis: Analysis) -> bool:
    """Whether it would only take away the failing statement, or the division by zero in it."""
    place, error, edit = analysis.diagnosis.place, analysis.case.exception, candidate.edit
    if edit.source is not place.source or not edit.first <= place.frame.line <= edit.last:
        return False
    if all(line.strip() in ("", "pass") for line in edit.lines):
        return True
    old = [edit.source.line(n) for n in range(edit.first, edit.last + 1)]
    return error is not None and error.type == "ZeroDivisionError" and _divisions(edit.lines) < _divisions(old)


def _divisions(lines: list[str]) -> int:
    text = "\n".join(lines)
    return text.count("/") + text.count("%")
