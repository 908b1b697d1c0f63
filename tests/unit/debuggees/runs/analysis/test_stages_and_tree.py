"""Stages as ranges, and the tree of states."""

from __future__ import annotations

import msgspec

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.analysis.analysis_model import RunAnalysis
from dap_ai.debuggees.runs.analysis.onset_model import OnsetFinding
from dap_ai.debuggees.runs.analysis.state_tree import folded
from tests.unit.debuggees.runs.analysis.made import FAILED, PASSED, Did, analysed, called, run_of, said, stages

LOOK = Did("cat src/core.py", "def f(): ...")
EDIT = Did("sed -i '3s/a/b/' src/core.py")
REPRO = Did("cat > repro.py <<'E'\nprint(1)\nE")
RUN = Did("python repro.py", "1")
TEST = Did("pytest", PASSED)
SUBMIT = called("submit")


def test_a_run_goes_from_looking_to_handing_in():
    found = stages(analysed(LOOK, REPRO, RUN, LOOK, EDIT, LOOK, RUN, TEST, Did("rm repro.py"), SUBMIT))
    assert found == [("inspection", 1, 4), ("patching", 5, 6), ("verification", 7, 9), ("submission", 10, 10)]


def test_looking_around_after_a_check_and_before_the_next_change_is_inspection_again():
    found = stages(analysed(LOOK, EDIT, Did("pytest", FAILED, 1), LOOK, EDIT, TEST))
    assert [name for name, _, _ in found] == [
        "inspection",
        "patching",
        "verification",
        "inspection",
        "patching",
        "verification",
    ]


def test_a_new_test_after_the_fix_belongs_to_its_checking():
    assert stages(analysed(EDIT, REPRO, RUN)) == [("patching", 1, 1), ("verification", 2, 3)]


def test_installing_is_a_stage_of_its_own():
    found = stages(analysed(LOOK, Did("pip install -e ."), LOOK, EDIT))
    assert [name for name, _, _ in found] == ["inspection", "dependencies", "inspection", "patching"]


def test_the_beginning_is_about_the_environment_while_only_that_is_asked():
    found = stages(
        analysed(Did("python --version", "3.11"), Did(":"), Did("xxd a", "xxd: command not found", 127), LOOK, EDIT)
    )
    assert found[:2] == [("environment", 1, 3), ("inspection", 4, 4)]


def test_what_is_said_belongs_to_what_it_announces():
    assert stages(analysed(LOOK, said("Now I fix it."), EDIT)) == [("inspection", 1, 1), ("patching", 2, 3)]


def test_a_last_message_hands_the_work_in_and_calls_that_never_ran_are_in_no_stage():
    run = analysed(LOOK, EDIT, said("All done."))
    assert stages(run)[-1] == ("submission", 3, 3)


def test_changing_steps_open_states_and_looking_steps_stand_under_them():
    tree = analysed(LOOK, LOOK, EDIT, LOOK, EDIT, RUN).tree
    assert [(node.step, node.parent) for node in tree] == [(1, 0), (2, 0), (3, 0), (4, 3), (5, 3), (6, 5)]


def test_a_refused_edit_opens_no_state():
    refused = called(
        "Edit", "<tool_use_error>String to replace not found in file.", file_path="/w/a", old_string="x", new_string="y"
    )
    tree = analysed(refused, LOOK).tree
    assert tree[1].parent == 0
    assert tree[0].outcome.startswith("refused: <tool_use_error>String to replace not found")


def test_folding_leaves_what_changed_checked_and_ended():
    tree = analysed(LOOK, EDIT, LOOK, TEST, SUBMIT).tree
    assert [node.kind for node in folded(tree)] == ["change", "verify", "submit"]


def test_an_intent_is_the_agents_own_sentence():
    words = "THOUGHT: The method is in core.py. I will look at its body first.\n\n```bash\ncat src/core.py\n```"
    [node] = analysed(Did("cat src/core.py", "x", said=words)).tree
    assert node.intent == "I will look at its body first."


def test_of_several_sentences_that_announce_something_the_last_is_the_intent():
    [node] = analysed(Did("ls", "x", said="I will look for the parser. Then I will run its tests.")).tree
    assert node.intent == "Then I will run its tests."


def test_a_response_that_made_several_calls_is_the_intent_of_none():
    run = run_of([Did("ls", "a", said="I will look at both."), Did("pwd", "/w")])
    run.events = [event for event in run.events if not (event.kind == "response" and event.step == 2)]
    assert [node.intent for node in analyse(run).tree] == ["ls", "pwd"]


def test_without_words_the_intent_is_the_description_or_the_call():
    tree = analysed(Did("ls", "a", arguments={"command": "ls", "description": "List files"}), Did("pwd", "/w")).tree
    assert [node.intent for node in tree] == ["List files", "pwd"]


def test_an_outcome_is_one_line_of_the_result_or_of_the_check():
    tree = analysed(Did("cat a", "first\nsecond"), Did("cat b", "", 1), Did("pytest", FAILED, 1), Did("ls", "")).tree
    assert [node.outcome for node in tree] == ["first", "exit 1: no output", "failed: 2 passed, 1 failed", "no output"]


def test_lines_are_one_line_whatever_the_run_holds():
    tree = analysed(Did("cat a\n\n\n", "x" * 5000 + "\n\ty", said="I will\n\n" + "go " * 500)).tree
    assert all("\n" not in text and len(text) <= 120 for node in tree for text in (node.intent, node.outcome))


def test_an_empty_run_has_an_empty_analysis():
    found = analysed(task="")
    assert found == RunAnalysis(
        finding=OnsetFinding(why="the run has no steps"), effects=[], checks=[], stages=[], tree=[], patterns=[]
    )


def test_an_analysis_can_be_written_and_read_again():
    found = analysed(LOOK, EDIT, TEST, SUBMIT)
    assert msgspec.json.decode(msgspec.json.encode(found), type=RunAnalysis) == found


def test_a_long_result_says_how_much_more_there_is():
    tree = analysed(Did("cat a", "a\nb\nc\nd\ne\n"), Did("cat b", "a\nb\nc\nd\ne\nf\n")).tree
    assert [node.outcome for node in tree] == ["a", "a (+5 lines)"]


def test_lines_of_digits_and_rules_say_nothing():
    assert analysed(Did("cat a", "-----\n12\nname: x")).tree[0].outcome == "name: x"


def test_a_check_that_could_not_start_says_so():
    tree = analysed(EDIT, Did("pytest", "bash: pytest: command not found", 127), Did("pytest", PASSED)).tree
    assert tree[1].outcome.startswith("did not run")
    assert tree[2].outcome == "ok: 3 passed"


def test_a_call_without_a_result_and_one_that_did_nothing_say_so():
    assert analysed(Did(":")).tree[0].outcome == "nothing: the no-op `:`"


def test_a_call_that_got_no_result_says_so_and_a_message_says_nothing():
    run = run_of([Did("ls"), said("Done.")])
    run.events = [event for event in run.events if event.kind != "result"]
    assert [node.outcome for node in analyse(run).tree] == ["no result", ""]


def test_a_tool_that_is_no_shell_is_named_with_its_call():
    assert analysed(called("read_file", "x", path="a.py")).tree[0].intent == "read_file: path: a.py"


def test_a_last_message_before_any_change_hands_nothing_in():
    assert stages(analysed(LOOK, said("All done."))) == [("inspection", 1, 2)]


def test_a_script_of_its_own_that_is_removed_is_no_patching():
    found = stages(analysed(LOOK, REPRO, RUN, Did("rm repro.py")))
    assert found == [("inspection", 1, 4)]


def test_looking_after_a_check_that_no_change_follows_stays_with_the_check():
    assert stages(analysed(EDIT, TEST, LOOK)) == [("patching", 1, 1), ("verification", 2, 3)]


def test_taking_edits_back_and_making_folders_is_no_patching():
    assert stages(analysed(EDIT, TEST, Did("git checkout src/core.py"))) == [
        ("patching", 1, 1),
        ("verification", 2, 3),
    ]
    assert stages(analysed(LOOK, Did("mkdir out"), LOOK, EDIT)) == [("inspection", 1, 3), ("patching", 4, 4)]
    assert stages(analysed(LOOK, Did("git commit -am x"), EDIT)) == [("inspection", 1, 2), ("patching", 3, 3)]
