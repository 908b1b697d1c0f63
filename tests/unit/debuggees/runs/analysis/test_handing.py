"""Bugs of an agent's own program, between the model and its tools; beside each a run that is in order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.run_model import Agent, Event, Ref, Run
from tests.unit.debuggees.runs.analysis.made import FAILED, PASSED, Did, called, run_of, said

SHOP = '"""What a basket costs, and what is taken off a large one."""\n'
TESTS = '"""What is wanted of shop.py, a line for each thing that was promised."""\n'
EDIT = called("str_replace_editor", "shop.py was edited: OK", command="str_replace", path="/w/shop.py", old_str="1", new_str="2")  # fmt: skip
BAD, GOOD = Did("pytest", FAILED, 1), Did("pytest", PASSED)
DONE = said("Done.")


def read(path: str, result: str) -> Did:
    return called("read_file", result, path=path)


def found(run: Run) -> tuple[int, str] | None:
    onset = analyse(run).finding.onset
    return (onset.step, onset.rule) if onset is not None else None


def with_events(run: Run, *more: tuple[int, Event]) -> Run:
    """Each event behind the one that stands there now; numbered anew."""
    events = list(run.events)
    for place, event in sorted(more, key=lambda one: -one[0]):
        events.insert(place, event)
    for index, event in enumerate(events):
        event.index, event.ref = index, Ref(lines=(index + 1, index + 1))
    run.events = events
    return run


def place(run: Run, kind: str, step: int) -> int:
    return next(event.index for event in run.events if event.kind == kind and event.step == step)


def more(kind: str, text: str = "", **fields: object) -> Event:
    return Event(0, kind, Ref(), text=text, **fields)  # type: ignore[arg-type]


def followed(steps: Sequence[Did], changes: int) -> Run:
    """A recording in which a change of shop.py follows so many of its first edits."""
    run = run_of(steps, followed=True)
    edits = [event for event in run.events if event.kind == "result" and "edited" in event.text]
    return with_events(run, *((edit.index + 1, more("change", "M shop.py")) for edit in edits[:changes]))


def test_an_edit_that_is_reported_and_changes_nothing():
    assert found(followed([EDIT, BAD, DONE], 0)) == (1, "unmade-edit")
    assert found(followed([EDIT, BAD, EDIT, BAD, DONE], 0)) == (1, "unmade-edit")


@pytest.mark.parametrize("steps", [[EDIT, GOOD, DONE], [EDIT, DONE]])
def test_an_edit_that_changed_the_workspace_is_made(steps: Sequence[Did]):
    assert found(followed(steps, 1)) is None


def test_an_edit_that_was_refused_is_not_reported():
    refused = EDIT._replace(result="Error: no such text")
    assert found(followed([refused, BAD, DONE], 0)) != (1, "unmade-edit")


def test_what_was_checked_with_success_is_made_wherever_it_is():
    assert found(followed([EDIT, GOOD, DONE], 0)) is None


def with_reviewer(result: str) -> Run:
    run = run_of([called("review", result, question="?"), EDIT, BAD, DONE])
    run.agents = [Agent("main"), Agent("reviewer", "main")]
    answer = more("response", "discount() is wrong.", agent="reviewer")
    return with_events(run, (place(run, "result", 1), answer))


def test_a_sub_agents_answer_that_its_caller_never_got():
    assert found(with_reviewer("")) == (1, "lost-answer")
    assert found(with_reviewer("discount() is wrong.")) != (1, "lost-answer")


def test_a_result_that_came_only_with_a_later_query():
    run = run_of([read("shop.py", ""), EDIT, BAD, DONE])
    late = more("result", SHOP, step=1, call_id="1")
    assert found(with_events(run, (place(run, "result", 2), late))) == (1, "late-result")


def test_a_call_that_was_answered_with_the_result_of_the_one_before():
    missing = "Error: FileNotFoundError: [Errno 2] No such file or directory: 'src/shop.py'"
    shifted = [read("src/shop.py", missing), read("shop.py", missing), EDIT, BAD, DONE]
    assert found(run_of(shifted)) == (2, "shifted-results")
    in_order = [read("src/shop.py", missing), read("shop.py", SHOP), EDIT, BAD, DONE]
    assert found(run_of(in_order)) == (3, "check-failed")


def test_a_short_text_that_two_calls_got_is_no_shift():
    short = [read("src/shop.py", "no src/shop.py"), read("shop.py", "no src/shop.py"), EDIT, BAD, DONE]
    assert found(run_of(short)) == (3, "check-failed")


def test_two_files_of_the_same_text_are_no_shift():
    same = [read("a/conftest.py", SHOP), read("b/conftest.py", SHOP), EDIT, BAD, DONE]
    assert found(run_of(same)) == (3, "check-failed")


def swapped(first: str, second: str) -> Run:
    """Two reads by one response, and one of the first file later."""
    run = run_of([read("shop.py", first), read("test_shop.py", second), read("shop.py", SHOP), EDIT, BAD, DONE])
    run.events = [event for event in run.events if not (event.kind == "response" and event.step == 2)]
    return with_events(run)


def test_results_of_two_calls_that_changed_places():
    assert found(swapped(TESTS, SHOP)) == (1, "swapped-results")
    assert found(swapped(SHOP, TESTS)) == (4, "check-failed")


def test_an_error_that_became_an_empty_file():
    steps = [read("shop.py", ""), said("The file is empty, so there is nothing to mend. All done.")]
    assert found(run_of(steps)) == (1, "swallowed-error")
    assert found(run_of([read("shop.py", SHOP), steps[1]])) is None


@pytest.mark.parametrize("task", ["{task}", "Your task is this:\n\n{task}\n\nSay so.", "Task: {{ question }}"])
def test_a_prompt_that_was_never_filled_in(task: str):
    assert found(run_of([said("What shall I do?")], task=task)) == (1, "unfilled-prompt")


@pytest.mark.parametrize("task", ["Make `{task}` a field of the template", 'print(f"{task}: {name}")', "{name}"])
def test_a_prompt_that_speaks_of_fields_is_filled_in(task: str):
    assert found(run_of([said("What shall I do?")], task=task)) is None


def test_a_file_that_was_shown_up_to_a_round_length():
    cut = (SHOP * 20)[:600]
    edit = EDIT._replace(arguments={**(EDIT.arguments or {}), "path": "/w/shop.py"})
    assert found(run_of([read("shop.py", cut), edit, BAD, DONE])) == (1, "cut-unsaid")
    assert found(run_of([read("shop.py", (SHOP * 20)[:1024]), edit, BAD, DONE])) == (1, "cut-unsaid")
    assert found(run_of([read("shop.py", cut[:-1]), edit, BAD, DONE])) == (2, "check-failed")
    other = EDIT._replace(arguments={**(EDIT.arguments or {}), "path": "/w/other.py"})
    assert found(run_of([read("shop.py", cut), other, BAD, DONE])) == (2, "check-failed")
    longer = read("other.py", SHOP * 20)
    assert found(run_of([read("shop.py", cut), longer, edit, BAD, DONE])) == (3, "check-failed")


def test_a_command_that_ran_in_another_directory():
    bad = Did("python -m unittest test_shop", "ModuleNotFoundError: No module named 'test_shop'\nFAILED (errors=1)", 1)
    steps = [read("test_shop.py", TESTS), EDIT, bad, DONE]
    assert found(run_of(steps)) == (3, "elsewhere")
    elsewhere = [read("lib/test_shop.py", TESTS), *steps[1:]]
    assert found(run_of(elsewhere)) != (3, "elsewhere")


def test_what_went_well_in_the_end_was_mended():
    missing = "Error: FileNotFoundError: [Errno 2] No such file or directory: 'src/shop.py'"
    steps = [read("src/shop.py", missing), read("shop.py", missing), EDIT, GOOD, DONE]
    assert found(run_of(steps)) is None
