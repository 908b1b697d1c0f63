"""What an assertion compared: by the frame's values, else by the message that pytest has made of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dap_ai.debuggees.python.analysis.failure.assertion_demands import demand_of
from dap_ai.debuggees.python.analysis.failure.exception_messages import reported
from tests.unit.agent.harness import ask, fail

ROWS = "ROWS = [1, 2, 3, 4, 5, 6]; LEFT = iter(ROWS)"
RUNNER = """\
import ast
import pathlib

from _pytest.assertion.rewrite import rewrite_asserts

source = pathlib.Path(__file__).with_name("test_it.py").read_bytes()
tree = ast.parse(source)
rewrite_asserts(tree, source)
exec(compile(tree, pathlib.Path(__file__).with_name("test_it.py"), "exec"), {"__name__": "test_it"})
"""


def asserted(folder: Path, text: str) -> str:
    """The first line of the answer about a test that pytest's own rewriting has made speak."""
    (folder / "test_it.py").write_text(text)
    runner = folder / "runner.py"
    runner.write_text(RUNNER)
    answer, _ = ask(fail(runner))
    return answer.text.partition("\n")[0]


@pytest.mark.parametrize(
    ("check", "told"),
    [
        ("assert total([3, 4]) == 25.5", "`total([3, 4])` is `-7`, not `25.5`"),
        ("assert total([3, 4]) > 0", "`total([3, 4])` is `-7`, not `> 0`"),
        ("assert total([1]) == total([2])", "`total([1])` is `-1` and `total([2])` is `-2`"),
        ("assert sorted([2, 1]) == [2, 1]", "`sorted([2, 1])` is `[1, 2]`, not `[2, 1]`"),
        ("assert total([3]) == 3, 'a message of its own'", "`total([3])` is `-3`, not `3`"),
        ("assert str(total([3])) == 'tea'", "`str(total([3]))` is `'-3'`, not `'tea'`"),
        ("assert not total([3])", "`total([3])` is `-3`"),
        ("assert all(n < 3 for n in ROWS)", "`n < 3` does not hold for `n` in `[3, 4, 5]`"),
        ("assert not any(n > 3 for n in ROWS if n < 5)", "`n > 3` holds for `n` in `[4]`"),
        ("assert all(c for a, (b, c) in [(1, (2, 0))])", "`c` does not hold for `a, (b, c)` in `[(1, (2, 0))]`"),
        ("assert all(v for k, v in {'a': 0}.items())", "`v` does not hold for `k, v` in `[('a', 0)]`"),
        ("assert any(n > 9 for n in ROWS)", "`any(n > 9 for n in ROWS)` is `False`"),
        ("assert all(total([n]) > 0 for n in ROWS)", "`all(total([n]) > 0 for n in ROWS)` is `False`"),
        ("assert all(n < 3 for n in LEFT), list(LEFT)", "`all(n < 3 for n in LEFT)` is `False`"),
    ],
)
def test_the_first_line_tells_the_value_that_a_call_gave(check, told, tmp_path):
    first = asserted(tmp_path, f"{ROWS}\ndef total(rows):\n    return -sum(rows)\n\n{check}\n")
    assert first.startswith(f"{told} at `test_it.py:5`"), first


@pytest.mark.parametrize(
    ("check", "told"),
    [
        ("self.assertRaises(ValueError, total, [3])", "`total([3])` did not raise `ValueError`"),
        ("with self.assertRaises(ValueError):\n            total([3])", "`total([3])` did not raise `ValueError`"),
        ("with self.assertRaises(ValueError):\n            pass", "`ValueError` was not raised"),
        (
            "with self.assertWarns(UserWarning):\n            n = total([3])",
            "`total([3])` did not warn with `UserWarning`",
        ),
        (
            "text = str(total([3]))\n        self.assertRegex(text, 'tea')",
            "`text` is `'-3'`, which `'tea'` does not match",
        ),
        ("n = total([3])\n        self.assertIsInstance(n, str)", "`n` is `-3`, no `str`"),
        ("self.assertEqual(total([3]), 4)", "`total([3])` is `-3`, not `4`"),
        ("self.assertIs(total, str)", "The message of the assertion: "),
    ],
)
def test_a_method_of_unittest_is_told_as_what_it_demands(check, told, tmp_path):
    text = f"""
import unittest

def total(rows):
    return -sum(rows)

class TestTotal(unittest.TestCase):
    def runTest(self):
        {check}

TestTotal().debug()
"""
    (tmp_path / "test_it.py").write_text(text)
    first = ask(fail(tmp_path / "test_it.py"))[0].text.partition("\n")[0]
    assert first.startswith(told), first


def test_an_error_that_is_raised_on_purpose_is_named(tmp_path):
    text = "def take(n):\n    if n > 3:\n        raise ValueError('too many: 4. Ask for less')\n\ntake(4)\n"
    (tmp_path / "test_it.py").write_text(text)
    first = ask(fail(tmp_path / "test_it.py"))[0].text.partition("\n")[0]
    assert first.startswith(
        "`ValueError`: too many, raised on purpose, because of `n > 3` (`n` is `4`) at `test_it.py:3`"
    ), first


def test_an_error_on_the_way_to_the_one_that_is_raised_is_not_raised_on_purpose(tmp_path):
    text = "def take(kinds):\n    if kinds:\n        raise ValueError(sorted(kinds))\n\ntake([int, str])\n"
    (tmp_path / "test_it.py").write_text(text)
    first = ask(fail(tmp_path / "test_it.py"))[0].text.partition("\n")[0]
    assert first.startswith("`sorted` compares the items with `<`, which `type` does not have"), first


@pytest.mark.parametrize("difference", ["  - tea  + coffee", "  - 1  + 2", "  Full diff:   - tea", " and more"])
def test_a_difference_on_the_same_line_is_no_value(difference, tmp_path):
    """As where the line ends of the message have become blanks."""
    text = f"def name():\n    return 'coffee'\n\n\nassert name() == 'tea', \"assert 'coffee' == 'tea'{difference}\"\n"
    (tmp_path / "test_it.py").write_text(text)
    first = ask(fail(tmp_path / "test_it.py"))[0].text.partition("\n")[0]
    assert "`'tea'` is" not in first, first


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("assert '1' + 2 == 3", "TypeError"),
        ("rows = {}\nassert rows['a'] == 3", "`rows` is empty: it has no key `'a'`"),
        ("import pytest\n\npytest.fail('no rows')", "`Failed`: no rows"),
        (
            "import json\nrows = 1\nassert json.loads('{') == rows",
            "`json.decoder.JSONDecodeError`: Expecting property name",
        ),
        ("assert len(5) == 3, 'a message'", "`TypeError`: object of type 'int' has no len()"),
    ],
)
def test_what_is_raised_within_an_assertion_is_no_failed_assertion(text, told, tmp_path):
    (tmp_path / "test_it.py").write_text(text + "\n")
    first = ask(fail(tmp_path / "test_it.py"))[0].text.partition("\n")[0]
    assert "message of the assertion" not in first
    assert told in first, first


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("total([3])", "`total([3])` did not raise `ValueError` at `test_it.py:9`."),
        ("n = 3\n            total([n])", "The block of 2 statements did not raise `ValueError` at `test_it.py:9`."),
    ],
)
def test_what_did_not_raise_is_one_line_of_the_test_and_what_it_calls(block, told, tmp_path):
    text = f"""
import pytest

def total(rows):
    return -sum(rows)

def test_it():
    for n in (3,):
        with pytest.raises(ValueError):
            {block}

test_it()
"""
    (tmp_path / "test_it.py").write_text(text)
    answer = ask(fail(tmp_path / "test_it.py"))[0]
    assert answer.text.splitlines()[0].replace(" for `3`", "") == told
    assert {suspect.line for suspect in answer.suspects} == {5, 9}


LOOKUP = """def find(rows, name):
    for row in rows:
        try:
            found = row[name]
        except KeyError as error:
            raise LookupError("no " + name) from error
    return found

find([{}], "x")
"""
OTHERWISE = "def take(n):\n    if n > 3:\n        return n\n    else:\n        raise ValueError('too few')\n\ntake(3)\n"
IN_A_LOOP = "def take(rows):\n    for row in rows:\n        raise ValueError('a row')\n\ntake([1])\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LOOKUP, "`LookupError`: no x, raised on purpose, because line 5 caught `KeyError: 'x'` at `test_it.py:6`"),
        (OTHERWISE, "`ValueError`: too few, raised on purpose, because not `n > 3` (`n` is `3`) at `test_it.py:5`"),
        (IN_A_LOOP, "`ValueError`: a row for `1` at `test_it.py:3`"),
    ],
)
def test_an_error_that_is_raised_on_purpose_is_told_with_what_led_to_it(text: str, told: str, tmp_path):
    (tmp_path / "test_it.py").write_text(text)
    first = ask(fail(tmp_path / "test_it.py"))[0].text.partition("\n")[0]
    assert first.startswith(told), first


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("ValueError('a.ini', 'bad line: 3')", "`ValueError`: ('a.ini', 'bad line: 3'), raised on purpose, because of"),
        ("ValueError('bad line: 3')", "`ValueError`: bad line, raised on purpose, because of"),
    ],
)
def test_arguments_of_an_error_are_not_cut_in_two(raised: str, told: str, tmp_path):
    (tmp_path / "test_it.py").write_text(f"def take(n):\n    if n:\n        raise {raised}\n\ntake(4)\n")
    first = ask(fail(tmp_path / "test_it.py"))[0].text.partition("\n")[0]
    assert first.startswith(told), first


def test_values_that_may_have_changed_since_the_condition_are_not_told_with_it(tmp_path):
    text = "def take(n):\n    if n > 3:\n        n = 0\n        raise ValueError('too many')\n\ntake(4)\n"
    (tmp_path / "test_it.py").write_text(text)
    first = ask(fail(tmp_path / "test_it.py"))[0].text.partition("\n")[0]
    assert first.startswith("`ValueError`: too many, raised on purpose, because of `n > 3` at `test_it.py:4`"), first


def test_the_date_in_a_message_of_pytest_is_a_value():
    statement = ast.parse("assert row[0] == datetime(2026, 1, 3)").body[0]
    message = "assert datetime.datetime(2026, 1, 2, 0, 0) == datetime.datetime(2026, 1, 3, 0, 0)"
    sides = reported(demand_of(statement), statement, message)
    assert sides == ["datetime.datetime(2026, 1, 2, 0, 0)", "datetime.datetime(2026, 1, 3, 0, 0)"]
