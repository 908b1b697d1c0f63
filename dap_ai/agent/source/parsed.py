"""What a kind of debuggee finds in the sources that it parses (C, C++, Rust).

Lines are 1-based, columns 0-based characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, cast

from dap_ai.agent import kinds
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
class NameWrite:
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
class CompiledStatement:
    """The innermost statement at a line; of a compound one its header only."""

    first: int
    last: int
    text: str
    kind: StatementKind
    expressions: Sequence[Expression] = field(default_factory=tuple)
    """Outermost, in order of the source."""


class Unit(Protocol):
    """A parsed source file: the part that the core uses."""

    @property
    def functions(self) -> Sequence[Function]:
        """All of them, in order of the source."""
        ...

    def function_at(self, line: int) -> Function | None:
        """The innermost function that holds the line."""
        ...

    def expressions_at(self, line: int) -> list[Expression]:
        """Every sub-expression with a value in the statement at `line`, outermost first, each text once."""
        ...

    def reads(self, function: Function) -> list[Expression]:
        """Names, members, subscripts and dereferences of the whole function, each text once, in source order."""
        ...


class Grammar(Protocol):
    """Parses the languages of one kind of debuggee, and reads the stack frames of its programs."""

    def parse(self, text: str, language: str) -> Unit:
        """Parses a file. Raises MissingExtraError."""
        ...

    def expression(self, text: str, language: str) -> Expression:
        """Parses one expression. Raises sanitize.SyntaxRefused."""
        ...

    def frames(self, rows: list[dict[str, Any]]) -> list[Any]:
        """Converts DAP stack frames to `stack.Frame`s, with names as in the source, and whose code each is."""
        ...


class HasGrammar(Protocol):
    """A kind of debuggee that has a grammar."""

    def grammar(self) -> Grammar:
        """Returns the grammar of its languages."""
        ...


def grammar_of(language: str) -> Grammar:
    """Returns the grammar for a language in NATIVE_LANGUAGES."""
    return cast("HasGrammar", kinds.of_language(language)).grammar()
