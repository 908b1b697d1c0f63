"""What an assertion demands, what a message tells of its sides, and the words for how they do not meet it."""

from __future__ import annotations

import ast
import unittest
from dataclasses import dataclass

import pytest
from _pytest.assertion.rewrite import rewrite_asserts
from hypothesis import example, given
from hypothesis import strategies as st

from dap_ai.debuggees.python.analysis.failure.assertion_demands import (
    MOST_CHARS,
    AssertionSide,
    ValueDifference,
    demand_of,
    unmet,
)
from dap_ai.debuggees.python.analysis.failure.exception_messages import difference_in, reported

ROWS = [f"row {number}" for number in range(20)]


def raised(check: str, names: dict[str, object]) -> str:
    """The message of an assertion that fails, pytest's where it is a statement, unittest's where it is a method."""
    tree = ast.parse(check)
    rewrite_asserts(tree, check.encode())
    with pytest.raises(AssertionError) as error:
        exec(compile(tree, "test_it.py", "exec"), {"self": unittest.TestCase(), "__name__": "test_it", **names})  # noqa: S102  our own text
    return str(error.value)


def said(check: str, **names: object) -> str:
    """How it is not met, by nothing but its message, in one line as debugpy has it."""
    statement = ast.parse(check).body[0]
    demand = demand_of(statement)
    message = " ".join(raised(check, names).split("\n"))
    known = reported(demand, statement, message) or ["" for _ in demand.sides]
    sides = [
        AssertionSide(ast.unparse(n), text, text == ast.unparse(n))
        for n, text in zip(demand.sides, known, strict=False)
    ]
    return unmet(demand.relation, sides, difference_in(message))


@pytest.mark.parametrize(
    ("check", "told"),
    [
        ("self.assertEqual(f(), 3)", "`f()` is `'- a'`, not `3`"),
        ("self.assertEqual(3, f())", "`f()` is `'- a'`, not `3`"),
        ("self.assertEqual(f(), g(), 'rows - of today')", "`f()` is `'- a'` and `g()` is `'b : c'`"),
        ("self.assertListEqual([f()], [1, 2])", "`[f()]` is `['- a']`, not `[1, 2]`"),
        ("self.assertEqual({'a': 1}, {'a': f()})", "`{'a': f()}` is `{'a': '- a'}`, not `{'a': 1}`"),
        ("self.assertIn('tea', f())", "`'tea'` is not in `f()`, which is `'- a'`"),
        ("self.assertNotIn('a', f())", "`'a'` is in `f()`, which is `'- a'`"),
        ("self.assertIn(f(), ('x', 'y'))", "`f()` is `'- a'`, not in `('x', 'y')`"),
        ("self.assertLess(n(), 3)", "`n()` is `7`, not `< 3`"),
        ("self.assertGreaterEqual(3, n())", "`n()` is `7`, not `<= 3`"),
        ("self.assertTrue(n() < 3)", "`n() < 3` is `False`"),
        ("self.assertFalse(f())", "`f()` is `'- a'`"),
        ("self.assertIsInstance(n(), str)", ""),
        ("self.assertAlmostEqual(n(), 7.5, places=3)", "`n()` is `7`, not `7.5`"),
        ("self.assertIsNone(n())", "`n()` is `7`, not `None`"),
        ("assert f() == g()", "`f()` is `'- a'` and `g()` is `'b : c'`"),
        ("assert n() <= 3, 'too many'", "`n()` is `7`, not `<= 3`"),
        ("assert 3 > n()", "`n()` is `7`, not `< 3`"),
        ("assert 'tea' in f()", "`'tea'` is not in `f()`, which is `'- a'`"),
        ("assert n() is None", "`n()` is `7`, not `None`"),
        ("assert n() != 7", "`n()` is `7`"),
        ("assert not f()", "`f()` is `'- a'`"),
        ("assert bool(n() - 7)", "`bool(n() - 7)` is `False`"),
    ],
)
def test_the_sides_are_told_as_the_message_has_them(check: str, told: str):
    assert said(check, f=lambda: "- a", g=lambda: "b : c", n=lambda: 7) == told


@pytest.mark.parametrize(
    "check",
    ["self.assertTrue(n)", "self.assertEqual(n, 3)", "self.assertIn(n, [])", "self.fail('no')", "assert not n"],
)
def test_what_is_not_shown_as_an_expression_is_not_known(check: str):
    class Row:
        def __bool__(self) -> bool:
            return check.startswith("assert")

    assert said(check, n=Row()) == ""


def differ(left: str, right: str) -> str:
    return unmet("==", [AssertionSide("found", left), AssertionSide("wanted", right)])


def test_of_long_lists_the_first_items_that_differ_are_told():
    other = [*ROWS[:7], "another", *ROWS[8:]]
    assert differ(repr(ROWS), repr(other)) == "`found[7]` is `'row 7'` and `wanted[7]` is `'another'`"
    nested = differ(repr([1, ROWS]), repr([1, other]))
    assert nested == "`found[1][7]` is `'row 7'` and `wanted[1][7]` is `'another'`"


def test_of_long_dicts_the_first_values_that_differ_are_told():
    rows = dict.fromkeys(ROWS, 1)
    told = differ(repr(rows), repr(rows | {"row 4": 2}))
    assert told == "`found['row 4']` is `1` and `wanted['row 4']` is `2`"


def test_of_lists_of_which_one_is_longer_the_texts_are_told_where_they_differ():
    told = differ(repr(ROWS), repr(ROWS[:-1]))
    assert "'row 19'" in told
    assert "'row 0'" not in told


def test_long_texts_are_cut_where_they_differ():
    told = differ(repr("tea " * 30), repr("tea " * 20 + "coffee"))
    assert "coffee" in told
    assert max(map(len, told.split("`"))) <= MOST_CHARS


def test_long_texts_that_are_known_to_begin_alike_only_are_not_told_as_different():
    cut = repr("tea " * 30)[:-1] + "'... 900 more"
    assert differ(cut, cut).startswith("`found` is not `wanted`: both begin with `'tea tea")


def test_of_a_long_text_that_part_is_shown_that_is_not_to_be_in_it():
    text = repr("x" * 90 + "position:fixed" + "y" * 90)
    told = unmet(
        "not in", [AssertionSide("'position:fixed'", "'position:fixed'", is_literal=True), AssertionSide("html", text)]
    )
    assert told.startswith("`'position:fixed'` is in `html`, which is `...xxxxxxxxxxxxposition:fixed")


LONG = [{"name": f"row {number}", "n": number} for number in range(30)]
KEYS = {f"k{number}": number for number in range(20)}


@dataclass
class Point:
    x: int
    y: int
    name: str = "n" * 80


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        ("tea " * 99, "tea " * 98 + "milk", "`f()` is not `g()`: both begin with `'tea tea tea `"),
        (
            "milk " + "tea " * 9,
            "soup " + "tea " * 9,
            "`f()` is `'milk tea tea... tea tea tea '` and `g()` is `'soup tea tea... tea tea tea '`",
        ),
        (
            LONG,
            [*LONG[:22], {"n": 1}, *LONG[23:]],
            "`f()[22]` is `{'name': 'row 22', 'n': 22}` and `g()[22]` is `{'n': 1}`",
        ),
        (KEYS, KEYS | {"k5": 6}, "`f()['k5']` is `5` and `g()['k5']` is `6`"),
        (KEYS, KEYS | {"new": 6}, "`f()` has no `{'new': 6}`, which `g()` has"),
        ([*LONG, 7], LONG, "`f()` has `7`, which `g()` has not"),
        (set(range(40)), set(range(41)), "`f()` has no `40`, which `g()` has"),
        (Point(1, 2), Point(1, 3), "`f().y` is `2` and `g().y` is `3`"),
    ],
)
def test_where_values_differ_of_which_the_message_has_a_part_is_told(left: object, right: object, told: str):
    assert said("assert f() == g()", f=lambda: left, g=lambda: right) == told


def test_what_is_called_by_long_code_is_a_side():
    told = said("assert f(one='a long argument', other='another one') == g()", f=lambda **_: LONG, g=lambda: [*LONG, 1])
    assert told == "`1` is on the right only"
    told = said(
        "assert f(one='a long argument', other='another one') == g()", f=lambda **_: KEYS, g=lambda: KEYS | {"k1": 2}
    )
    assert told == "`['k1']` is `1` on the left, `2` on the right"


def test_of_a_text_and_a_number_that_is_wanted_about_the_first_is_told():
    told = said("assert f() == approx(0.4)", f=lambda: 0.3, approx=pytest.approx)
    assert told == "`f()` is `0.3`, not `approx(0.4)`"


def test_a_side_that_is_given_by_its_name_is_not_known():
    statement = ast.parse("self.assertEqual(f(), second=g())").body[0]
    demand = demand_of(statement)
    assert unmet(demand.relation, [AssertionSide("f()", "")], ValueDifference("[1]", "2", "3")) == ""


@pytest.mark.parametrize("relation", ["==", "in", "<", "is", "", "true"])
def test_of_sides_of_which_no_value_is_known_nothing_is_said(relation: str):
    assert unmet(relation, [AssertionSide("a", ""), AssertionSide("b", "")]) == ""


DEEP = "[" * 150 + "]" * 150
SCRAPS = [
    "assert ",
    "==",
    " != ",
    " not found in ",
    "'",
    '"',
    "  - ",
    "\n",
    "f'",
    "[",
    ")",
    "1",
    "\\",
    DEEP,
    "\0",
    "é",
    " where ",
]


@pytest.mark.parametrize("check", ["assert a == b", "assert not a", "self.assertEqual(a, b)", "self.assertIn(a, b)"])
@given(parts=st.lists(st.one_of(st.sampled_from(SCRAPS), st.text(max_size=8)), max_size=12))
@example(parts=["assert ", DEEP, " == ", DEEP[1:-1]])
@example(parts=[DEEP, " != ", DEEP[1:-1]])
def test_no_message_makes_it_fail(check: str, parts: list[str]):
    statement = ast.parse(check).body[0]
    demand = demand_of(statement)
    known = reported(demand, statement, "".join(parts))
    sides = [AssertionSide(ast.unparse(n), text) for n, text in zip(demand.sides, known, strict=False)]
    assert unmet(demand.relation, sides) or not known
