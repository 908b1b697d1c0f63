"""What differs between steps, in the workspace, and between two runs."""

from __future__ import annotations

import time

import pytest

from dap_ai.debuggees.runs.analysis.analyse import analyse
from dap_ai.debuggees.runs.analysis.analysis_model import FileWrite
from dap_ai.debuggees.runs.analysis.run_differences import applied, between_steps, compare, files_at, unified, workspace
from tests.unit.debuggees.runs.analysis.made import Did, called, run_of

CREATE = called("Write", "ok", file_path="/w/a.py", content="one\ntwo\nthree\n")
EDIT = called("Edit", "ok", file_path="/w/a.py", old_string="two", new_string="2")


def test_two_steps_differ_in_what_was_said_called_and_got():
    run = run_of([Did("ls a", "x", said="first"), Did("ls b", "x", said="then")])
    found = between_steps(run, 1, 2)
    assert set(found) == {"response", "call"}
    assert found["call"][-2:] == ["-ls a", "+ls b"]


def test_a_step_that_is_not_there_is_an_error():
    with pytest.raises(KeyError):
        between_steps(run_of([Did("ls")]), 1, 7)


def test_a_file_whose_text_is_known_is_shown_as_a_whole_diff():
    [change] = workspace(analyse(run_of([CREATE, EDIT])), 1, 2)
    assert change.whole
    assert list(change.diff)[2:] == ["@@ -1,4 +1,4 @@", " one", "-two", "+2", " three", " "]


def test_a_file_that_was_there_before_is_shown_by_its_replacements():
    [change] = workspace(analyse(run_of([EDIT])), 0, 1)
    assert not change.whole
    assert [line for line in change.diff if line[:1] in "+-"] == ["-two", "+2"]


def test_a_refused_edit_changes_nothing():
    refused = EDIT._replace(result="<tool_use_error>String to replace not found in file.")
    assert workspace(analyse(run_of([CREATE, refused])), 1, 2) == []


def test_changes_after_the_second_step_are_not_shown():
    assert workspace(analyse(run_of([CREATE, EDIT])), 0, 1)[0].steps == [1]


def test_a_file_is_known_as_it_was_after_a_step():
    analysis = analyse(run_of([CREATE, Did("ls"), EDIT]))
    assert files_at(analysis, 2)["/w/a.py"].text == "one\ntwo\nthree\n"
    after = files_at(analysis, 3)["/w/a.py"]
    assert (after.text, list(after.writes)) == ("one\n2\nthree\n", [(1, "create"), (3, "edit")])


def test_a_file_that_was_there_before_has_no_known_text():
    [file] = files_at(analyse(run_of([EDIT])), 1).values()
    assert file.text is None


def compared(one, other):
    first, second = run_of(one), run_of(other)
    return compare(first, analyse(first), second, analyse(second))


def test_the_first_change_in_which_two_runs_differ_is_found():
    mine, its = EDIT, EDIT._replace(arguments={**EDIT.arguments, "new_string": "zwei"})
    found = compared([Did("ls"), CREATE, mine], [CREATE, its])
    assert (found.step, found.other, found.same) == (3, 2, 1)
    assert list(found.diff)[-2:] == ["-2", "+zwei"]


def test_runs_that_change_the_same_do_not_diverge():
    assert compared([CREATE, Did("ls"), EDIT], [CREATE, EDIT]) is None


def test_a_run_that_ends_earlier_diverges_where_the_other_goes_on():
    found = compared([CREATE], [CREATE, EDIT])
    assert (found.step, found.other) == (0, 2)


def test_scripts_of_the_agents_own_are_no_divergence():
    own = [Did("cat > repro.py <<'E'\nprint(1)\nE"), Did("python repro.py"), Did("rm repro.py")]
    assert compared([*own, EDIT], [EDIT]) is None


def test_large_texts_are_compared_in_time():
    one = "\n".join(f"line {n}" for n in range(200_000))
    start = time.process_time()
    found = unified(one, one.replace("line 100000", "line x"), "a", "b")
    assert time.process_time() - start < 5
    assert found[-2:] == ["-line 100000", "+line x"]


def test_a_line_more_of_a_large_text_of_equal_lines_is_one_line():
    assert unified("x\n" * 3_000, "x\n" * 3_001, "a", "b")[3:] == ["+x"]
    assert unified("x\n" * 3_000, "x\n" * 3_000, "a", "b")[3:] == []


def test_large_texts_that_differ_throughout_are_told_as_replaced():
    one = "\n".join(f"line {n}" for n in range(3_000))
    found = unified(one, one.replace("line 1", "row 1").replace("line 2", "row 2") + "\nend", "a", "b")
    kinds = "".join(line[0] for line in found[3:])
    assert kinds == "-" * kinds.count("-") + "+" * kinds.count("+")
    assert found[2] == f"@@ -2,{kinds.count('-')} +2,{kinds.count('+')} @@"


@pytest.mark.parametrize(
    ("write", "after"),
    [
        (FileWrite("a", "create", new="x"), "x"),
        (FileWrite("a", "delete"), ""),
        (FileWrite("a", "append", new="d\n"), "a\nb\nc\nd\n"),
        (FileWrite("a", "edit", old="b", new="B"), "a\nB\nc\n"),
        (FileWrite("a", "edit", (2, 3), None, "x\ny"), "a\nx\ny\n"),
        (FileWrite("a", "edit", old="\n", new=""), None),
        (FileWrite("a", "edit", old="z", new="y"), None),
        (FileWrite("a", "patch"), None),
    ],
)
def test_a_files_text_is_known_after_a_write_that_tells_it(write, after):
    assert applied("a\nb\nc\n", write) == after


def test_what_is_added_to_an_unknown_text_is_shown_as_added():
    [change] = workspace(analyse(run_of([Did("echo x >> a.py")])), 0, 1)
    assert (change.whole, list(change.diff)) == (False, ["@@ append @@", "+x", "+"])


def test_two_runs_that_change_other_files_say_both():
    other = EDIT._replace(arguments={**EDIT.arguments, "file_path": "/w/b.py"})
    found = compared([CREATE, EDIT], [CREATE, other])
    assert (found.same, found.text) == (1, "The first run changes a.py, the second b.py")


def test_a_run_that_goes_on_alone_says_with_what():
    assert compared([CREATE, EDIT], [CREATE]).text == "Only the first run goes on: it changes a.py"
    assert compared([CREATE], [CREATE, EDIT]).text == "Only the second run goes on: it changes a.py"


def test_the_same_edit_with_other_blanks_is_no_divergence():
    assert compared([CREATE], [CREATE._replace(arguments={**CREATE.arguments, "content": "one\n  two\nthree"})]) is None


def test_lines_that_a_command_edits_are_named_where_their_text_is_unknown():
    [change] = workspace(analyse(run_of([Did("sed -i '3s/a/b/' src/core.py")])), 0, 1)
    assert list(change.diff) == ["@@ lines 3-3 @@"]


def test_a_file_that_is_deleted_has_no_lines_left():
    [change] = workspace(analyse(run_of([CREATE, EDIT, Did("rm a.py")])), 1, 3)
    assert (change.steps, change.whole) == ([2, 3], True)
    assert [line for line in list(change.diff)[3:] if line != " "] == ["-one", "-two", "-three"]


def test_files_that_a_run_deletes_are_no_divergence():
    other = EDIT._replace(arguments={**EDIT.arguments, "file_path": "/w/b.py"})
    assert compared([CREATE, Did("rm a.py"), other], [other]) is None


def test_changes_without_a_known_text_are_compared_by_their_calls():
    found = compared([Did("sed -i '3s/a/b/' src/core.py")], [Did("sed -i '9s/a/b/' src/core.py")])
    assert (found.text, found.same) == ("Both change src/core.py, differently", 0)
    assert list(found.diff)[3:] == ["-sed -i '3s/a/b/' src/core.py", "+sed -i '9s/a/b/' src/core.py"]
