"""Interfaces and results of the grammars that kinds of debuggee provide for C, C++ and Rust.

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
    """An expression in the source."""

    text: str
    """Text with normalised spacing: `order->items[i].price`."""
    kind: ExpressionKind
    line: int
    column: int
    node: Node | None = None
    """The expression as a Node; None if it cannot be read without running code (a call, an assignment)."""
    parts: Sequence[Expression] = ()
    """Operands, in order: the pointer or struct of a member or dereference; base and index of a subscript; callee and
    arguments of a call; left and right of an assignment.
    """
    operator: str = ""
    """Operator: `->` or `.` of a member, `+` of a binary, `=` or `+=` of an assignment; `!` of a Rust macro call."""
    refusal: str = ""
    """If `node` is None: why the expression is not read, and what to do instead."""


@dataclass(frozen=True)
class NameWrite:
    """A place where a variable or member gets or loses its value."""

    name: str
    """Source text of the target: `p`, `p->next`, `items[i]`."""
    line: int
    role: Role
    """Kind of write. declared: without a value. assigned: also by a constructor, or zeroed (`static`). changed: `++`,
    `+=`, `std::move`, `v.clear()`. argument: a parameter. address: `&p` is passed to a call, or a C library function
    fills it. freed: free, delete, drop. loop: in a loop header.
    """
    value: Expression | None = None
    """The assigned expression; for `address`, `freed` and a changing call, the call."""
    code: str = ""
    """The source line, stripped."""
    not_null: frozenset[str] = frozenset()
    """Names that the conditions around an assignment have shown not to be null."""


@dataclass(frozen=True)
class Function:
    """A function or method, from line `first` to `last` inclusive."""

    name: str
    """Qualified name as in the source: `Stack::push`."""
    first: int
    last: int
    parameters: Sequence[str] = ()
    types: Sequence[str] = ()
    """Types of the parameters, as source text."""


@dataclass(frozen=True)
class CompiledStatement:
    """The innermost statement at a line; of a compound statement, only its header."""

    first: int
    last: int
    text: str
    kind: StatementKind
    expressions: Sequence[Expression] = field(default_factory=tuple)
    """Outermost expressions, in source order."""


class Unit(Protocol):
    """A parsed source file: the part that dap_ai's core uses."""

    @property
    def functions(self) -> Sequence[Function]:
        """All functions, in source order."""
        ...

    def function_at(self, line: int) -> Function | None:
        """Returns the innermost function that contains the line, or None."""
        ...

    def expressions_at(self, line: int) -> list[Expression]:
        """Returns each distinct sub-expression with a value in the statement at `line`, outermost first."""
        ...

    def reads(self, function: Function) -> list[Expression]:
        """Returns each distinct name, member, subscript and dereference of a function, in source order."""
        ...


class Grammar(Protocol):
    """Parses the languages of one kind of debuggee, and reads the stack frames of its programs."""

    def parse(self, text: str, language: str) -> Unit:
        """Parses a file's text. Raises MissingExtraError."""
        ...

    def expression(self, text: str, language: str) -> Expression:
        """Parses one expression. Raises sanitize.SyntaxRefused."""
        ...

    def frames(self, rows: list[dict[str, Any]]) -> list[Any]:
        """Converts DAP stack frames to `stack.Frame`s, with names as in the source and whose code each is."""
        ...


class HasGrammar(Protocol):
    """A kind of debuggee that has a grammar."""

    def grammar(self) -> Grammar:
        """Returns the grammar of its languages."""
        ...


def grammar_of(language: str) -> Grammar:
    """Returns the grammar for a language in NATIVE_LANGUAGES."""
    return cast("HasGrammar", kinds.of_language(language)).grammar()
