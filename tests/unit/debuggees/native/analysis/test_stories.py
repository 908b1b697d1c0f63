"""Where a value came from: which lines are suspected, in which order, and whether the first is the cause."""

from __future__ import annotations

import pytest

from tests.unit.debuggees.native.analysis import null_stories, number_stories, object_stories
from tests.unit.debuggees.native.cases import is_firm
from tests.unit.debuggees.native.stories import Story, analysis_of, marked, ranked, steps

STORIES = [*null_stories.STORIES, *number_stories.STORIES, *object_stories.STORIES]


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
