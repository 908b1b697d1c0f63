"""Reads what an assertion requires of its sides, and describes how they violate the requirement."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dap_ai.agent.case.value_texts import cut, cut_apart, shared
from dap_ai.debuggees.python.analysis.syntax.nodes import expression
from dap_ai.system.texts import code

MOST_CHARS = 44
"""Maximum characters of a value shown next to another value."""
_BEFORE_CHARS, _MOST_NAME_CHARS = 12, 30
_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_METHODS = {
    "assertEqual": "==", "assertAlmostEqual": "==", "assertNotEqual": "!=", "assertIs": "is", "assertIsNot": "is not",
    "assertIn": "in", "assertNotIn": "not in", "assertLess": "<", "assertLessEqual": "<=",
    "assertGreater": ">", "assertGreaterEqual": ">=", "assertListEqual": "==", "assertTupleEqual": "==",
    "assertDictEqual": "==", "assertRegex": "matches", "assertIsInstance": "instance",
    "assertSequenceEqual": "==", "assertMultiLineEqual": "==",
}  # fmt: skip
_OF_ONE = {"assertTrue": "true", "assertFalse": "false", "assertIsNone": "is", "assertIsNotNone": "is not"}
_UNMET = {"matches": ", which {} does not match", "instance": ", no {}"}
"""Relation -> suffix for a left side that violates the relation; {} is the right side."""
_ORDERS = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Demand:
    """What an assertion requires of its sides.

    `relation`: an operator such as `==`, `true` or `false` for a single side, or empty for any other relation.
    """

    relation: str
    sides: list[ast.expr]


@dataclass(frozen=True)
class AssertionSide:
    """One side of an assertion: its source code, and its value as text (empty if unknown)."""

    code: str
    text: str
    is_literal: bool = False

    @property
    def with_value(self) -> str:
        """A clause with the side's code and value: `` `total` is `-7` ``."""
        return f"{code(self.code)} is {code(cut(self.text, 120))}"


@dataclass(frozen=True)
class ValueDifference:
    """Where two partly known values differ. `at`: `[3]` or `.name`; `left`, `right`: the values at that place."""

    at: str
    left: str
    right: str
    """If `at` is empty, `left` or `right` contains the extra items of that side."""


def method_call(statement: ast.stmt | None) -> ast.Call | None:
    """Return the assertion call in a statement such as `self.assertEqual(a, b)`, or None."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = getattr(statement.value.func, "attr", "")
        if name.startswith("assert"):
            return statement.value
    return None


def demand_of(statement: ast.stmt | None) -> Demand:
    """Return what an `assert` or a test's `assertEqual` requires.

    For any other statement, the demand has no sides.
    """
    if call := method_call(statement):
        name = getattr(call.func, "attr", "")
        if name in _OF_ONE and call.args:
            relation = _OF_ONE[name]
            return Demand(relation, [*call.args[:1], *([ast.Constant(None)] if relation.startswith("is") else [])])
        return Demand(_METHODS.get(name, ""), call.args[:2])
    match statement.test if isinstance(statement, ast.Assert) else None:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return Demand(_OPERATORS[type(operator)], [left, right])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Demand("false", [operand])
        case None:
            return Demand("", [])
        case test:
            sides = list(_sides(test))
            return Demand("true" if sides == [test] else "", sides)


def _sides(test: ast.expr) -> Iterator[ast.expr]:
    match test:
        case ast.Compare(left=left, comparators=others):
            yield from (left, *others)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BoolOp(values=values):
            for value in values:
                yield from _sides(value)
        case _:
            yield test


def unmet(relation: str, sides: Sequence[AssertionSide], difference: ValueDifference | None = None) -> str:
    """Describe how the sides violate the relation, such as `` `total` is `-7`, not `25.5` ``.

    Return an empty string if no value is known. `difference`: where two values that should be equal differ.
    """
    if relation == "==" and difference and len(sides) == 2 and not all(map(_is_whole, sides)):
        return _differs(sides[0], sides[1], difference)
    known = [side for side in sides if side.text and not side.is_literal]
    if not known:
        return ""
    if len(sides) != 2 or not relation:
        return "; ".join(side.with_value for side in known)
    left, right = sides
    if relation in ("in", "not in"):
        return _membership("not in" if relation == "in" else "in", left, right)
    if relation in ("==", "is") and left.text and right.text:
        return _apart(right, left) if left.is_literal else _apart(left, right)
    if len(known) == 2:
        return f"{left.with_value} and {right.with_value}"
    (found,) = known
    other = right if found is left else left
    if relation in _UNMET and found is left:
        return f"{found.with_value}{_UNMET[relation].format(code(other.code))}"
    if relation in _ORDERS and other.is_literal:
        return f"{found.with_value}, not {code(f'{relation if found is left else _ORDERS[relation]} {other.code}')}"
    return (
        f"{code(left.code)} is not {code(right.code)}: {right.with_value}"
        if relation == "==" and found is right
        else found.with_value
    )


def _is_whole(side: AssertionSide) -> bool:
    """Whether the whole value is known and short enough to show."""
    return 0 < len(side.text) <= MOST_CHARS and "..." not in side.text


def _membership(how: str, member: AssertionSide, container: AssertionSide) -> str:
    if container.is_literal:
        return f"{member.with_value}, {how} {code(container.code)}"
    value = f" ({code(cut(member.text, MOST_CHARS))})" if member.text and not member.is_literal else ""
    head = f"{code(member.code)}{value} is {how} {code(container.code)}"
    return f"{head}, which is {code(_around(member.text, container.text))}" if container.text else head


def _around(part: str, text: str) -> str:
    """Shorten `text` so that `part`, a substring of it, stays visible."""
    at = text.find(part[1:-1]) if part[:1] in "'\"" else text.find(part)
    hidden = at + len(part) > MOST_CHARS - len("...+999 chars")
    return cut(f"...{text[at - _BEFORE_CHARS :]}" if hidden and at > _BEFORE_CHARS else text, MOST_CHARS)


def _apart(found: AssertionSide, wanted: AssertionSide) -> str:
    """Describe two values that should be equal, in full or only where they differ."""
    both = shared(found.text, wanted.text)
    if both:
        return f"{code(found.code)} is not {code(wanted.code)}: both begin with {code(cut(both, MOST_CHARS))}"
    if not (_is_whole(found) and _is_whole(wanted)) and (items := _first_difference(found, wanted)):
        return _apart(*items)
    one, other = cut_apart(found.text, wanted.text, MOST_CHARS)
    against = f", not {code(other)}" if wanted.is_literal else f" and {code(wanted.code)} is {code(other)}"
    return f"{code(found.code)} is {code(one)}{against}"


def _differs(left: AssertionSide, right: AssertionSide, difference: ValueDifference) -> str:
    is_long = max(len(left.code), len(right.code)) > _MOST_NAME_CHARS
    if difference.at and is_long:
        one, other = cut_apart(difference.left, difference.right, MOST_CHARS)
        return f"{code(difference.at)} is {code(one)} on the left, {code(other)} on the right"
    if difference.at:
        one, other = _item(left, difference.at, difference.left), _item(right, difference.at, difference.right)
        return _apart(other, one) if left.is_literal else _apart(one, other)
    extra = code(cut(difference.left or difference.right, MOST_CHARS))
    if is_long:
        return f"{extra} is on the {'left' if difference.left else 'right'} only"
    if difference.left:
        return f"{code(left.code)} has {extra}, which {code(right.code)} has not"
    return f"{code(left.code)} has no {extra}, which {code(right.code)} has"


def _first_difference(found: AssertionSide, wanted: AssertionSide) -> tuple[AssertionSide, AssertionSide] | None:
    """Return the first two items that differ in two lists, tuples or dicts, or None if no common item differs."""
    match expression(found.text), expression(wanted.text):
        case (ast.List(elts=a), ast.List(elts=b)) | (ast.Tuple(elts=a), ast.Tuple(elts=b)):
            first, second = ({f"[{at}]": item for at, item in enumerate(items)} for items in (a, b))
        case ast.Dict(keys=a, values=c), ast.Dict(keys=b, values=d):
            first = {f"[{ast.unparse(key)}]": value for key, value in zip(a, c, strict=True) if key}
            second = {f"[{ast.unparse(key)}]": value for key, value in zip(b, d, strict=True) if key}
        case _:
            return None
    both = ((key, ast.unparse(item), ast.unparse(second[key])) for key, item in first.items() if key in second)
    key, text, against = next((each for each in both if each[1] != each[2]), ("", "", ""))
    return (_item(found, key, text), _item(wanted, key, against)) if key else None


def _item(side: AssertionSide, at: str, text: str) -> AssertionSide:
    return AssertionSide(f"{side.code}{at}", text, side.is_literal)
