from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dap_ai.agent.report.source_edits import SourceEdit, diff, moved, text_after, touches
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.system.apply_diff import mended

SOURCE = SourceFile("/x/shop.py", "one\ntwo\nthree\nfour\n")


def test_an_edit_replaces_whole_lines():
    assert text_after(SOURCE, [SourceEdit(SOURCE, 2, 3, ["2", "2b", "3"])]) == "one\n2\n2b\n3\nfour\n"


def test_an_edit_that_ends_before_it_begins_inserts():
    assert text_after(SOURCE, [SourceEdit(SOURCE, 3, 2, ["new"])]) == "one\ntwo\nnew\nthree\nfour\n"


def test_several_edits_name_lines_of_the_text_before():
    edits = [SourceEdit(SOURCE, 1, 1, ["1", "1b"]), SourceEdit(SOURCE, 4, 4, [])]
    assert text_after(SOURCE, edits) == "1\n1b\ntwo\nthree\n"


def test_edits_that_overlap_are_refused():
    with pytest.raises(ValueError, match="two edits"):
        text_after(SOURCE, [SourceEdit(SOURCE, 1, 2, []), SourceEdit(SOURCE, 2, 3, [])])


def test_an_edit_outside_of_the_file_is_refused():
    with pytest.raises(ValueError, match="no lines 7 to 8"):
        text_after(SOURCE, [SourceEdit(SOURCE, 7, 8, ["x"])])


def test_a_line_below_an_edit_moves_by_what_the_edit_adds():
    edits = [SourceEdit(SOURCE, 2, 2, ["a", "b", "c"])]
    assert [moved("/x/shop.py", line, edits) for line in (1, 3)] == [1, 5]


def test_a_line_of_another_file_does_not_move():
    assert moved("/x/other.py", 3, [SourceEdit(SOURCE, 1, 1, [])]) == 3


@pytest.mark.parametrize(("first", "last", "expected"), [(1, 1, False), (2, 2, True), (4, 4, False)])
def test_whether_an_edit_touches_lines(first: int, last: int, expected: bool):
    assert touches("/x/shop.py", 2, 3, [SourceEdit(SOURCE, first, last, ["x"])]) is expected


def test_a_diff_names_the_file_relative_to_the_folder_of_the_program():
    assert diff(SOURCE, [SourceEdit(SOURCE, 2, 2, ["2"])], "/x").splitlines()[:2] == ["--- a/shop.py", "+++ b/shop.py"]


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("changed", [1, 3])
def test_a_diff_is_applied_by_patch_whether_or_not_the_last_line_has_an_end(tmp_path: Path, end: str, changed: int):
    file = tmp_path / "shop.py"
    file.write_text("a\nb\nc" + end, encoding="utf-8")
    source = SourceFile(str(file), file.read_text(encoding="utf-8"))
    edits = [SourceEdit(source, changed, changed, ["x", "y"])]
    command = ["git", "apply", "-"]
    subprocess.run(command, cwd=tmp_path, input=diff(source, edits, str(tmp_path)) + "\n", text=True, check=True)
    assert file.read_text(encoding="utf-8") == text_after(source, edits)
    assert mended(source.text, diff(source, edits)) == text_after(source, edits)
