"""Writes the gist of a failure: one line with only what is certain."""

from __future__ import annotations

from pathlib import Path

from dap_ai.agent.report.sections import THE_FAILED_LINE
from dap_ai.agent.report.wording import cut_code
from dap_ai.debuggees.python.analysis.claims.explain import is_sure
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.trials import Trials

_MAX_CHARS = 100


def gist(analysis: StopAnalysis, trials: Trials | None) -> str:
    """Return a proved cause, else the first observation at the failing line; an empty string if nothing failed."""
    if analysis.case.exception is None:
        return ""
    place, first = analysis.diagnosis.place.frame, analysis.suspects[0] if analysis.suspects else None
    if first and not first.reason.startswith(THE_FAILED_LINE) and is_sure(analysis, trials):
        spot = f"line {first.line}" if first.file == place.path else f"{Path(first.file).name}:{first.line}"
        here = (first.file, first.line) == (place.path, place.line)
        return _short(first.reason if here else f"{spot}: {first.reason}")
    return _short(next(iter(analysis.diagnosis.sentences), ""))


def _short(text: str) -> str:
    return text.rstrip(".") if len(text) <= _MAX_CHARS else cut_code(text, _MAX_CHARS)
