"""Finds the variables that a line typed in a debugger's console sets. Has no side effects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

_CHANGES = frozenset({
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft", "remove",
    "reverse", "setdefault", "sort", "update",
})  # fmt: skip
"""Methods that change a Python container."""
_COMMAND = re.compile(
    r"^\s*(?:-exec\s+)?`?(?:(?:expression|expr|print|call|p|set\s+var(?:iable)?|set)\b(?:\s+--)?\s+)?(?P<rest>.+?)`?\s*;?\s*$",
    re.DOTALL,
)
"""Matches an expression, which may follow a gdb or lldb command."""
_PATH = r"[A-Za-z_$][\w$]*(?:(?:\.|->)\w+|\[[^\[\]=]+\])*"
_NATIVE = re.compile(rf"^(?P<name>\**{_PATH})\s*(?P<how>(?:[-+*/%&|^]|<<|>>)?=)(?!=)\s*(?P<value>.+)$", re.DOTALL)
_STEPS = re.compile(rf"^(?:(?:\+\+|--)\s*(?P<after>{_PATH})|(?P<before>{_PATH})\s*(?:\+\+|--))$")


class Assigned(NamedTuple):
    """A variable that a statement sets or changes. `value` is the assigned literal; empty if the value is computed."""

    name: str
    value: str
    statement: str


def assigned(text: str) -> list[Assigned]:
    """Return the variables that `text` sets. Parses `text` as Python, or else as C, C++ or Rust.

    C, C++ and Rust may follow a gdb or lldb command.
    """
    try:
        statements = ast.parse(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return list(_native(text))
    return [each for statement in statements for each in _of_statement(statement)]


def _native(text: str) -> Iterator[Assigned]:
    found = _COMMAND.match(text)
    rest = found["rest"].strip() if found else ""
    if each := _NATIVE.match(rest):
        yield Assigned(each["name"], each["value"].strip() if each["how"] == "=" else "", rest)
    elif each := _STEPS.match(rest):
        yield Assigned(each["after"] or each["before"], "", rest)


def _of_statement(statement: ast.stmt) -> Iterator[Assigned]:
    text = ast.unparse(statement)
    for node in ast.walk(statement):
        match node:
            case ast.Assign(targets=targets, value=value):
                literal = ast.unparse(value) if isinstance(value, ast.Constant) else ""
                for target in targets:
                    yield from (Assigned(name, literal, text) for name in _paths(target))
            case ast.AnnAssign(target=target, value=ast.expr()) | ast.AugAssign(target=target):
                yield from (Assigned(name, "", text) for name in _paths(target))
            case ast.Delete(targets=targets):
                yield from (Assigned(name, "", text) for target in targets for name in _paths(target))
            case ast.NamedExpr(target=target):
                yield Assigned(target.id, "", text)
            case ast.For(target=target) | ast.AsyncFor(target=target):
                yield from (Assigned(name, "", text) for name in _paths(target))
            case ast.Call(func=ast.Attribute(value=holder, attr=method)) if method in _CHANGES:
                yield from (Assigned(name, "", text) for name in _paths(holder))
            case ast.Call(func=ast.Name(id="setattr"), args=[holder, ast.Constant(value=str(name)), _]):
                yield from (Assigned(f"{path}.{name}", "", text) for path in _paths(holder))
            case _:
                pass


def _paths(target: ast.expr) -> Iterator[str]:
    """Yield the names, attributes and items that an assignment target sets, including the parts of a tuple."""
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _paths(part)
        case ast.Starred(value=part):
            yield from _paths(part)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            yield ast.unparse(target)
        case _:
            pass
