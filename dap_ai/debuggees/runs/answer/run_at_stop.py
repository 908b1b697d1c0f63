"""Loads the run at which the session is stopped, for tools and answers.

The run is read in full and analysed. Secrets are masked before any text is truncated.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from dap_ai.agent.case.stop_snapshot import FieldMasker, StopSnapshot
from dap_ai.agent.tools.base import ToolContext
from dap_ai.debuggees.runs.analysis.analyse import analyse, analyse_against
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.masked_run import masked_analysis, masked_run
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.readers.base import CannotRead
from dap_ai.debuggees.runs.run_model import Event, Run, RunStep, steps_of
from dap_ai.protocol.wire.errors import NotStopped, RequestFailed

_KEPT = 4
_MOST_STAMPED = 500
"""Maximum number of files in a run's folder that are checked for changes."""
_SAYS_FAILED = re.compile(
    r"\b(?:why|where|how|when)\b.*\b(?:fail(?:ed|ing|s)?|go wrong|went wrong|break|broke|not (?:work|pass|solved?))\b"
    r"|\bwould have helped\b|\bwhat else could it be\b",
    re.IGNORECASE | re.DOTALL,
)

Stamp = tuple[tuple[int, int], ...]


class RunAtStop(NamedTuple):
    """A run and its analysis at a stop.

    Secrets in `run`, `analysis` and `other` are masked. `raw` is not masked and is never shown.
    """

    path: str
    run: Run
    analysis: RunAnalysis
    steps: Mapping[int, RunStep]
    """Steps of the run by number."""
    event: Event | None
    """Event at which the session is stopped, or None."""
    raw: Run
    raw_analysis: RunAnalysis
    other: tuple[Run, RunAnalysis] | None = None
    """Another run of the same task and its analysis, or None."""
    failed: bool = False
    """Whether the user says that the run failed. True only if the run's own verdict is unknown."""


class _Read(NamedTuple):
    raw: Run
    raw_analysis: RunAnalysis
    run: Run
    analysis: RunAnalysis
    steps: Mapping[int, RunStep]


async def read_run_at_stop(bench: ToolContext) -> RunAtStop:
    """Return the run of the stop.

    Raises NotStopped if the session has moved on, and RequestFailed if the run cannot be read.
    """
    found = await asyncio.to_thread(opened, bench.case)
    if not bench.debugger.current:
        raise NotStopped("ask")
    return found


def opened(case: StopSnapshot) -> RunAtStop:
    """Return the run of a stop and the event at which the session stopped.

    Raises RequestFailed if the run can no longer be read.
    """
    path, index = (*case.inspection.argv, "", "")[:2]
    against = case.inspection.against
    try:
        raw = _raw(path, stamp(path))
        failed = says_failed(case.question) and raw.outcome.verdict == "unknown"
        read = _prepared(path, stamp(path), against, case.masks, failed=failed)
        other = _prepared(against, stamp(against), "", case.masks, failed=False) if against else None
    except CannotRead as error:
        raise RequestFailed("ask", "noRun", str(error)) from error
    number = int(index) if index.isdecimal() else -1
    event = read.run.events[number] if 0 <= number < len(read.run.events) else None
    theirs = (other.run, other.analysis) if other else None
    return RunAtStop(path, read.run, read.analysis, read.steps, event, read.raw, read.raw_analysis, theirs, failed)


def says_failed(question: str) -> bool:
    """Return whether a question presumes that the run failed, e.g. `why did it fail`."""
    return _SAYS_FAILED.search(question) is not None


def there_are(steps: Mapping[int, RunStep]) -> str:
    """Return the run's step numbers as text, e.g. `the run has the steps 2 to 104`.

    Not every format starts at 1.
    """
    if not steps:
        return "the run has none"
    first, last = min(steps), max(steps)
    return f"the run has {last}" if first == 1 else f"the run has the steps {first} to {last}"


def stamp(path: str) -> Stamp:
    """Return the mtime and size of the run's files, to detect changes. Empty if the files cannot be read."""
    place = Path(path.partition("#")[0] if not Path(path).exists() else path)
    try:
        files = sorted(place.rglob("*"))[:_MOST_STAMPED] if place.is_dir() else [place]
        return tuple((status.st_mtime_ns, status.st_size) for status in (file.stat() for file in files))
    except OSError:
        return ()


@lru_cache(maxsize=_KEPT)
def _raw(path: str, _: Stamp) -> Run:
    return open_run(path)


@lru_cache(maxsize=_KEPT)
def _prepared(path: str, now: Stamp, against: str, masks: FieldMasker | None, *, failed: bool) -> _Read:
    raw = _raw(path, now)
    passing = _raw(against, stamp(against)) if against else None
    analysis = analyse_against(raw, passing, failed=failed) if passing else analyse(raw, failed=failed)
    if masks is None:
        return _Read(raw, analysis, raw, analysis, {step.number: step for step in steps_of(raw)})
    run = masked_run(raw, masks.mask, masks.mask_fields)
    if run != raw:  # a secret may become known by its name only after its first use
        run = masked_run(raw, masks.mask, masks.mask_fields)
    return _Read(raw, analysis, run, masked_analysis(analysis, masks.mask), {s.number: s for s in steps_of(run)})
