"""The one entry: a run to all that the rules see in it."""

from __future__ import annotations

import msgspec

from dap_ai.debuggees.runs.analysis.checks import checks_of
from dap_ai.debuggees.runs.analysis.differences import compare
from dap_ai.debuggees.runs.analysis.effects import effects_of
from dap_ai.debuggees.runs.analysis.facts import Analysis
from dap_ai.debuggees.runs.analysis.onset.finding import find_onset
from dap_ai.debuggees.runs.analysis.patterns import patterns_of
from dap_ai.debuggees.runs.analysis.patterns.story import Story
from dap_ai.debuggees.runs.analysis.stages import stages_of
from dap_ai.debuggees.runs.analysis.tree import tree_of
from dap_ai.debuggees.runs.model import Run, steps_of


def analyse(run: Run, *, failed: bool = False) -> Analysis:
    """Effects, checks, stages, tree, patterns and onset of `run`. Takes time by its size. Raises MissingExtraError.

    `failed`: somebody knows that the run failed, whatever it records itself.
    """
    story = story_of(run)
    steps, effects, checks, patterns = story.steps, story.effects, story.checks, patterns_of(story)
    return Analysis(
        effects=effects,
        checks=checks,
        stages=stages_of(effects, steps, story.files),
        tree=tree_of(effects, steps, checks),
        patterns=patterns,
        finding=find_onset(story, patterns, failed=failed),
    )


def analyse_against(run: Run, passing: Run, *, failed: bool = False) -> Analysis:
    """As `analyse`, knowing a run of the same task that went well: the first change that differs is a suspect."""
    analysis, story = analyse(run, failed=failed), story_of(run)
    against = compare(run, analysis, passing, analyse(passing))
    finding = find_onset(story, analysis.patterns, failed=failed, against=against)
    return msgspec.structs.replace(analysis, finding=finding)


def story_of(run: Run) -> Story:
    """The steps of `run` with their effects and checks."""
    steps = steps_of(run)
    effects, files = effects_of(run, steps)
    return Story(run, steps, effects, checks_of(effects, steps), files)
