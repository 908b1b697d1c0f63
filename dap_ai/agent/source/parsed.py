"""What parsing finds in C, C++ and Rust. Lines are 1-based, columns 0-based characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from dap_ai.protocol.contracts.inspection import Node

ExpressionKind = Literal[
    "name", "member", "subscript", "deref", "call", "binary", "unary", "cast", "assign", "literal", "other"
]
Role = Literal["declared", "assigned", "changed", "argument", "address", "freed", "loop"]
StatementKind = Literal["return", "if", "while", "for", "switch", "declaration", "expression", "other"]


@dataclass(frozen=True)
class Expression:
    """An expression as it stands in the source."""

    text: str
    """Normal spacing: `order->items[i].price`."""
    kind: ExpressionKind
    line: int
    column: int
    node: Node | None = None
    """None: it cannot be read without running code (a call, an assignment)."""
    parts: Sequence[Expression] = ()
    """Operands, in order: of a member or deref the pointer or struct; of a subscript base and index; of a call the
    callee and arguments; of an assignment left and right."""
    operator: str = ""
    """`->` or `.` of a member, `+` of a binary, `=` or `+=` of an assignment; in Rust `!` of a macro's call."""
    refusal: str = ""
    """Without `node`: why it is not read, and what to do instead."""


@dataclass(frozen=True)
class Write:
    """A place where something named gets its value, or loses it."""

    name: str
    """What is written, as in the source: `p`, `p->next`, `items[i]`."""
    line: int
    role: Role
    """declared: without a value. assigned: also by a constructor, or zeroed (`static`). changed: `++`, `+=`,
    `std::move`, `v.clear()`. argument: a parameter. address: `&p` is given to a call, or a function of the C library
    fills it. freed: free, delete, drop. loop: its header."""
    value: Expression | None = None
    """What it is set to; of `address`, `freed` and a call that changes it the call."""
    code: str = ""
    """The line, stripped."""
    not_null: frozenset[str] = frozenset()
    """What the conditions around an assignment have found not to be null."""


@dataclass(frozen=True)
class Function:
    """A function or method; `first` and `last` line inclusive."""

    name: str
    """As the source qualifies it: `Stack::push`."""
    first: int
    last: int
    parameters: Sequence[str] = ()
    types: Sequence[str] = ()
    """Of the parameters, as source text."""


@dataclass(frozen=True)
class Statement:
    """The innermost statement at a line; of a compound one its header only."""

    first: int
    last: int
    text: str
    kind: StatementKind
    expressions: Sequence[Expression] = field(default_factory=tuple)
    """Outermost, in order of the source."""
