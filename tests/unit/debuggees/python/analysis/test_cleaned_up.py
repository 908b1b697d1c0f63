"""What is known of a failure's frames where cleanup has run since and nothing was captured at the raise."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_ai.agent.case.stop_snapshot import FramePlace
from tests.unit.agent.harness import case_of, fail

CALLED = """class Box:
    n = 3
def helper(box, rows, k):
    return k / (box.n - 3) + rows[0]
def work(box):
    CLEANING
        return helper(box, [1], 2)
    END
box = Box()
box.n = 3
work(box)
"""
FINALLY = ("try:", "finally: box.n = 8")
OF_A_FILE = ("with open(__file__) as file:", "")
OF_ANOTHER = ("with contextlib.ExitStack() as stack:", "")
NOT_NAMED = ("with open(__file__):", "")


def places(folder: Path, text: str) -> list[FramePlace]:
    (folder / "main.py").write_text(text)
    return case_of(fail(folder / "main.py")).places


def called(folder: Path, cleaning: tuple[str, str]) -> list[FramePlace]:
    before, after = cleaning
    return places(folder, "import contextlib\n" + CALLED.replace("CLEANING", before).replace("END", after))


def test_what_a_callers_cleanup_may_have_changed_is_not_known_in_the_frames_below_and_above_it(tmp_path: Path):
    helper, work, module = called(tmp_path, FINALLY)
    assert [place.value("box") for place in (helper, work, module)] == [None, None, None]
    assert helper.value("box.n") is None
    assert helper.present("box.n") is not None
    assert helper.value("rows") is None


def test_numbers_that_nothing_else_can_set_are_as_they_were(tmp_path: Path):
    helper, *_ = called(tmp_path, FINALLY)
    value = helper.value("k")
    assert value is not None
    assert value.text == "2"


@pytest.mark.parametrize(("cleaning", "is_known"), [(OF_A_FILE, True), (OF_ANOTHER, False), (NOT_NAMED, False)])
def test_a_file_that_is_closed_changes_nothing_else(tmp_path: Path, cleaning: tuple[str, str], is_known: bool):
    helper, *_ = called(tmp_path, cleaning)
    assert (helper.value("rows") is not None) is is_known


def test_where_no_frame_has_cleaned_up_all_is_as_it_was(tmp_path: Path):
    found = called(tmp_path, ("if box:", ""))
    assert [place.value("box") is not None for place in found] == [True, True, True]


def test_an_exception_that_was_made_of_another_has_not_cleaned_up_its_callers(tmp_path: Path):
    text = (
        "def inner(rows):\n    try:\n        return rows[7]\n    except IndexError as error:\n"
        "        raise ValueError(rows) from error\ndef outer(rows):\n    inner(rows)\nouter([1])\n"
    )
    *_, outer, _ = places(tmp_path, text)
    assert outer.value("rows") is not None
