"""Analyses a run in the background, so that stops need not wait for the analysis."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.run_model import Run

MOST_STEPS = 1_000
"""Maximum steps of a run that is analysed without a request; each step takes a few milliseconds."""


class Analysed(Protocol):
    """Access to a run's analysis, which may be running or not started."""

    @property
    def is_due(self) -> bool:
        """Whether a call returns the analysis, possibly after a wait. If False, a call returns an empty analysis."""
        ...

    def begin(self) -> bool:
        """Start the analysis unless it has started; return whether it is complete."""
        ...

    def __call__(self) -> RunAnalysis:
        """Return the analysis; an empty analysis while `is_due` is False."""
        ...


class BackgroundAnalysis:
    """Analysis of a run in a daemon thread."""

    def __init__(self, run: Run, make: Callable[[Run], RunAnalysis] | None = None) -> None:
        self._run = run
        self._make = make
        self._made: RunAnalysis | None = None
        self._thread: threading.Thread | None = None
        self._is_short = run.steps <= MOST_STEPS
        if self._is_short:
            self.begin()

    @property
    def is_due(self) -> bool:
        """Whether the run is short, or its analysis is complete."""
        return self._is_short or self._made is not None

    def begin(self) -> bool:
        """Start the analysis unless it has started; return whether it is complete."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="analysis", daemon=True)
            self._thread.start()
        return self._made is not None

    def __call__(self) -> RunAnalysis:
        """Return the analysis; waits for the analysis of a short run. Empty if a long run's analysis isn't complete."""
        if self._is_short and self._thread is not None:
            self._thread.join()
        return self._made or _NOTHING

    def _work(self) -> None:
        try:
            self._made = (self._make or _analyse)(self._run)
        except Exception:  # noqa: BLE001  the run can be viewed without it
            self._made = _NOTHING


_NOTHING = RunAnalysis()


def _analyse(run: Run) -> RunAnalysis:
    from dap_ai.debuggees.runs.analysis.analyse import analyse  # noqa: PLC0415  the import takes 0.1 s, in the thread

    return analyse(run)
