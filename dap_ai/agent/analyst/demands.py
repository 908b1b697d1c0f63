"""What an assertion demands of its sides, and in words how they do not meet it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dap_ai.agent.case.values import cut, cut_apart, shared

MOST_CHARS = 44
"""Of a value that stands beside another."""
_BEFORE_CHARS = 12
_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_METHODS = {
    "assertEqual": "==", "assertNotEqual": "!=", "assertIs": "is", "assertIsNot": "is not",
    "assertIn": "in", "assertNotIn": "not in", "assertLess": "<", "assertLessEqual": "<=",
    "assertGreater": ">", "assertGreaterEqual": ">=", "assertListEqual": "==", "assertTupleEqual": "==",
    "assertDictEqual": "==", "assertSequenceEqual": "==", "assertMultiLineEqual": "==",
}  # fmt: skip
_OF_ONE = {"assertTrue": "true", "assertFalse": "false", "assertIsNone": "is", "assertIsNotNone": "is not"}
_ORDERS = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BETWEEN = {
    "==": " != ", "in": " not found in ", "not in": " unexpectedly found in ", "is": " is not ",
    "<": " not less than ", "<=": " not less than or equal to ",
    ">": " not greater than ", ">=": " not greater than or equal to ", "true": " is not true", "false": " is not false",
}  # fmt: skip
"""What stands between the sides in a message of unittest."""
_DERIVED = re.compile(r"\s+\+\s+(?:where|and) ")
"""How a line of pytest begins that tells how a side came about. debugpy's text has blanks in place of line ends."""
_BEHIND = re.compile(r"\s{2,}|\s+[-+?:](?=\s)|\n")
"""What begins behind the sides: a difference line by line, a message of the test's own."""


@dataclass(frozen=True)
class Demand:
    """`relation`: an operator of Python, or that the only side is to be `true` or `false`; "": it is another one."""

    relation: str
    sides: list[ast.expr]


@dataclass(frozen=True)
class Side:
    """One side of a demand, and its value as text; "" where it is not known."""

    code: str
    text: str
    is_literal: bool = False

    @property
    def told(self) -> str:
        """With its value."""
        return f"`{self.code}` is `{cut(self.text, 120)}`"


def method_call(statement: ast.stmt | None) -> ast.Call | None:
    """The call of an assertion that a statement is: `self.assertEqual(a, b)`."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = getattr(statement.value.func, "attr", "")
        if name.startswith("assert"):
            return statement.value
    return None


def demand_of(statement: ast.stmt | None) -> Demand:
    """What an `assert`, or a call of a test's `assertEqual` and the like, demands; no sides if it is neither."""
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


def reported(demand: Demand, statement: ast.stmt | None, message: str) -> list[str]:
    """The sides' values as the message has them, pytest's or unittest's; empty if it does not have them whole."""
    if method_call(statement):
        found = _by_unittest(demand.relation, message)
    else:
        shown = re.search(r"(?:^|\s)(assert (?!.*\sassert ).*)", told_by_pytest(message))
        texts = _beginnings(shown[1]) if shown else ()
        found = next((sides for text in texts if (sides := _by_pytest(demand, text))), list[str]())
    known = [*found, *(ast.unparse(side) for side in demand.sides[len(found) :])] if found else []
    pairs = list(zip(demand.sides, known, strict=True)) if known else []
    return known if any(ast.unparse(side) != text for side, text in pairs) else []


def told_by_pytest(message: str) -> str:
    """The message without the lines in which pytest tells how it came to the sides."""
    return _DERIVED.split(message, maxsplit=1)[0]


def _beginnings(text: str) -> Iterator[str]:
    """The text up to where its first, second, ... addition may begin, at last all of it."""
    yield from (text[: each.start()] for each in _BEHIND.finditer(text))
    yield text


def _by_pytest(demand: Demand, text: str) -> list[str]:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return []  # a side is not shown as an expression, or not whole
    seen = demand_of(body[0]) if body else Demand("", [])
    is_same = seen.relation and (seen.relation, len(seen.sides)) == (demand.relation, len(demand.sides))
    return [ast.unparse(side) for side in seen.sides] if is_same and all(map(_is_repr, seen.sides)) else []


def _by_unittest(relation: str, message: str) -> list[str]:
    text = re.sub(r"^\w+ differ: ", "", message)
    for between in re.finditer(re.escape(_BETWEEN[relation]), text) if relation in _BETWEEN else ():
        left, rest = _whole(text[: between.start()]), text[between.end() :]
        if relation in ("true", "false"):
            return [left] if left else []
        right = next((whole for text in _beginnings(rest) if (whole := _whole(text))), "")
        if left and right:
            return [left, right]
    return []


def _whole(text: str) -> str:
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    return ast.unparse(node) if _is_repr(node) else ""


def _is_repr(node: ast.expr) -> bool:
    """Whether it reads as one value's: lines of a difference that follow it look like sums (`'tea' - tea + coffee`)."""
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in called]
    return not names and not any(isinstance(n, ast.BinOp | ast.Compare | ast.BoolOp) for n in ast.walk(node))


def unmet(relation: str, sides: Sequence[Side]) -> str:
    """`` `total` is `-7`, not `25.5` ``: how the sides do not meet it; "" where no value is known."""
    known = [side for side in sides if side.text and not side.is_literal]
    if not known:
        return ""
    if len(sides) != 2 or not relation:
        return "; ".join(side.told for side in known)
    left, right = sides
    if relation in ("in", "not in"):
        return _membership("not in" if relation == "in" else "in", left, right)
    if relation in ("==", "is") and left.text and right.text:
        return _apart(right, left) if left.is_literal else _apart(left, right)
    if len(known) == 2:
        return f"{left.told} and {right.told}"
    (found,) = known
    other = right if found is left else left
    if relation in _ORDERS and other.is_literal:
        return f"{found.told}, not `{relation if found is left else _ORDERS[relation]} {other.code}`"
    return f"`{left.code}` is not `{right.code}`: {right.told}" if relation == "==" and found is right else found.told


def _membership(how: str, member: Side, container: Side) -> str:
    if container.is_literal:
        return f"{member.told}, {how} `{container.code}`"
    value = f" (`{cut(member.text, MOST_CHARS)}`)" if member.text and not member.is_literal else ""
    head = f"`{member.code}`{value} is {how} `{container.code}`"
    return f"{head}, which is `{_around(member.text, container.text)}`" if container.text else head


def _around(part: str, text: str) -> str:
    """A text, cut so that a part of it is seen."""
    at = text.find(part[1:-1]) if part[:1] in "'\"" else text.find(part)
    hidden = at + len(part) > MOST_CHARS - len("...+999 chars")
    return cut(f"...{text[at - _BEFORE_CHARS :]}" if hidden and at > _BEFORE_CHARS else text, MOST_CHARS)


def _apart(found: Side, wanted: Side) -> str:
    """Two values that were to be equal: whole, or that part of them that differs."""
    both = shared(found.text, wanted.text)
    if both:
        return f"`{found.code}` is not `{wanted.code}`: both begin with `{cut(both, MOST_CHARS)}`"
    if max(len(found.text), len(wanted.text)) > MOST_CHARS and (items := _first_difference(found, wanted)):
        return _apart(*items)
    one, other = cut_apart(found.text, wanted.text, MOST_CHARS)
    against = f", not `{other}`" if wanted.is_literal else f" and `{wanted.code}` is `{other}`"
    return f"`{found.code}` is `{one}`{against}"


def _first_difference(found: Side, wanted: Side) -> tuple[Side, Side] | None:
    """The first items that differ; None where their texts are no displays of items, or one has more than the other."""
    try:
        one, other = (ast.parse(side.text, mode="eval").body for side in (found, wanted))
    except (SyntaxError, ValueError):
        return None
    match one, other:
        case (ast.List(elts=a), ast.List(elts=b)) | (ast.Tuple(elts=a), ast.Tuple(elts=b)):
            first, second = ({str(at): item for at, item in enumerate(items)} for items in (a, b))
        case ast.Dict(keys=a, values=c), ast.Dict(keys=b, values=d):
            first = {ast.unparse(key): value for key, value in zip(a, c, strict=True) if key}
            second = {ast.unparse(key): value for key, value in zip(b, d, strict=True) if key}
        case _:
            return None
    for key, item in first.items():
        if key in second and ast.dump(item) != ast.dump(second[key]):
            return _item(found, key, item), _item(wanted, key, second[key])
    return None


def _item(side: Side, key: str, item: ast.expr) -> Side:
    return Side(f"{side.code}[{key}]", ast.unparse(item), side.is_literal)
