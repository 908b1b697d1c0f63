"""The analysis of a run, made beside the session: a stop never waits for it, what rests on it does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.run_model import Run

MOST_STEPS = 1_000
"""Of a run that is analysed unasked: a step takes some milliseconds."""


class Analysed(Protocol):
    """What a session knows of its run's analysis."""

    @property
    def is_due(self) -> bool:
        """Whether it is there, or on its way and waited for; else `begin` starts it, and nobody waits."""
        ...

    def begin(self) -> bool:
        """Starts it, where nobody has; whether it is there."""
        ...

    def __call__(self) -> RunAnalysis:
        """The analysis; an empty one while it is not due."""
        ...


class BackgroundAnalysis:
    """One that a thread makes, which ends with the process."""

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
        """Of a short run from the start, of a long one once it is made."""
        return self._is_short or self._made is not None

    def begin(self) -> bool:
        """See Analysed."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="analysis", daemon=True)
            self._thread.start()
        return self._made is not None

    def __call__(self) -> RunAnalysis:
        """Waits for that of a short run."""
        if self._is_short and self._thread is not None:
            self._thread.join()
        return self._made or _NOTHING

    def _work(self) -> None:
        try:
            self._made = (self._make or _analyse)(self._run)
        except Exception:  # noqa: BLE001  the run can be looked at without it
            self._made = _NOTHING


_NOTHING = RunAnalysis()


def _analyse(run: Run) -> RunAnalysis:
    from dap_ai.debuggees.runs.analysis.analyse import analyse  # noqa: PLC0415  it takes a tenth of a second: beside the session

    return analyse(run)
