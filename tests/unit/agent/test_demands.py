"""What an assertion demands, what a message tells of its sides, and the words for how they do not meet it."""

from __future__ import annotations

import ast
import unittest

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

from dap_ai.agent.analyst.demands import MOST_CHARS, Side, demand_of, reported, unmet

ROWS = [f"row {number}" for number in range(20)]


def raised(check: str, names: dict[str, object]) -> str:
    """The message of an assertion that fails, pytest's where it is a statement, unittest's where it is a method."""
    tree = ast.parse(check)
    rewrite_asserts(tree, check.encode())
    with pytest.raises(AssertionError) as error:
        exec(compile(tree, "test_it.py", "exec"), {"self": unittest.TestCase(), "__name__": "test_it", **names})  # noqa: S102
    return str(error.value)


def said(check: str, **names: object) -> str:
    """How it is not met, by nothing but its message, in one line as debugpy has it."""
    statement = ast.parse(check).body[0]
    demand = demand_of(statement)
    known = reported(demand, statement, " ".join(raised(check, names).split("\n")))
    sides = [Side(ast.unparse(n), text, text == ast.unparse(n)) for n, text in zip(demand.sides, known, strict=False)]
    return unmet(demand.relation, sides)


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
    return unmet("==", [Side("found", left), Side("wanted", right)])


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
    told = unmet("not in", [Side("'position:fixed'", "'position:fixed'", is_literal=True), Side("html", text)])
    assert told.startswith("`'position:fixed'` is in `html`, which is `...xxxxxxxxxxxxposition:fixed")


@pytest.mark.parametrize("relation", ["==", "in", "<", "is", "", "true"])
def test_of_sides_of_which_no_value_is_known_nothing_is_said(relation: str):
    assert unmet(relation, [Side("a", ""), Side("b", "")]) == ""
