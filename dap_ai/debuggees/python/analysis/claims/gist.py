"""What is certain of a failure, in a few words: for a place where there is room for one line."""

from __future__ import annotations

from pathlib import Path

from dap_ai.agent.report.sections import THE_FAILED_LINE
from dap_ai.agent.report.wording import cut_code
from dap_ai.debuggees.python.analysis.claims.explain import is_sure
from dap_ai.debuggees.python.analysis.ranking.ranking import Analysis
from dap_ai.debuggees.python.analysis.ranking.trials import Trials

MAX_CHARS = 100


def gist(analysis: Analysis, trials: Trials | None) -> str:
    """The cause, where running again has shown it; else what was read at the failing line. Empty: nothing failed."""
    if analysis.case.exception is None:
        return ""
    place, first = analysis.diagnosis.place.frame, analysis.suspects[0] if analysis.suspects else None
    if first and not first.reason.startswith(THE_FAILED_LINE) and is_sure(analysis, trials):
        spot = f"line {first.line}" if first.file == place.path else f"{Path(first.file).name}:{first.line}"
        here = (first.file, first.line) == (place.path, place.line)
        return _short(first.reason if here else f"{spot}: {first.reason}")
    return _short(next(iter(analysis.diagnosis.sentences), ""))


def _short(text: str) -> str:
    return text.rstrip(".") if len(text) <= MAX_CHARS else cut_code(text, MAX_CHARS)
