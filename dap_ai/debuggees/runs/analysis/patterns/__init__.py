"""Common failure patterns of runs. `patterns_of` runs the pattern finders of all modules.

A finder applies a rule to the events of one run. A pattern names the steps that show it. Uncertain matches are not
reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dap_ai.debuggees.runs.analysis.analysis_model import Pattern
from dap_ai.debuggees.runs.analysis.patterns.edits import edit_lost, same_region_again, success_without_change
from dap_ai.debuggees.runs.analysis.patterns.repeats import limit, refused, same_call_again, wrong_directory
from dap_ai.debuggees.runs.analysis.patterns.results import invented_result, placeholder_result
from dap_ai.debuggees.runs.analysis.patterns.run_story import RunStory
from dap_ai.debuggees.runs.analysis.patterns.trust import (
    check_edited,
    cut_result_relied_on,
    failed_check_ignored,
    never_verified,
)

_FINDERS: Sequence[Callable[[RunStory], Iterator[Pattern]]] = (
    success_without_change,
    edit_lost,
    same_region_again,
    placeholder_result,
    invented_result,
    failed_check_ignored,
    never_verified,
    check_edited,
    cut_result_relied_on,
    same_call_again,
    wrong_directory,
    refused,
    limit,
)


def patterns_of(story: RunStory) -> list[Pattern]:
    """Return all certain patterns of the run, sorted by the step that completes each pattern."""
    found = [pattern for finder in _FINDERS for pattern in finder(story)]
    return sorted(found, key=lambda pattern: pattern.steps[-1] if pattern.steps else 0)
