"""Entry point of the analysis: applies all rules to a recorded run."""

from __future__ import annotations

import msgspec

from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.analysis.onset.onset_search import find_onset
from dap_ai.debuggees.runs.analysis.patterns import patterns_of
from dap_ai.debuggees.runs.analysis.patterns.run_story import RunStory
from dap_ai.debuggees.runs.analysis.run_differences import compare
from dap_ai.debuggees.runs.analysis.stage_ranges import stages_of
from dap_ai.debuggees.runs.analysis.state_tree import tree_of
from dap_ai.debuggees.runs.analysis.step_checks import checks_of
from dap_ai.debuggees.runs.analysis.step_effects import effects_of
from dap_ai.debuggees.runs.run_model import Run, steps_of


def analyse(run: Run, *, failed: bool = False) -> RunAnalysis:
    """Return effects, checks, stages, tree, patterns and onset of `run`. Raises MissingExtraError.

    Takes time linear in the run's size. Pass `failed` if the run is known to have failed, whatever verdict the run
    records.
    """
    story = story_of(run)
    steps, effects, checks, patterns = story.steps, story.effects, story.checks, patterns_of(story)
    return RunAnalysis(
        effects=effects,
        checks=checks,
        stages=stages_of(effects, steps, story.files),
        tree=tree_of(effects, steps, checks),
        patterns=patterns,
        finding=find_onset(story, patterns, failed=failed),
    )


def analyse_against(run: Run, passing: Run, *, failed: bool = False) -> RunAnalysis:
    """Return the analysis of `run`, compared with a passing run of the same task.

    The first change that differs from `passing` becomes a further suspect.
    """
    analysis, story = analyse(run, failed=failed), story_of(run)
    against = compare(run, analysis, passing, analyse(passing))
    finding = find_onset(story, analysis.patterns, failed=failed, against=against)
    return msgspec.structs.replace(analysis, finding=finding)


def story_of(run: Run) -> RunStory:
    """Return the steps of `run` with their effects and checks."""
    steps = steps_of(run)
    effects, files = effects_of(run, steps)
    return RunStory(run, steps, effects, checks_of(effects, steps), files)
