"""What an expression is made of, whatever its language: operands, the text around them, the Node they give."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dap_ai.agent.source.parsed import ExpressionKind
from dap_ai.debuggees.native.source import literals
from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax, field
from dap_ai.protocol.contracts.inspection import Node

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
MAX_OPERANDS = 64
MAX_SCOPES = 20

CALL = "a call is not read, it would run code of the program: ask for the values that it works on"
ASSIGNMENT = "an assignment is not read, it would change the program: ask for the value alone"
STEP = "`++` and `--` are not read, they would change the program: ask for the variable alone"
PLAIN = "write the value that you want as a plain expression"

ARITHMETIC = frozenset(["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"])
COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">="])
_TYPES = frozenset("void int char short long float double signed unsigned struct union enum typedef".split())  # noqa: SIM905  as a table


@dataclass(frozen=True)
class ExpressionShape:
    """One level of an expression."""

    kind: ExpressionKind
    form: Sequence[str | int]
    """Its text: a number stands for the text of that operand."""
    operands: Sequence[Syntax] = ()
    node: Callable[[list[Node]], Node] | None = None
    """From the operands' Nodes; None: it is refused."""
    refusal: str = ""
    operator: str = ""
    others: int = 0
    """Named children beside the operands: a member's name, a type."""


Rule = Callable[[ParsedSource, Syntax], ExpressionShape]


class Incomplete(Exception):  # noqa: N818  a state of the source
    """A syntax node lacks a child that it is read by; the text says why it is not read, or nothing."""


def fields(node: Syntax, *names: str, refusal: str = "") -> list[Syntax]:
    """Returns the child nodes with these field names. Raises Incomplete."""
    found = [child for name in names if (child := field(node, name)) is not None]
    if len(found) < len(names):
        raise Incomplete(refusal)
    return found


def shape_by(rules: Mapping[str, Rule], source: ParsedSource, node: Syntax) -> ExpressionShape:
    """The shape of an expression by the rule for its type; what has none is refused."""
    try:
        return rules.get(node.type, opaque)(source, node)
    except Incomplete as error:
        return opaque(source, node, str(error))


def opaque(source: ParsedSource, node: Syntax, refusal: str = "", operator: str = "") -> ExpressionShape:
    """Something that is not read, and that is not looked into."""
    words = node.type.replace("_", " ") if node.type.isidentifier() else node.type
    return ExpressionShape(
        "other", [source.raw(node)], refusal=refusal or f"{words}: not read, {PLAIN}", operator=operator
    )


def refused(refusal: str) -> Rule:
    """The rule of what is never read, with the reason."""
    return lambda source, node: opaque(source, node, refusal)


def assignment(source: ParsedSource, node: Syntax) -> ExpressionShape:
    """`x = y`, `x += y`; never read."""
    del source
    left, right = fields(node, "left", "right", refusal=ASSIGNMENT)
    operator = field(node, "operator")
    sign = operator.type if operator else "="
    return ExpressionShape("assign", [0, f" {sign} ", 1], (left, right), refusal=ASSIGNMENT, operator=sign)


def constant(source: ParsedSource, node: Syntax, value: Node | None) -> ExpressionShape:
    """A literal."""
    text = source.text(node)
    if value is None or "\n" in text:
        return opaque(source, node, f"the constant {source.raw(node)} is not read: {PLAIN}")
    return ExpressionShape("literal", [text], node=lambda _: value, others=len(node.named_children))


def name(source: ParsedSource, node: Syntax, text: str, shown: str = "") -> ExpressionShape:
    """A variable, possibly qualified; refused if it holds anything but plain ASCII names."""
    parts = text.split("::")
    if len(parts) > MAX_SCOPES or not all(IDENTIFIER.fullmatch(part) and part not in _TYPES for part in parts):
        return opaque(source, node, f"the name {source.raw(node)} is not read: {PLAIN}")
    return ExpressionShape("name", [shown or text], node=lambda _: ["n", text], others=len(node.named_children))


def member_node(base: Node | None, operator: str, member: str) -> Node:
    """`base.member`, `base->member`."""
    return ["a", ["->", base] if operator == "->" else base, member]


def binary(left: Syntax, operator: str, right: Syntax) -> ExpressionShape:
    """An arithmetic or logical operator or a comparison; others are refused."""
    make: Callable[[list[Node]], Node] | None = None
    if operator in ARITHMETIC:
        make = lambda x: ["o", operator, *x]  # noqa: E731  one per operator, each shorter than a function
    elif operator in COMPARISONS:
        make = lambda x: ["cmp", x[0], [[operator, x[1]]]]  # noqa: E731  as above
    elif operator in ("&&", "||"):
        make = lambda x: ["and" if operator == "&&" else "or", x]  # noqa: E731  as above
    refusal = "" if make else f"`{operator}` is not read: {PLAIN}"
    return ExpressionShape("binary", [0, f" {operator} ", 1], (left, right), make, refusal, operator)


def listed(
    source: ParsedSource, node: Syntax, operands: Sequence[Syntax], brackets: str, refusal: str
) -> ExpressionShape:
    """Values side by side: arguments, an initialiser. A very long one is not looked into."""
    if len(operands) > MAX_OPERANDS:
        return opaque(source, node, refusal)
    return ExpressionShape("other", [brackets[0], *_joined(0, len(operands)), brackets[1]], operands, refusal=refusal)


def call(source: ParsedSource, node: Syntax, callee: Syntax, arguments: Sequence[Syntax]) -> ExpressionShape:
    """A call of anything; never read."""
    if len(arguments) >= MAX_OPERANDS:
        return opaque(source, node, CALL)
    form = [0, "(", *_joined(1, len(arguments) + 1), ")"]
    return ExpressionShape("call", form, (callee, *arguments), refusal=CALL)


def _joined(first: int, end: int) -> list[str | int]:
    """Formats the operands with these indexes, separated by commas."""
    return [part for index in range(first, end) for part in (", ", index)][1:]


def prefixed(sign: str, operand: Syntax) -> ExpressionShape:
    """`-x`, `*p`, `&x`."""
    return ExpressionShape(
        "deref" if sign == "*" else "unary", [sign, 0], (operand,), lambda x: ["u", sign, x[0]], operator=sign
    )


def cast(written: str, wanted: str | None, operand: Syntax, form: Sequence[str | int], instead: str) -> ExpressionShape:
    """A cast to the type `wanted`; None: to `written` is not cast, and the refusal says to what `instead`."""
    if wanted is None:
        refusal = f"a cast to {written} is not read: cast to {instead}"
        return ExpressionShape("cast", form, (operand,), refusal=refusal, operator=written)
    return ExpressionShape("cast", form, (operand,), lambda x: ["cast", wanted, x[0]], "", wanted, others=1)


LITERALS: Mapping[str, Rule] = {
    **dict.fromkeys(
        ("number_literal", "integer_literal", "float_literal"),
        lambda s, n: constant(s, n, literals.number(s.text(n), s.language)),
    ),
    **dict.fromkeys(("string_literal", "raw_string_literal"), lambda s, n: constant(s, n, literals.string(s.text(n)))),
    "char_literal": lambda s, n: constant(s, n, literals.character(s.text(n))),
}
"""Rules for literals that are written the same in every language."""
