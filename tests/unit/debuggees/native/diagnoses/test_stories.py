"""What is said of a failure: its kind, its suspects, the steps to them, the values that prove it, and what to do."""

from __future__ import annotations

import pytest

from tests.unit.debuggees.native.cases import is_firm
from tests.unit.debuggees.native.diagnoses import (
    arithmetic_stories,
    bounds_stories,
    claim_stories,
    freed_stories,
    pointer_stories,
    stack_stories,
)
from tests.unit.debuggees.native.stories import Story, analysis_of, coded, marked, ranked, steps

STORIES = [
    *arithmetic_stories.STORIES,
    *bounds_stories.STORIES,
    *claim_stories.STORIES,
    *freed_stories.STORIES,
    *pointer_stories.STORIES,
    *stack_stories.STORIES,
]


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_the_marked_lines_are_the_suspects_in_the_order_of_their_marks(story: Story):
    assert ranked(analysis_of(story)) == marked(story)


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_the_failure_has_this_name_and_its_first_suspect_is_called_the_cause_only_where_values_show_it(story: Story):
    analysis = analysis_of(story)
    assert (analysis.kind, is_firm(analysis)) == (story.kind, story.firm)


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_the_steps_lead_back_to_the_origin(story: Story):
    assert steps(analysis_of(story)) == list(story.steps)


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_what_is_said_states_this_code_and_these_values(story: Story):
    assert coded(analysis_of(story).sentences) == list(story.states)


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_the_values_that_prove_it_are_cited(story: Story):
    assert [cited.expression for cited in analysis_of(story).cited] == list(story.cited)


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_what_to_do_is_advised_and_the_line_to_change_is_shown(story: Story):
    analysis = analysis_of(story)
    assert (coded(analysis.advice), analysis.fix.lines if analysis.fix else []) == (
        list(story.advice),
        [story.fix] if story.fix else [],
    )
