"""What an expression is made of, whatever its language: operands, the text around them, the Node they give."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dap_ai.agent.source.parsed import ExpressionKind
from dap_ai.debuggees.native.source.grammar import Source, Syntax, field
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
class Shape:
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


Rule = Callable[[Source, Syntax], Shape]


def opaque(source: Source, node: Syntax, refusal: str = "", operator: str = "") -> Shape:
    """Something that is not read, and that is not looked into."""
    words = node.type.replace("_", " ") if node.type.isidentifier() else node.type
    return Shape("other", [source.raw(node)], refusal=refusal or f"{words}: not read, {PLAIN}", operator=operator)


def refused(refusal: str) -> Rule:
    """The rule of what is never read, with the reason."""
    return lambda source, node: opaque(source, node, refusal)


def assignment(source: Source, node: Syntax) -> Shape:
    """`x = y`, `x += y`; never read."""
    left, operator, right = (field(node, key) for key in ("left", "operator", "right"))
    if left is None or right is None:
        return opaque(source, node, ASSIGNMENT)
    sign = operator.type if operator else "="
    return Shape("assign", [0, f" {sign} ", 1], (left, right), refusal=ASSIGNMENT, operator=sign)


def constant(source: Source, node: Syntax, value: Node | None) -> Shape:
    """A literal."""
    text = source.text(node)
    if value is None or "\n" in text:
        return opaque(source, node, f"the constant {source.raw(node)} is not read: {PLAIN}")
    return Shape("literal", [text], node=lambda _: value, others=len(node.named_children))


def name(source: Source, node: Syntax, text: str, shown: str = "") -> Shape:
    """A variable, possibly qualified; refused if it holds anything but plain ASCII names."""
    parts = text.split("::")
    if len(parts) > MAX_SCOPES or not all(IDENTIFIER.fullmatch(part) and part not in _TYPES for part in parts):
        return opaque(source, node, f"the name {source.raw(node)} is not read: {PLAIN}")
    return Shape("name", [shown or text], node=lambda _: ["n", text], others=len(node.named_children))


def member_node(base: Node | None, operator: str, member: str) -> Node:
    """`base.member`, `base->member`."""
    return ["a", ["->", base] if operator == "->" else base, member]


def binary(left: Syntax, operator: str, right: Syntax, shown: str) -> Shape:
    """An arithmetic or logical operator or a comparison; others are refused."""
    make: Callable[[list[Node]], Node] | None = None
    if operator in ARITHMETIC:
        make = lambda x: ["o", operator, *x]  # noqa: E731  one per operator, each shorter than a function
    elif operator in COMPARISONS:
        make = lambda x: ["cmp", x[0], [[operator, x[1]]]]  # noqa: E731  as above
    elif operator in ("&&", "||"):
        make = lambda x: ["and" if operator == "&&" else "or", x]  # noqa: E731  as above
    refusal = "" if make else f"`{shown}` is not read: {PLAIN}"
    return Shape("binary", [0, f" {shown} ", 1], (left, right), make, refusal, operator)


def listed(source: Source, node: Syntax, operands: Sequence[Syntax], brackets: str, refusal: str) -> Shape:
    """Values side by side: arguments, an initialiser. A very long one is not looked into."""
    if len(operands) > MAX_OPERANDS:
        return opaque(source, node, refusal)
    form: list[str | int] = [brackets[0]]
    for index in range(len(operands)):
        form += [", ", index] if index else [index]
    return Shape("other", [*form, brackets[1]], operands, refusal=refusal)


def call(source: Source, node: Syntax, callee: Syntax, arguments: Sequence[Syntax]) -> Shape:
    """A call of anything; never read."""
    if len(arguments) >= MAX_OPERANDS:
        return opaque(source, node, CALL)
    form: list[str | int] = [0, "("]
    for index in range(1, len(arguments) + 1):
        form += [", ", index] if index > 1 else [index]
    return Shape("call", [*form, ")"], (callee, *arguments), refusal=CALL)
