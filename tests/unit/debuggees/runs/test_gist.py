"""What a text of a run comes to in a line."""

from __future__ import annotations

import pytest

from dap_ai.debuggees.runs.gist import name_of, task_of, unwrapped
from dap_ai.debuggees.runs.run_model import Run


@pytest.mark.parametrize(
    "task",
    [
        "We're currently solving the following issue. Here's the issue text:\nISSUE:\nIt fails\n\nINSTRUCTIONS:\nNow, go",
        "<pr_description>\nConsider the following PR description:\nIt fails\n</pr_description>\n<instructions>",
        "I've uploaded a repository. Consider the issue:\n\n<issue_description>\nIt fails\n</issue_description>\nHelp me",
        "You are an AI assistant tasked with solving tasks.\n\nTask Description:\nIt fails",
        "It fails",
    ],
)
def test_a_task_is_told_without_what_its_harness_says_before_it(task: str):
    assert task_of(task).strip() == "It fails"


@pytest.mark.parametrize("task", ["", "Look at ISSUE: 7 of it", "Read this:\nISSUE:\n  "])
def test_a_task_that_holds_no_such_words_is_told_as_it_is(task: str):
    assert task_of(task) == task


def test_a_run_without_a_task_is_called_by_its_file():
    assert name_of(Run("/runs/a.jsonl", "made", task="It fails")) == "It fails"
    assert name_of(Run("/runs/a.jsonl", "made")) == "a.jsonl (its task is not recorded)"


def test_an_output_is_told_without_its_wrapping():
    assert unwrapped("<returncode>0</returncode>\n<output>\n3 passed\n</output>").strip() == "3 passed"
    assert unwrapped("<b>7</b>") == "<b>7</b>"
