"""Where a run went wrong: each symptom leads back to the step that it comes from, and runs without one stay quiet."""

from __future__ import annotations

import msgspec
import pytest

from dap_ai.debuggees.runs.analysis.analyse import analyse, analyse_against
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.analysis.onset.work_rules import fault_of
from dap_ai.debuggees.runs.run_model import Event, Outcome, Ref
from tests.unit.debuggees.runs.analysis.made import FAILED, PASSED, Did, called, run_of, said

READ = Did("cat src/core.py", "def f(): ...")
EDIT = Did("sed -i '3s/a/b/' src/core.py")
TEST_OK = Did("pytest", PASSED)
TEST_BAD = Did("pytest", FAILED, 1)
NO_TOOL = Did("javac Core.java", "bash: javac: command not found", 127)
SUBMIT = called("submit")
SILENT = "(Bash completed with no output)"
HAND_IN = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached"
LIMIT = Outcome("limit", "exit_cost")
LOST = Outcome("failed", "reward 0", Ref("result.json", None, "/reward"))


def finding(*steps, failed=False, **fields):
    return analyse(run_of(steps, **fields), failed=failed).finding


def onset(*steps, **fields):
    found = finding(*steps, **fields).onset
    assert found is not None
    return found


def where(*steps, **fields):
    found = onset(*steps, **fields)
    return found.step, found.type


def is_quiet(*steps, **fields):
    found = finding(*steps, **fields)
    return found.onset is None and bool(found.why)


# -- quiet ---------------------------------------------------------------------------------------------------------


def test_a_run_that_records_that_it_was_solved_stays_quiet_whatever_its_text_shows():
    assert is_quiet(EDIT, TEST_BAD, SUBMIT, outcome=Outcome("solved", "reward 1"))


def test_a_run_without_verdict_and_symptom_stays_quiet():
    assert is_quiet(READ, EDIT, TEST_OK, SUBMIT)


def test_an_edit_that_was_never_checked_is_no_symptom_by_itself():
    assert is_quiet(READ, NO_TOOL, EDIT, SUBMIT)


def test_a_run_that_a_fault_outside_ended_stays_quiet():
    assert is_quiet(EDIT, TEST_BAD, outcome=Outcome("error", "the service was down"))


def test_a_limit_that_came_because_the_model_did_not_answer_is_nobodys_step():
    run = run_of([Did("ls")], outcome=LIMIT)
    run.events = [*run.events, Event(99, "error", Ref(), text="503, tried again")]
    assert analyse(run).finding.onset is None


def test_a_call_that_never_got_a_result_is_no_change():
    run = run_of([called("Write", file_path="/w/a.py", content="x"), Did("ls")], outcome=LIMIT)
    events = [event for event in run.events if not (event.kind == "result" and event.step == 1)]
    run.events = [*events, Event(99, "error", Ref(), text="503, tried again")]
    assert analyse(run).finding.onset is None


def test_a_reply_that_was_refused_for_its_form_is_no_fault_of_the_model_service():
    reply = said("```a```", "Please always provide EXACTLY ONE action in triple backticks, found 2 actions.")
    assert onset(reply, Did("ls", "a"), outcome=LIMIT).step == 2


def test_a_run_without_steps_says_so():
    assert finding().why == "the run has no steps"


# -- known to have failed ------------------------------------------------------------------------------------------


def test_of_a_run_that_is_recorded_as_failed_without_a_symptom_the_last_change_is_named_with_little_confidence():
    found = onset(READ, EDIT, TEST_OK, SUBMIT, outcome=LOST)
    assert (found.step, found.confidence < 0.5) == (2, True)
    assert found.evidence[-1].quote == "reward 0"


def test_who_knows_that_a_run_failed_gets_its_last_change_named():
    assert onset(READ, EDIT, TEST_OK, SUBMIT, failed=True).step == 2


def test_of_a_failed_run_without_a_change_the_answer_is_named():
    assert onset(READ, Did("finish 42", tool="finish"), failed=True).step == 2


# -- checks --------------------------------------------------------------------------------------------------------


def test_a_last_check_that_failed_leads_to_the_change_that_it_judges():
    assert where(READ, EDIT, TEST_BAD, READ, SUBMIT) == (2, "incorrect hypothesis")
    found = onset(READ, EDIT, TEST_BAD, READ, SUBMIT)
    assert found.chain[1].text == "the check fails: E assert 1 == 2"
    assert [evidence.quote for evidence in found.evidence] == ["sed -i '3s/a/b/' src/core.py", "E   assert 1 == 2"]


def test_a_check_that_fails_as_it_did_before_the_change_was_misread():
    assert where(TEST_BAD, EDIT, TEST_BAD, SUBMIT) == (2, "verification misinterpretation")


def test_a_check_in_the_same_call_as_the_change_came_after_it():
    both = Did("sed -i '3s/a/b/' src/core.py; pytest | tail", FAILED)
    assert where(READ, both, TEST_BAD, SUBMIT) == (2, "incorrect hypothesis")


def test_a_failed_check_before_a_later_change_is_no_symptom():
    assert is_quiet(EDIT, TEST_BAD, EDIT, TEST_OK, SUBMIT)


def test_few_failures_among_many_tests_may_be_old_and_are_no_symptom():
    some = "FAILED tests/test_core.py::test_a\n===== 1 failed, 900 passed in 9.12s ====="
    assert is_quiet(EDIT, Did("pytest", some, 1), SUBMIT)


def test_a_change_that_no_check_could_judge_before_the_limit_comes_before_the_loop_after_it():
    found = onset(EDIT, NO_TOOL, NO_TOOL, NO_TOOL, NO_TOOL, SUBMIT, outcome=LIMIT)
    assert (found.step, found.alternatives[0].type) == (1, "unproductive looping")


def test_of_many_checks_that_could_not_tell_the_first_three_are_named_and_two_are_quoted():
    found = onset(EDIT, *[NO_TOOL] * 4, SUBMIT, outcome=LIMIT)
    assert [link.step for link in found.chain] == [1, 2, 3, 4]
    assert [evidence.step for evidence in found.evidence if evidence.step] == [1, 2, 3]


@pytest.mark.parametrize(("times", "looks"), [(2, False), (3, True)])
def test_a_block_that_comes_three_times_is_a_loop(times: int, looks: bool):
    again = [Did("cat nothing.py", "cat: nothing.py: Permission denied", 1)] * times
    found = finding(READ, *again, outcome=LIMIT).onset
    assert (found is not None and found.type == "unproductive looping") is looks


def test_a_limit_without_a_change_leads_to_the_block_that_repeats():
    found = onset(READ, *[Did("cat nothing.py", "cat: nothing.py: Permission denied", 1)] * 5, outcome=LIMIT)
    assert (found.type, found.first, found.last) == ("unproductive looping", 2, 6)


def test_a_change_that_the_agent_says_it_could_not_verify_is_named():
    doubt = Did("ls", said="I couldn't reproduce the issue, but it should be right.")
    assert where(READ, EDIT, doubt, SUBMIT) == (2, "verification misinterpretation")


def test_a_doubt_that_a_later_test_removes_is_no_symptom():
    doubt = Did("ls", said="I couldn't reproduce the issue, but it should be right.")
    assert is_quiet(READ, EDIT, doubt, TEST_OK, SUBMIT)


def test_a_doubt_with_an_if_is_none():
    assert is_quiet(EDIT, Did("ls", said="If I cannot reproduce the issue, I look further."), SUBMIT)


def test_a_result_that_the_task_asks_for_and_that_nothing_tried_is_named():
    write = called("Write", "File created", file_path="/w/regex.txt", content="[0-9]+\n")
    assert onset(write, said("Successfully done."), task="Write regex.txt").step == 1
    assert is_quiet(write, Did("python try.py", "ok"), said("Successfully done."), task="Write regex.txt")


def test_a_failing_check_judges_the_change_that_its_words_name():
    other = called("str_replace_editor", "edited", command="str_replace", path="/w/a.py", old_str="x", new_str="y = 1")
    named = called("str_replace_editor", "edited", command="str_replace", path="/w/b.py", old_str="x", new_str="q(7)")
    check = Did("pytest", 'File "/w/b.py", line 3\n    q(7)\nTypeError: no\n=== 1 failed in 0.1s ===', 1)
    assert onset(named, other, other, check, SUBMIT).step == 1
    assert onset(other, named, check, SUBMIT).step == 2


def test_a_failing_check_judges_what_was_changed_since_one_passed():
    assert onset(EDIT, TEST_OK, EDIT, TEST_BAD, SUBMIT).step == 3


def test_what_was_changed_after_the_first_failure_was_meant_to_mend_it():
    more = Did("cat > src/more.py <<'E'\na = 1\nb = 2\nE")
    assert onset(EDIT, TEST_BAD, more, TEST_BAD, SUBMIT).step == 1


def test_the_main_change_is_the_one_that_brought_most_of_what_is_left():
    small, large = "a = 1\n", "a = 1\nb = 2\nc = 3\nd = 4\n"
    write = [called("Write", "File created", file_path="/w/core.py", content=text) for text in (small, large, large)]
    assert onset(*write, SUBMIT, failed=True).step == 2


def test_lines_that_a_later_edit_replaced_are_left_of_nobody():
    write = called("Write", "File created", file_path="/w/core.py", content="a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n")
    edit = called("Edit", "ok", file_path="/w/core.py", old_string="a = 1\nb = 2\nc = 3", new_string="x\ny\nz")
    assert onset(write, edit, SUBMIT, failed=True).step == 2


def test_a_change_without_a_known_text_is_quoted_by_the_line_that_names_its_file():
    found = onset(READ, Did("cd /w\nsed -i '3s/a/b/' src/core.py"), SUBMIT, failed=True)
    assert [evidence.quote for evidence in found.evidence] == ["sed -i '3s/a/b/' src/core.py"]


def test_a_patch_that_was_written_as_a_script_comes_from_the_step_that_wrote_it():
    script = "text = open('src/core.py').read()\nopen('src/core.py', 'w').write(text.replace('a', 'b'))"
    steps = [READ, Did(f"cat > patch.py <<'E'\n{script}\nE"), Did("ls"), Did("python patch.py"), SUBMIT]
    assert onset(*steps, failed=True).step == 2


def test_a_test_that_was_bent_is_a_suspect_between_its_failure_and_its_success():
    bent = Did("sed -i 's/== 2/== 1/' tests/test_core.py")
    found = onset(EDIT, TEST_BAD, bent, TEST_OK, SUBMIT, failed=True)
    [suspect] = [one for one in found.alternatives if one.rule == "check-bent"]
    assert (suspect.step, [link.step for link in suspect.chain]) == (3, [2, 3, 4])


def test_a_script_that_fails_as_last_may_itself_be_wrong_and_is_no_symptom():
    script = Did("python repro.py", "Traceback (most recent call last):\nNameError: x", 1)
    assert is_quiet(Did("cat > repro.py <<'E'\nx\nE"), EDIT, script, SUBMIT)


# -- the verifier --------------------------------------------------------------------------------------------------


def judged(printed, *steps, **fields):
    """The onset of a run beside which a verifier printed something."""
    run = run_of(steps, outcome=LOST, **fields)
    run.events = [*run.events, Event(99, "note", Ref("verifier/test-stdout.txt"), text=printed)]
    return analyse(run).finding.onset


def test_the_verifiers_complaint_leads_to_the_change_that_brought_what_it_quotes():
    first = called("Write", "File created", file_path="/w/a.txt", content="alpha\n")
    second = called("Write", "File created", file_path="/w/b.txt", content="one\ntwo\nthree\n")
    found = judged("E   assert 'alpha' == 'omega'\n=== 1 failed in 0.1s ===", first, second, said("Done."))
    assert found is not None
    assert (found.step, "alpha" in found.text) == (1, True)
    assert [evidence.quote for evidence in found.evidence] == ["alpha", "E   assert 'alpha' == 'omega'", "reward 0"]
    later = judged("E   assert 'two' == 'omega'\n=== 1 failed in 0.1s ===", second, first, said("Done."))
    assert later is not None and later.step == 1


def test_a_verifier_that_was_content_complains_of_nothing():
    first = called("Write", "File created", file_path="/w/a.txt", content="alpha\n")
    second = called("Write", "File created", file_path="/w/b.txt", content="one\ntwo\nthree\n")
    found = judged("E   assert 'alpha' == 'omega'\n=== 1 passed in 0.1s ===", first, second, said("Done."))
    assert found is not None and found.rule == "handed-in"


def test_the_verifiers_complaint_leads_to_the_file_that_it_names():
    first = called("Write", "File created", file_path="/w/a.txt", content="alpha\n")
    second = called("Write", "File created", file_path="/w/b.txt", content="one\ntwo\nthree\n")
    found = judged("E   AssertionError: a.txt is wrong\n=== 1 failed in 0.1s ===", first, second, said("Done."))
    assert found is not None and found.step == 1


# -- what is missing -----------------------------------------------------------------------------------------------

NOT_INSTALLED = Did("pip install lxml", "ERROR: No matching distribution found for lxml", 1)
MISSED = Did("python main.py", "ModuleNotFoundError: No module named 'lxml'", 1)


def test_a_library_that_is_missed_at_the_end_leads_to_its_installation_that_failed():
    assert where(READ, NOT_INSTALLED, EDIT, MISSED, SUBMIT) == (2, "dependency resolution")


def test_a_library_that_was_installed_later_is_not_missing():
    again = Did("pip install --user lxml", "Successfully installed lxml-5.1")
    assert is_quiet(NOT_INSTALLED, again, EDIT, Did("python main.py", "ok"), SUBMIT)


def test_a_result_in_another_place_than_the_task_asks_for_is_named():
    elsewhere = called("Write", "File created", file_path="/root/answer.txt", content="42\n")
    steps = [READ, elsewhere, Did("cat /root/answer.txt", "42"), said("Done.")]
    assert where(*steps, task="Write the word to /w/answer.txt") == (2, "mislocalized edit")


def test_a_call_that_itself_tells_the_right_place_has_not_brought_the_result_there():
    elsewhere = called("Write", "File created", file_path="/root/answer.txt", content="For /w/answer.txt: 42\n")
    steps = [READ, elsewhere, Did("cat /root/answer.txt", "42"), said("Done.")]
    assert where(*steps, task="Write the word to /w/answer.txt") == (2, "mislocalized edit")


@pytest.mark.parametrize(
    "after", ["cp /root/answer.txt /w/answer.txt", "mv /root/answer.txt /w/", "python to.py /w/answer.txt"]
)
def test_a_result_that_may_have_been_brought_to_its_place_is_no_symptom(after):
    elsewhere = called("Write", "File created", file_path="/root/answer.txt", content="42\n")
    assert is_quiet(READ, elsewhere, Did(after), TEST_OK, said("Done."), task="Write the word to /w/answer.txt")


def test_a_path_that_the_task_only_mentions_is_not_asked_for():
    elsewhere = called("Write", "File created", file_path="/w/core.py", content="a = 1\n")
    task = 'Fix this:\n  File "/usr/lib/python3/core.py", line 3'
    assert is_quiet(READ, elsewhere, TEST_OK, said("Done."), task=task)


# -- what is handed in ---------------------------------------------------------------------------------------------


def test_a_difference_without_the_edited_file_leads_to_the_edit_that_had_no_effect():
    handed = Did(HAND_IN, "diff --git a/setup.py b/setup.py\n+x")
    found = onset(READ, EDIT, TEST_OK, handed)
    assert (found.step, found.type) == (2, "mislocalized edit")
    assert any("diff --git a/setup.py" in evidence.quote for evidence in found.evidence)


def test_a_difference_with_the_edited_file_is_no_symptom():
    assert is_quiet(EDIT, TEST_OK, Did(HAND_IN, "diff --git a/src/core.py b/src/core.py\n+x"))


def test_a_difference_of_files_that_the_run_speaks_of_may_hold_its_change():
    handed = Did(HAND_IN, "diff --git a/src/other.py b/src/other.py\n+x")
    assert is_quiet(READ, EDIT, Did("python apply.py src/other.py"), TEST_OK, handed)


def test_a_file_that_took_the_place_of_the_work_is_in_the_difference_under_its_name():
    make = Did("cat > src/core.py.new <<'E'\nx = 1\nE\nmv src/core.py.new src/core.py")
    assert is_quiet(make, TEST_OK, Did(HAND_IN, "diff --git a/src/core.py b/src/core.py\n+x"))


def test_an_edit_of_the_work_that_was_refused_and_taken_for_done_is_named():
    refused = called(
        "str_replace_editor", "ERROR:\nNo replacement was performed", command="str_replace", path="/w/a.py"
    )
    found = onset(READ, refused, Did("ls"), SUBMIT)
    assert (found.step, found.type) == (2, "mislocalized edit")
    assert found.text.startswith("Step 2 tried to change the work, and the tool did not do it;")


def test_a_script_of_its_own_that_the_agent_takes_for_the_fix_is_named():
    refused = called(
        "str_replace_editor", "ERROR:\nNo replacement was performed", command="str_replace", path="/w/a.py"
    )
    make = Did("cat > repro.py <<'E'\nprint(1)\nE", said="Let me reproduce it.")
    fix = Did("cat > repro.py <<'E'\nprint(2)\nE", said="Now I fix the issue.")
    assert where(refused, make, fix, Did("rm repro.py"), SUBMIT) == (3, "mislocalized edit")


def test_the_step_that_took_every_edit_back_is_named():
    found = onset(EDIT, TEST_BAD, Did("git checkout src/core.py"), SUBMIT)
    assert (found.step, [link.step for link in found.chain]) == (3, [1, 3])


def test_a_file_that_cannot_be_read_leads_to_the_write_since_which_it_cannot():
    def write(text):
        return called("Write", "File created", file_path="/w/run.py", content=text)

    found = onset(write("a = 1\n"), write(">a = 1\n"), write(">a = 2\n"), said("Done."), task="Write run.py")
    assert (found.step, [link.step for link in found.chain]) == (2, [2, 3])
    assert is_quiet(write(">a = 1\n"), write("a = 2\n"), Did("python run.py"), said("Done."), task="Write run.py")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def f(:\n"),
        ("a.json", "{'a': 1}"),
        ("a.c", "> int main(void) {}"),
        ("a.py", ": import os\n"),
        ("a.py", "a\0"),
    ],
)
def test_a_text_that_nothing_can_read_has_a_fault(path, text):
    assert fault_of(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "x = 1\n"),
        ("a.py", 'print "old"\n'),
        ("a.py", "try:\n  pass\nexcept* E:\n  pass\n"),
        ("a.txt", "> quoted"),
        ("a.py", None),
        ("a.json", "[" * 90_000),
        ("a.py", "-" * 90_000 + "1"),
        ("a.py", "(" * 200_000),
    ],
)
def test_a_text_that_something_may_read_or_that_is_too_hard_has_none(path, text):
    assert not fault_of(path, text)


# -- what is not there ---------------------------------------------------------------------------------------------

LISTED = "-rw-r--r-- 1 root root 8192 Apr  1 13:22 main.db\n-rw-r--r-- 1 root root 16512 Apr  1 13:22 main.db-wal"
GONE = Did("xxd main.db-wal", "xxd: main.db-wal: No such file or directory", 1)


def test_a_file_that_vanished_leads_to_the_step_that_touched_what_it_belongs_to():
    opened = Did('sqlite3 main.db "select 1"', "1")
    assert where(Did("ls -la", LISTED), opened, Did("date", "now"), GONE) == (2, "environment/setup")


def test_a_file_that_an_editor_misses_has_vanished_too():
    missed = called("str_replace_editor", "The path does not exist: /w/main.db-wal", command="view", path="/w/x")
    assert where(Did("ls -la", LISTED), Did('sqlite3 main.db "select 1"', "1"), missed) == (2, "environment/setup")


def test_a_list_of_files_that_a_program_printed_is_none_of_this_directory():
    assert is_quiet(Did("python pack.py", LISTED), Did('sqlite3 main.db "select 1"', "1"), GONE)


def test_a_file_that_the_agent_removed_has_not_vanished():
    assert is_quiet(Did("ls -la", LISTED), Did("rm main.db-wal"), GONE)


def test_an_installation_that_a_stray_prefix_swallowed_is_named():
    steps = [READ, Did(": pip install pexpect", SILENT), Did(": python3 -c 'import pexpect'", SILENT)]
    assert where(*steps, Did(": echo hi", SILENT), said("Done.")) == (2, "dependency resolution")


def test_what_comes_after_the_swallowed_command_was_done():
    steps = [Did(": true && pip install pexpect", SILENT), Did(": echo hi", SILENT), Did(": echo ho", SILENT)]
    assert is_quiet(*steps, said("Done."))


def test_swallowed_commands_before_a_check_that_passes_did_no_harm():
    steps = [Did(": pip install pexpect", SILENT), Did(": echo hi", SILENT), Did(": echo ho", SILENT)]
    assert is_quiet(*steps, EDIT, TEST_OK, SUBMIT)


def test_a_run_that_ends_by_itself_with_nothing_done_and_nothing_said_leads_to_its_last_step():
    run = run_of([READ, Did("cat b.py", "x")])
    run.events = [*run.events, Event(99, "end", Ref())]
    found = analyse(run).finding.onset
    assert found is not None
    assert found.step == 2
    run.events = [*run.events[:-1], Event(99, "end", Ref(), text="core.py does this and that.")]
    assert analyse(run).finding.onset is None


def test_an_answer_that_a_simulated_search_gave_is_named():
    assert onset(said("I plan."), said("I will simulate a search in the archive."), said("It is 7.")).step == 2


def test_a_thought_is_no_tool_that_was_asked():
    thought = called("think", "", thought="Where is the archive?")
    assert onset(thought, said("I will simulate a search in the archive."), said("It is 7.")).step == 2


def test_a_simulation_after_tools_were_asked_is_work():
    assert is_quiet(READ, said("I will simulate a queue with threads."), said("It is 7."))


def test_a_quote_is_the_first_line_with_words_that_is_no_heading():
    found = onset(READ, Did("finish 42", tool="finish", said="DISCUSSION\n--\nIt is 42."), failed=True)
    assert "It is 42." in [evidence.quote for evidence in found.evidence]


# -- two runs ------------------------------------------------------------------------------------------------------


def test_against_a_run_that_went_well_the_first_change_that_differs_is_named():
    other = Did("sed -i '9s/x/y/' src/other.py")
    failing, passing = run_of([READ, EDIT, EDIT, TEST_OK, SUBMIT]), run_of([EDIT, other, TEST_OK, SUBMIT])
    found = analyse_against(failing, passing).finding.onset
    assert found is not None
    assert (found.step, "other.py" in found.text, found.rule) == (3, True, "differs")


def test_against_a_run_with_the_same_changes_nothing_is_said():
    assert analyse_against(run_of([EDIT, TEST_OK, SUBMIT]), run_of([EDIT, SUBMIT])).finding.onset is None


# -- form ----------------------------------------------------------------------------------------------------------


def test_a_finding_can_be_written_and_read_again():
    found = analyse(run_of([EDIT, TEST_BAD, SUBMIT]))
    assert msgspec.json.decode(msgspec.json.encode(found), type=RunAnalysis) == found


def test_quotes_are_cut_and_stand_in_what_they_cite():
    found = onset(EDIT, Did("pytest", "E   assert " + "x" * 3_000 + "\n1 failed in 0.1s", 1), SUBMIT)
    assert all(0 < len(evidence.quote) <= 200 for evidence in found.evidence)
