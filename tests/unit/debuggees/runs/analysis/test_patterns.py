"""Each pattern is seen where it is, and is not seen where something says otherwise."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.run_model import Outcome
from tests.unit.debuggees.runs.analysis.made import FAILED, PASSED, Did, called, run_of, said, seen

READ = Did("cat src/core.py", "def f(): ...")
EDIT = Did("sed -i '3s/a/b/' src/core.py")
TEST_OK = Did("pytest", PASSED)
TEST_BAD = Did("pytest", FAILED, 1)
SUBMIT = called("submit")
REFUSED = called(
    "str_replace_editor",
    "ERROR:\nNo replacement was performed, old_str did not appear",
    command="str_replace",
    path="/w/src/core.py",
    old_str="abc",
    new_str="d",
)


def steps(patterns):
    return [list(pattern.steps) for pattern in patterns]


def test_success_without_a_change_is_told_with_every_attempt():
    [found] = seen("success-without-change", READ, REFUSED, SUBMIT)
    assert list(found.steps) == [2, 3]


def test_a_change_that_was_carried_out_is_no_success_without_change():
    assert not seen("success-without-change", READ, REFUSED, EDIT, SUBMIT)


def test_a_run_that_never_tried_to_change_anything_is_not_blamed_for_it():
    assert not seen("success-without-change", READ, said("The answer is 42. Successfully done."))


def test_a_change_whose_files_are_not_named_counts_as_one():
    assert not seen("success-without-change", REFUSED, Did("tar xzf a.tgz"), SUBMIT)


HAND_IN = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached"


def test_a_submission_with_an_empty_difference_has_changed_nothing():
    [found] = seen("success-without-change", EDIT, TEST_OK, Did(HAND_IN, "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n"))
    assert list(found.steps) == [1, 3]
    assert not seen("success-without-change", EDIT, Did(HAND_IN, "diff --git a/src/core.py b/src/core.py\n+x"))


def test_edits_that_are_all_taken_back_are_lost():
    [found] = seen("edit-lost", EDIT, TEST_BAD, Did("git checkout src/core.py"), SUBMIT)
    assert list(found.steps) == [1, 3]


def test_an_edit_that_is_made_again_is_not_lost():
    assert not seen("edit-lost", EDIT, Did("git checkout src/core.py"), EDIT, SUBMIT)


def test_debug_prints_that_are_taken_back_while_the_fix_stays_are_not_lost():
    assert not seen(
        "edit-lost", EDIT, Did("sed -i '1i print(1)' src/other.py"), Did("git checkout src/other.py"), SUBMIT
    )


def test_a_stash_that_is_popped_loses_nothing():
    assert not seen("edit-lost", EDIT, Did("git stash"), TEST_BAD, Did("git stash pop"), SUBMIT)


def test_the_same_lines_edited_three_times_are_told():
    edits = [Did(f"sed -i '3s/a/{n}/' src/core.py") for n in "bcd"]
    assert steps(seen("same-region-again", *edits)) == [[1, 2, 3]]


def test_replacing_what_was_put_there_before_is_the_same_region():
    texts = ["return compute(a, b)", "return compute(b, a)", "return compute(b, a, 1)", "return compute(None)"]
    edits = [called("Edit", "ok", file_path="/w/m.py", old_string=old, new_string=new) for old, new in pairwise(texts)]
    assert steps(seen("same-region-again", *edits)) == [[1, 2, 3]]


def test_three_places_of_one_file_are_no_same_region():
    assert not seen("same-region-again", *[Did(f"sed -i '{n}s/a/b/' src/core.py") for n in (3, 30, 300)])


def test_a_script_of_the_agents_own_may_be_written_again():
    own = Did("cat > /tmp/try.py <<'E'\nprint(1)\nE")
    assert not seen("same-region-again", own, own, own)


def test_the_same_call_with_the_same_result_is_told():
    assert steps(seen("same-call-again", READ, EDIT, Did("ls", "a b"), Did("ls", "a b"))) == [[3, 4]]


def test_the_same_call_after_a_change_is_another():
    assert not seen("same-call-again", READ, EDIT, READ)


def test_the_same_call_with_another_result_is_another():
    assert not seen("same-call-again", Did("date", "1"), Did("date", "2"), Did("date", "3"))


def test_an_edit_after_a_result_that_was_cut_is_told():
    cut = Did("cat src/core.py", "The output of your last command was too long.\n<output_head>\nx")
    [found] = seen("cut-result-relied-on", cut, EDIT)
    assert list(found.steps) == [1, 2]
    assert "too long" in found.quote


def test_a_second_look_that_is_whole_makes_it_good():
    cut = Did("cat src/core.py", "The output of your last command was too long.")
    assert not seen("cut-result-relied-on", cut, Did("sed -n '1,9p' src/core.py", "def f"), EDIT)


def test_a_file_that_is_written_anew_needs_no_whole_look():
    cut = Did("cat src/core.py", "The output of your last command was too long.")
    assert not seen("cut-result-relied-on", cut, Did("cat > src/core.py <<'E'\nx\nE"))


def test_a_failed_check_before_the_end_is_told():
    [found] = seen("failed-check-ignored", EDIT, TEST_BAD, SUBMIT)
    assert list(found.steps) == [2, 3]
    assert "assert 1 == 2" in found.quote


def test_a_failed_check_that_is_followed_by_a_change_is_not_ignored():
    assert not seen("failed-check-ignored", EDIT, TEST_BAD, EDIT, SUBMIT)


def test_a_check_that_never_ran_has_not_failed():
    missing = Did("pytest", "bash: pytest: command not found", 127)
    assert not seen("failed-check-ignored", EDIT, missing, SUBMIT)


def test_work_that_was_never_checked_after_its_last_edit_is_told():
    assert steps(seen("never-verified", EDIT, TEST_OK, EDIT, READ, SUBMIT)) == [[3, 5]]


def test_work_that_was_checked_is_not_told():
    assert not seen("never-verified", EDIT, TEST_OK, SUBMIT)


def test_a_checker_that_could_not_start_has_checked_nothing():
    missing = Did("pytest", "bash: pytest: command not found", 127)
    [found] = seen("never-verified", EDIT, missing, SUBMIT)
    assert list(found.steps) == [1, 2, 3]
    assert "could not start" in found.text


def test_a_test_that_is_bent_until_it_passes_is_told():
    bent = Did("sed -i 's/== 2/== 1/' tests/test_core.py")
    assert steps(seen("check-edited", EDIT, TEST_BAD, bent, TEST_OK)) == [[2, 3, 4]]


def test_a_test_that_is_edited_together_with_the_work_is_not_bent():
    bent = Did("sed -i 's/== 2/== 1/' tests/test_core.py")
    assert not seen("check-edited", TEST_BAD, bent, EDIT, TEST_OK)


def test_a_placeholder_in_a_result_that_the_task_asks_for_is_told():
    write = called("Write", "ok", file_path="/w/answer.txt", content="placeholder answer\n")
    [found] = seen("placeholder-result", write, task="Write the key to answer.txt")
    assert found.quote == "placeholder answer"


def test_a_result_that_is_written_again_is_judged_by_its_last_text():
    write = called("Write", "ok", file_path="/w/answer.txt", content="placeholder\n")
    again = called("Write", "ok", file_path="/w/answer.txt", content="8a6f\n")
    assert not seen("placeholder-result", write, again, task="Write the key to answer.txt")


def test_a_file_that_nobody_asked_for_may_have_placeholders():
    write = called("Write", "ok", file_path="/w/notes.txt", content="placeholder\n")
    assert not seen("placeholder-result", write, task="Write the key to answer.txt")


MADE_UP = 'cat > sim.py <<\'E\'\n"""Simulate an evaluation: creates a realistic result file."""\nE'


def test_a_script_that_makes_up_results_by_its_own_words_is_told_when_it_is_run():
    [found] = seen("placeholder-result", Did(MADE_UP), Did("python sim.py"), task="Evaluate the model")
    assert list(found.steps) == [1, 2]
    assert "Simulate an evaluation" in found.quote


def test_a_reproduction_that_simulates_an_output_makes_up_no_result():
    made = MADE_UP.replace("sim.py", "reproduce_issue.py")
    assert not seen("placeholder-result", Did(made), Did("python reproduce_issue.py"), task="Fix the command")


def test_a_simulation_that_the_task_asks_for_is_none():
    assert not seen("placeholder-result", Did(MADE_UP), Did("python sim.py"), task="Simulate the evaluation")


def test_a_script_that_makes_up_results_and_is_never_run_is_not_told():
    assert not seen("placeholder-result", Did(MADE_UP), Did("cat sim.py"), task="Evaluate the model")


def test_a_directory_that_is_not_there_is_told():
    [found] = seen("wrong-directory", Did("cd srcs && ls", "bash: cd: srcs: No such file or directory", 1))
    assert list(found.steps) == [1]


def test_a_program_that_misses_a_directory_of_its_own_is_not_the_agents_fault():
    assert not seen("wrong-directory", Did("make", "/bin/sh: 1: cd: can't cd to /w/build", 2))


def test_refused_calls_are_told_together():
    assert steps(seen("refused", REFUSED, READ, REFUSED)) == [[1, 3]]


def test_a_reply_that_was_refused_for_its_form_is_told():
    refused = said("```a```\n```b```", "Please always provide EXACTLY ONE action in triple backticks, found 2 actions.")
    assert steps(seen("refused", refused, READ)) == [[1]]


def test_a_run_that_a_limit_ended_is_told():
    outcome = Outcome("limit", "exit_status LimitsExceeded")
    [found] = seen("limit", READ, EDIT, outcome=outcome)
    assert found.quote == "exit_status LimitsExceeded"


def test_a_run_that_ended_by_itself_has_no_limit():
    assert not seen("limit", READ, EDIT, SUBMIT)


def test_a_call_after_the_last_message_that_got_no_answer_is_no_last_edit():
    unanswered = Did("sed -i 's/a/b/' src/core.py", exit_code=None)
    run = run_of([EDIT, TEST_OK, said("All is fixed."), unanswered])
    run.events = [event for event in run.events if not (event.kind == "result" and event.step == 4)]
    assert "never-verified" not in {pattern.name for pattern in analyse(run).patterns}


@pytest.mark.parametrize(("file", "told"), [("repro.py", True), ("src/core.py", False)])
def test_a_difference_that_is_handed_in_holds_the_work_or_a_script_of_the_agents_own(file: str, told: bool):
    own = Did("cat > repro.py <<'E'\nprint(1)\nE")
    handed = called("submit", f"diff --git a/{file} b/{file}\n+x")
    assert bool(seen("success-without-change", own, REFUSED, handed)) is told


def test_the_last_step_that_took_edits_back_is_the_one_that_lost_them():
    back = Did("git checkout src/core.py")
    [found] = seen("edit-lost", EDIT, back, EDIT, back, SUBMIT)
    assert list(found.steps) == [1, 3, 4]


def test_a_restored_tree_takes_back_every_edit():
    assert steps(seen("edit-lost", EDIT, Did("git checkout ."), SUBMIT)) == [[1, 2]]


def test_a_restored_folder_takes_back_the_files_in_it():
    assert steps(seen("edit-lost", EDIT, Did("git checkout -- src"), SUBMIT)) == [[1, 2]]


def test_a_failed_check_is_quoted_by_its_summary_where_no_line_tells_the_error():
    [found] = seen("failed-check-ignored", EDIT, Did("pytest", "=== 7 failed, 15 passed in 2.75s ===", 1), SUBMIT)
    assert "7 failed" in found.quote


def test_a_check_that_failed_on_after_its_edit_is_not_bent():
    bent = Did("sed -i 's/== 2/== 1/' tests/test_core.py")
    assert not seen("check-edited", EDIT, TEST_BAD, bent, TEST_BAD)
    assert not seen("check-edited", EDIT, TEST_OK, bent, TEST_OK)


def test_a_test_that_is_edited_beside_an_unpacked_archive_is_not_bent():
    bent = Did("sed -i 's/== 2/== 1/' tests/test_core.py")
    assert not seen("check-edited", EDIT, TEST_BAD, bent, Did("tar xzf fix.tgz"), TEST_OK)


def test_a_test_of_the_agents_own_may_be_edited_until_it_passes():
    own = Did("cat > tests/test_core.py <<'E'\nassert f() == 2\nE")
    bent = Did("sed -i 's/== 2/== 1/' tests/test_core.py")
    assert not seen("check-edited", own, EDIT, TEST_BAD, bent, TEST_OK)


def test_a_poll_and_an_empty_result_are_no_repeats():
    poll = called("BashOutput", "running", bash_id="1")
    assert not seen("same-call-again", poll, poll, poll)
    assert not seen("same-call-again", Did("true", ""), Did("touch", ""), Did("ls x", ""), Did("ls x", ""))


def test_the_same_call_three_times_among_others_is_told():
    again, other = Did("ls a", "x"), Did("ls b", "y")
    assert [1, 3, 5] in steps(seen("same-call-again", again, other, again, Did("ls c", "z"), again))


def test_the_same_call_in_another_directory_is_another():
    assert not seen("same-call-again", Did("ls", "a"), Did("cd sub"), Did("ls", "a"))


def test_a_program_that_ran_well_after_the_last_edit_may_have_shown_its_work():
    assert not seen("never-verified", EDIT, Did("./tool --all", "fine"), SUBMIT)
    assert seen("never-verified", EDIT, Did("./tool --all", "./tool: No such file or directory", 127), SUBMIT)


def test_refused_calls_are_counted_for_each_tool():
    reply = said("x", "Please always provide EXACTLY ONE action in triple backticks, found 2 actions.")
    texts = [found.text for found in seen("refused", REFUSED, REFUSED, reply, reply)]
    assert texts == ["str_replace_editor refused 2 calls", "2 replies were refused for the form"]
    assert [found.text for found in seen("refused", reply)] == ["A reply was refused for the form"]


def test_a_region_is_named_by_its_lines_or_its_file():
    edits = [Did(f"sed -i '{n},{n + 2}s/a/b/' src/core.py") for n in (3, 6, 9)]
    assert seen("same-region-again", *edits)[0].text == "core.py, lines 9-11, was edited 3 times"
    whole = [called("Write", "ok", file_path="/w/m.py", content=text) for text in "abc"]
    assert seen("same-region-again", *whole)[0].text == "m.py was edited 3 times"


def test_edits_four_lines_apart_are_two_regions():
    assert not seen("same-region-again", *[Did(f"sed -i '{n}s/a/b/' src/core.py") for n in (3, 7, 11)])
    assert seen("same-region-again", *[Did(f"sed -i '{n}s/a/b/' src/core.py") for n in (3, 6, 9)])
