"""What benchmarks/ makes of answers, rankings and histories: the parts that need no process."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from _fauxpy import expected_rank
from _history import FIX, IS_TEST
from _modules import program
from _projects import FAILED
from _truth import Answer, Claims, Fault, Place, judge, shown, sums

SOURCE = """\
def total(prices):
    result = 0
    for price in prices:
        result -= price
    return result


def never(prices):
    return (
        prices
    )
"""
TEST = """\
from shop import total


def test_total():
    assert total([1]) == 1
"""
RAN: set[Place] = {("shop.py", line) for line in range(1, 6)} | {("test_shop.py", line) for line in (1, 4, 5)}
DIFF = """\
--- a/shop.py
+++ b/shop.py
@@ -4,1 +4,1 @@
-        result -= price
+        result += price
"""


@pytest.fixture
def fault(tmp_path: Path) -> Fault:
    """A minus for a plus in line 4."""
    (tmp_path / "shop.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "test_shop.py").write_text(TEST, encoding="utf-8")
    return Fault("shop-1", "assignment", tmp_path, "shop.py", (4,), "test_shop.py::test_total")


def right_sign(folder: Path) -> tuple[bool, bool]:
    """Whether the mistake is mended; all other tests fail."""
    return "+= price" in (folder / "shop.py").read_text(encoding="utf-8"), False


def judged(fault: Fault, text: str, *suspects: Place, fixes: list[tuple[str, bool]] | None = None) -> Claims:
    """What becomes of an answer; the test fails in its line 5."""
    return judge(Answer(text, list(suspects), fixes or []), fault, RAN, right_sign, [("test_shop.py", 5)])


def test_a_right_line_and_a_right_function_have_ranks_of_their_own(fault: Fault):
    found = judged(fault, "x", ("test_shop.py", 5), ("shop.py", 2), ("shop.py", 4))
    assert (found.function, found.line) == (2, 3)


def test_the_header_of_the_loop_is_not_the_line_in_it(fault: Fault):
    assert judged(fault, "x", ("shop.py", 3)).line == 0


@pytest.mark.parametrize(("line", "right"), [(4, True), (2, False)])
def test_a_firm_root_cause_is_right_where_it_names_the_changed_line(fault: Fault, line: int, right: bool):
    assert judged(fault, f"It fails.\n\n**Root cause.** `shop.py:{line}`: so it is.").firm is right


def test_a_guess_is_no_firm_root_cause(fault: Fault):
    assert judged(fault, "It fails.\n\n**Root cause (a guess).** `shop.py:2`: perhaps.").firm is None


def test_words_before_the_root_cause_are_counted(fault: Fault):
    assert judged(fault, "Three words stand.\n\n**Root cause (a guess).** `shop.py:2`").words == 3


def test_a_suspect_in_a_function_that_did_not_run_is_told(fault: Fault):
    assert judged(fault, "x", ("shop.py", 10), ("shop.py", 4)).never_ran == ["shop.py:10"]


def test_a_step_after_the_failing_line_of_a_program_did_not_run(fault: Fault):
    (fault.folder / "program.py").write_text(
        "import shop\n\nassert shop.total([1]) == 1\nshop = None\n", encoding="utf-8"
    )
    ran = {*RAN, ("program.py", 1), ("program.py", 3)}
    steps = "**Why.** Back:\n\n1. `program.py:4` sets `shop`\n2. `program.py:3` asserts"
    found = judge(Answer(steps), fault, ran, right_sign)
    assert found.never_ran == ["program.py:4"]


def test_a_fix_called_verified_is_applied_and_run(fault: Fault):
    assert judged(fault, "x", fixes=[(DIFF, True)]).verified == [(True, False)]


def test_a_fix_that_does_not_apply_passes_nothing(fault: Fault):
    assert judged(fault, "x", fixes=[(DIFF.replace("-= price", "*= price"), True)]).verified == [(False, False)]


@pytest.mark.parametrize(("line", "right"), [(5, True), (4, False)])
def test_where_it_failed_is_where_the_traceback_ends(fault: Fault, line: int, right: bool):
    assert judged(fault, f"x\n\n**What happened.** It failed at `test_shop.py:{line}`.").at_failure is right


def test_a_context_shows_a_function_by_a_numbered_line_of_it(fault: Fault):
    assert shown(" 3     for price in prices:\n>4         result -= price", fault)
    assert not shown(" 5     assert total([1]) == 1\n 10         prices", fault)


def test_a_tie_is_met_where_a_reader_expects_the_first_right_one():
    scored = [(2.0, [("a.py", 1)]), *((1.0, [("a.py", line)]) for line in (2, 3, 4))]
    assert expected_rank(scored, lambda place: place[1] == 4) == 3.0
    assert expected_rank(scored, lambda place: place[1] in (3, 4)) == pytest.approx(1 + 4 / 3)
    assert expected_rank(scored, lambda place: place[1] == 9) == 0.0


def test_a_program_asserts_what_a_docstring_shows():
    docstring = """Adds.

    >>> numbers = [1, 2]
    >>> total(numbers)  # of both
    3
    >>> total
    <function total>
    >>> print("no value")
    no value
    """
    assert program(docstring, "shop", {"total", "never"}) == (
        "from shop import total\n\nnumbers = [1, 2]\nassert total(numbers) == 3\n"
        "assert repr(total) == '<function total>'\n"
    )


def test_a_docstring_that_shows_no_value_makes_no_program():
    assert not program("Adds.\n\n>>> numbers = [1, 2]\n", "shop", set())


def test_the_ids_of_failing_tests_are_read_without_the_message():
    printed = "FAILED a/test_a.py::Test::test_b[x - y] - assert [1] == [2]\nERROR test_c.py::test_d - E: no\n1 failed"
    assert [match[2] for match in FAILED.finditer(printed)] == ["a/test_a.py::Test::test_b[x - y]", "test_c.py::test_d"]


def test_tests_and_fixes_are_known_by_their_names():
    assert IS_TEST.search("pkg/tests/data.py")
    assert IS_TEST.search("test_pkg.py")
    assert not IS_TEST.search("pkg/testimony.py")
    assert FIX.search("Fixes the crash of #12")
    assert not FIX.search("Prefixes are documented")


def test_sums_of_no_answer_at_all_are_no_error():
    assert ("answered", "0/1") in sums([Claims(1.0)])
