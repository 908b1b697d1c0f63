"""Parts of expressions that all native languages share: operands, source text, and Node."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dap_ai.agent.source.parsed import ExpressionKind
from dap_ai.debuggees.native.source import literals
from dap_ai.debuggees.native.source.grammar import ParsedSource, Syntax, field
from dap_ai.protocol.contracts.inspection import Node
from dap_ai.system.texts import code

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
    """One level of an expression: its operands, and how they are combined."""

    kind: ExpressionKind
    form: Sequence[str | int]
    """Pieces of source text. A number in the list stands for the operand with that index."""
    operands: Sequence[Syntax] = ()
    node: Callable[[list[Node]], Node] | None = None
    """Function that makes the Node from the operands' Nodes; None if the expression is refused."""
    refusal: str = ""
    operator: str = ""
    others: int = 0
    """Number of named children that are not operands, such as a member's name or a type."""


Rule = Callable[[ParsedSource, Syntax], ExpressionShape]


class Incomplete(Exception):  # noqa: N818  a state of the source
    """A syntax node lacks a child that its rule needs.

    The message states why the expression is refused; it may be empty.
    """


def fields(node: Syntax, *names: str, refusal: str = "") -> list[Syntax]:
    """Return a syntax node's children with these field names. Raises Incomplete if a child is missing."""
    found = [child for name in names if (child := field(node, name)) is not None]
    if len(found) < len(names):
        raise Incomplete(refusal)
    return found


def shape_by(rules: Mapping[str, Rule], source: ParsedSource, node: Syntax) -> ExpressionShape:
    """Return an expression's shape by the rule for its type. An expression without a rule is refused."""
    try:
        return rules.get(node.type, opaque)(source, node)
    except Incomplete as error:
        return opaque(source, node, str(error))


def opaque(source: ParsedSource, node: Syntax, refusal: str = "", operator: str = "") -> ExpressionShape:
    """Return the shape of an expression that is refused without a look at its operands."""
    words = node.type.replace("_", " ") if node.type.isidentifier() else node.type
    return ExpressionShape(
        "other", [source.raw(node)], refusal=refusal or f"{words}: not read, {PLAIN}", operator=operator
    )


def refused(refusal: str) -> Rule:
    """Return a rule that refuses every expression with this reason."""
    return lambda source, node: opaque(source, node, refusal)


def assignment(source: ParsedSource, node: Syntax) -> ExpressionShape:
    """Return the shape of `x = y` or `x += y`, which is always refused."""
    del source
    left, right = fields(node, "left", "right", refusal=ASSIGNMENT)
    operator = field(node, "operator")
    sign = operator.type if operator else "="
    return ExpressionShape("assign", [0, f" {sign} ", 1], (left, right), refusal=ASSIGNMENT, operator=sign)


def constant(source: ParsedSource, node: Syntax, value: Node | None) -> ExpressionShape:
    """Return the shape of a literal, which is refused if `value` is None."""
    text = source.text(node)
    if value is None or "\n" in text:
        return opaque(source, node, f"the constant {source.raw(node)} is not read: {PLAIN}")
    return ExpressionShape("literal", [text], node=lambda _: value, others=len(node.named_children))


def name(source: ParsedSource, node: Syntax, text: str, shown: str = "") -> ExpressionShape:
    """Return the shape of a variable's name, which may be qualified.

    Names with other than ASCII characters are refused.
    """
    parts = text.split("::")
    if len(parts) > MAX_SCOPES or not all(IDENTIFIER.fullmatch(part) and part not in _TYPES for part in parts):
        return opaque(source, node, f"the name {source.raw(node)} is not read: {PLAIN}")
    return ExpressionShape("name", [shown or text], node=lambda _: ["n", text], others=len(node.named_children))


def member_node(base: Node | None, operator: str, member: str) -> Node:
    """Return the Node of `base.member` or `base->member`."""
    return ["a", ["->", base] if operator == "->" else base, member]


def binary(left: Syntax, operator: str, right: Syntax) -> ExpressionShape:
    """Return the shape of an arithmetic, logical or comparison operation. Any other operator is refused."""
    make: Callable[[list[Node]], Node] | None = None
    if operator in ARITHMETIC:
        make = lambda x: ["o", operator, *x]  # noqa: E731  one per operator, each shorter than a function
    elif operator in COMPARISONS:
        make = lambda x: ["cmp", x[0], [[operator, x[1]]]]  # noqa: E731  as above
    elif operator in ("&&", "||"):
        make = lambda x: ["and" if operator == "&&" else "or", x]  # noqa: E731  as above
    refusal = "" if make else f"{code(operator)} is not read: {PLAIN}"
    return ExpressionShape("binary", [0, f" {operator} ", 1], (left, right), make, refusal, operator)


def listed(
    source: ParsedSource, node: Syntax, operands: Sequence[Syntax], brackets: str, refusal: str
) -> ExpressionShape:
    """Return the shape of values in brackets, such as arguments or an initialiser. A very long list has no operands."""
    if len(operands) > MAX_OPERANDS:
        return opaque(source, node, refusal)
    return ExpressionShape("other", [brackets[0], *_joined(0, len(operands)), brackets[1]], operands, refusal=refusal)


def call(source: ParsedSource, node: Syntax, callee: Syntax, arguments: Sequence[Syntax]) -> ExpressionShape:
    """Return the shape of a call, which is always refused."""
    if len(arguments) >= MAX_OPERANDS:
        return opaque(source, node, CALL)
    form = [0, "(", *_joined(1, len(arguments) + 1), ")"]
    return ExpressionShape("call", form, (callee, *arguments), refusal=CALL)


def _joined(first: int, end: int) -> list[str | int]:
    """Return the form of the operands with these indexes, separated by commas."""
    return [part for index in range(first, end) for part in (", ", index)][1:]


def prefixed(sign: str, operand: Syntax) -> ExpressionShape:
    """Return the shape of an operation with a prefix operator, such as `-x`, `*p` or `&x`."""
    return ExpressionShape(
        "deref" if sign == "*" else "unary", [sign, 0], (operand,), lambda x: ["u", sign, x[0]], operator=sign
    )


def cast(written: str, wanted: str | None, operand: Syntax, form: Sequence[str | int], instead: str) -> ExpressionShape:
    """Return the shape of a cast to the type `wanted`.

    If `wanted` is None, the cast to `written` is refused, and the reason suggests `instead`.
    """
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
"""Rules for literals, the same in every native language."""
