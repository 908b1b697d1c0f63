"""Generates mutants of a package: source with one place changed in a way that a test could notice."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

from seed_mutants import OPERATORS, Place, mutated, span

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOGGERS = {"log", "_log", "logger", "_logger", "logging"}
CACHE = re.compile(r"\bcache\b|\blru_cache\b")
UNNOTICED = {"__slots__", "__all__", "__match_args__"}
"""Assignments that change no result."""
DECLARED = {"frozen", "kw_only", "gc", "weakref", "slots"}
"""Keywords of a class that change no result."""


@dataclass(frozen=True)
class Mutant:
    """A file with one place changed. Lines are 1-based."""

    file: Path
    line: int
    kind: str
    """The operator's name."""
    before: str
    after: str
    """The changed lines without indentation; empty where a statement is removed."""
    source: str
    """The whole file, mutated."""
    lines: frozenset[int] = field(repr=False)
    """The lines of the statement, in the file as it is: a test that runs none of them can't notice."""
    function: tuple[str, int] | None
    """Name and first line of the outermost function whose body has the place.

    None: it is outside of all, or what it returns is kept.
    """


def drawn(files: Sequence[Path], seed: str, count: int) -> list[Mutant]:
    """Up to `count` mutants, at most one a line, in an order that the seed fixes; one of each line where it is 0."""
    found = [(file, change) for file in sorted(files) for change in changes(file.read_text(encoding="utf-8"))]
    random.Random(seed).shuffle(found)  # noqa: S311  no secret
    chosen: dict[tuple[Path, int], Mutant] = {}
    for file, change in found:
        place = (file, change.place.start[0])
        if place not in chosen and (made := mutant(file, change)):
            chosen[place] = made
        if len(chosen) == count:
            break
    return list(chosen.values())


class Change(NamedTuple):
    """One thing that an operator can do to a source."""

    kind: str
    place: Place
    lines: frozenset[int]
    function: tuple[str, int] | None


def changes(source: str) -> Iterator[Change]:
    """Every change of a source by every operator, but for those that nobody could notice."""
    for node, statement, function in places(ast.parse(source)):
        for operator in (*OPERATORS, negation, flag):
            for place in operator(node):
                if is_unnoticed(node, place):
                    continue
                lines = {*range(place.start[0], place.end[0] + 1)}
                if place.removed:  # from the body of `node`
                    yield Change(operator.__name__, place, frozenset(lines), function or identity(node))
                else:
                    yield Change(operator.__name__, place, frozenset({*lines, *header(statement)}), function)


def mutant(file: Path, change: Change) -> Mutant | None:
    """A file so changed; None where that is no valid source, or the same."""
    source = file.read_text(encoding="utf-8")
    place = change.place
    edit = mutated(source, place)
    if edit is None or ast.dump(ast.parse(changed := source.replace(edit[0], edit[1]))) == ast.dump(ast.parse(source)):
        return None
    old, new = source.split("\n"), changed.split("\n")
    first, last = place.start[0] - 1, place.end[0]
    after = "" if place.removed else squeezed(new[first : last + len(new) - len(old)])
    return Mutant(
        file, first + 1, change.kind, squeezed(old[first:last]), after, changed, change.lines, change.function
    )


def negation(node: ast.AST) -> Iterator[Place]:
    """A filter of a comprehension negated, or a `not` dropped."""
    if isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield span(test, f"not ({ast.unparse(test)})")
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield span(node, f"bool({ast.unparse(node.operand)})")


def flag(node: ast.AST) -> Iterator[Place]:
    """`True` for `False`, and the other way round."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield span(node, str(not node.value))


Found = tuple[ast.AST, ast.stmt, tuple[str, int] | None]


def places(tree: ast.Module) -> Iterator[Found]:
    """Nodes that can be changed so that a result changes, each with its statement and its outermost function."""
    for statement in tree.body:
        yield from _below(statement, statement, None)


def _below(node: ast.AST, statement: ast.stmt, function: tuple[str, int] | None) -> Iterator[Found]:
    if isinstance(node, ast.stmt):
        statement = node
    if is_declaration(node):
        return
    yield node, statement, function
    inner = function or identity(node)
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in cast("list[Any]", value) if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _below(child, statement, inner if name == "body" else function)


def identity(node: ast.AST) -> tuple[str, int] | None:
    """Name and first line of a function, as its code has them; None of another node, or where a cache is around it."""
    if not isinstance(node, FUNCTIONS) or any(CACHE.search(ast.unparse(each)) for each in node.decorator_list):
        return None
    return node.name, min([node.lineno, *(each.lineno for each in node.decorator_list)])


def is_declaration(node: ast.AST) -> bool:
    """Whether nothing in a node changes a result: docstrings, imports, logging, what only a type checker reads.

    An f-string is left out as well: old versions of Python tell the positions in it wrong.
    """
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.JoinedStr)):
        return True
    if isinstance(node, ast.Expr):
        call = node.value
        return isinstance(call, ast.Constant) or (isinstance(call, ast.Call) and _root(call.func) in LOGGERS)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(target, ast.Name) and target.id in UNNOTICED for target in targets)
    if isinstance(node, ast.keyword):
        return node.arg in DECLARED
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.Call) and _root(node.func) in {"TypeVar", "ParamSpec", "NewType", "assert_never"}


def is_unnoticed(node: ast.AST, place: Place) -> bool:
    """Whether a change of a place that could matter does not: logging removed, the arguments of `max` exchanged."""
    if isinstance(node, ast.Call) and _root(node.func) in {"cast", "max", "min"}:
        return True
    return place.removed and any(
        isinstance(each, ast.stmt) and each.lineno == place.start[0] and is_declaration(each)
        for each in ast.iter_child_nodes(node)
    )


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def header(statement: ast.stmt) -> range:
    """The lines of a statement; those before its body where it has one."""
    body: list[ast.stmt] = getattr(statement, "body", [])
    end = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(end, statement.lineno) + 1)


def squeezed(lines: Sequence[str]) -> str:
    """Lines of source as one."""
    return " ".join(line.strip() for line in lines)


def own_tests(root: Path, room: Path) -> Path:
    """The folder of tests that mirrors a room; the nearest above it if it has none of its own."""
    folder = root / "tests" / "unit" / room.relative_to(root / "dap_ai")
    return next(each for each in (folder, *folder.parents) if each.is_dir())
