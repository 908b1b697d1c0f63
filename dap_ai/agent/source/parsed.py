"""Interface to the grammars for C, C++ and Rust, and the results of parsing.

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
    """An expression in C, C++ or Rust source."""

    text: str
    """Source text with normalised spacing: `order->items[i].price`."""
    kind: ExpressionKind
    line: int
    column: int
    node: Node | None = None
    """The expression as a Node. None for a call or an assignment, which cannot be read without running code."""
    parts: Sequence[Expression] = ()
    """Operands, in order:

    - member or dereference: the pointer or struct
    - subscript: base and index
    - call: callee and arguments
    - assignment: left and right side
    """
    operator: str = ""
    """Operator: `->` or `.` of a member, `+` of a binary, `=` or `+=` of an assignment, `!` of a Rust macro call."""
    refusal: str = ""
    """Reason why `node` is None, and what to do instead."""


@dataclass(frozen=True)
class NameWrite:
    """A place where a variable or member gets or loses its value."""

    name: str
    """Source text of the written variable or member: `p`, `p->next`, `items[i]`."""
    line: int
    role: Role
    """Kind of write:

    - declared: without a value
    - assigned: also by a constructor, or zeroed (`static`)
    - changed: `++`, `+=`, `std::move`, `v.clear()`
    - argument: the name is a parameter
    - address: `&p` is passed to a call, or a C library function fills the target
    - freed: free, delete, drop
    - loop: in a loop header
    """
    value: Expression | None = None
    """The assigned expression. For `address`, `freed` and a changing call, the call expression."""
    code: str = ""
    """The source line, stripped of surrounding white space."""
    not_null: frozenset[str] = frozenset()
    """Names that are not null here, because a condition around the assignment tests them."""


@dataclass(frozen=True)
class Function:
    """A function or method, from line `first` to `last` inclusive."""

    name: str
    """Qualified name as written in the source: `Stack::push`."""
    first: int
    last: int
    parameters: Sequence[str] = ()
    types: Sequence[str] = ()
    """Types of the parameters, as source text."""


@dataclass(frozen=True)
class CompiledStatement:
    """The innermost statement at a line. For a compound statement, only its header."""

    first: int
    last: int
    text: str
    kind: StatementKind
    expressions: Sequence[Expression] = field(default_factory=tuple)
    """Outermost expressions of the statement, in source order."""


class Unit(Protocol):
    """A parsed C, C++ or Rust source file."""

    @property
    def functions(self) -> Sequence[Function]:
        """All functions of the file, in source order."""
        ...

    def function_at(self, line: int) -> Function | None:
        """Returns the innermost function that contains the line, or None."""
        ...

    def expressions_at(self, line: int) -> list[Expression]:
        """Returns the distinct sub-expressions with a value in the statement at `line`, outermost first."""
        ...

    def reads(self, function: Function) -> list[Expression]:
        """Returns the distinct names, members, subscripts and dereferences in a function, in source order."""
        ...


class Grammar(Protocol):
    """Parses the languages of one debuggee kind, and converts the stack frames of its programs."""

    def parse(self, text: str, language: str) -> Unit:
        """Parses the text of a file. Raises MissingExtraError."""
        ...

    def expression(self, text: str, language: str) -> Expression:
        """Parses one expression. Raises sanitize.SyntaxRefused."""
        ...

    def frames(self, rows: list[dict[str, Any]]) -> list[Any]:
        """Converts DAP stack frames to StackFrames, with function names as written in the source."""
        ...


class HasGrammar(Protocol):
    """The member of a debuggee kind that provides a grammar."""

    def grammar(self) -> Grammar:
        """Returns the grammar for the kind's languages."""
        ...


def grammar_of(language: str) -> Grammar:
    """Returns the grammar for a language in NATIVE_LANGUAGES."""
    return cast("HasGrammar", kinds.of_language(language)).grammar()
