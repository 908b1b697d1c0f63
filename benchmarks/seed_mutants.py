"""Seeds mistakes into the correct programs of the validation corpus, by chance that a seed fixes.

    python benchmarks/seed_mutants.py SEED [--each COUNT] [--write]

For each base in turn an operator is drawn, then a place for it in a module other than main.py. A mutant stays if an
uncaught exception ends the program within two seconds. The frozen set, tests/corpus/validation/seeded.toml, is that of
seed 20251 and was made by Python 3.11 before the analyst had the rules that it measures; without --write the
catalogue goes to stdout.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from _corpus import MAIN, VALIDATION, Entry, base_files, bases, entries, failure, toml

HEAD = """Mutants of bases/, made by `python benchmarks/seed_mutants.py {seed}` and frozen. Lines are 1-based.
The keys are those of written.toml; kind is the operator. Where a statement was removed, the lines beside the gap
are right."""

TIMEOUT_S = 2.0
"""A mutant that runs longer is dropped."""

ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "//",
    ast.FloorDiv: "/",
    ast.Mod: "//",
    ast.Pow: "*",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}


@dataclass(frozen=True)
class Place:
    """What a mutation replaces: from a line and column to another, and by what. Lines 1-based, columns 0-based."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str
    removed: bool = False
    """Whole lines, without a trace."""


def span(node: Any, text: str) -> Place:
    """A node replaced."""
    return Place((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset), text)


def between(left: Any, right: Any, text: str) -> Place:
    """What stands between two nodes replaced."""
    return Place((left.end_lineno, left.end_col_offset), (right.lineno, right.col_offset), text)


def arithmetic(node: ast.AST) -> Iterator[Place]:
    """Another operator between two operands that have no parentheses around them."""
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield between(node.left, node.right, f" {ARITHMETIC[type(node.op)]} ")


def comparison(node: ast.AST) -> Iterator[Place]:
    """A bound included or left out, or a test turned round."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        yield between(node.left, node.comparators[0], f" {COMPARISONS[type(node.ops[0])]} ")


def boolean(node: ast.AST) -> Iterator[Place]:
    """`and` for `or`, and the other way round."""
    if isinstance(node, ast.BoolOp) and len(node.values) == 2:
        yield between(node.values[0], node.values[1], " and " if isinstance(node.op, ast.Or) else " or ")


def constant(node: ast.AST) -> Iterator[Place]:
    """A number that is one too high or too low."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield span(node, str(node.value + 1))
        if node.value:
            yield span(node, str(node.value - 1))


def condition(node: ast.AST) -> Iterator[Place]:
    """A condition negated, or its `not` dropped."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        test = node.test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            yield span(test, ast.unparse(test.operand))
        else:
            yield span(test, f"not ({ast.unparse(test)})")


def dropped_term(node: ast.AST) -> Iterator[Place]:
    """One half of a condition of two, without the other."""
    if isinstance(node, ast.BoolOp) and len(node.values) == 2:
        for value in node.values:
            yield span(node, ast.unparse(value))


def statement(node: ast.AST) -> Iterator[Place]:
    """A statement removed from a block that has others; docstrings stay."""
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return
    for _, block in ast.iter_fields(node):
        if not isinstance(block, list) or len(cast("list[Any]", block)) < 2:
            continue
        for each in cast("list[Any]", block):
            docstring = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
            if isinstance(each, (ast.Expr, ast.Assign, ast.AugAssign, ast.If)) and not docstring:
                yield Place((each.lineno, 0), (each.end_lineno or each.lineno, -1), "", removed=True)


def arguments(node: ast.AST) -> Iterator[Place]:
    """Two neighbouring arguments of a call exchanged."""
    if isinstance(node, ast.Call):
        for one, other in zip(node.args, node.args[1:], strict=False):
            if not isinstance(one, ast.Starred) and not isinstance(other, ast.Starred):
                text = f"{ast.unparse(other)}, {ast.unparse(one)}"
                yield Place(span(one, "").start, span(other, "").end, text)


def returned(node: ast.AST) -> Iterator[Place]:
    """Another value returned."""
    if isinstance(node, ast.Return) and node.value is not None:
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            yield span(value, str(not value.value))
        elif not (isinstance(value, ast.Constant) and value.value is None):
            yield span(value, "None")


def loop(node: ast.AST) -> Iterator[Place]:
    """`break` for `continue`, and the other way round."""
    if isinstance(node, (ast.Break, ast.Continue)):
        yield span(node, "continue" if isinstance(node, ast.Break) else "break")


def bounds(node: ast.AST) -> Iterator[Place]:
    """A slice that begins or ends one place off, or a computed index one off."""
    if not isinstance(node, ast.Subscript):
        return
    if isinstance(node.slice, ast.Slice):
        for bound in (node.slice.lower, node.slice.upper):
            if bound is not None:
                yield span(bound, f"{ast.unparse(bound)} + 1")
                yield span(bound, f"{ast.unparse(bound)} - 1")
    elif isinstance(node.slice, ast.BinOp):
        yield span(node.slice, f"{ast.unparse(node.slice)} - 1")


def assignment(node: ast.AST) -> Iterator[Place]:
    """A running value overwritten, or changed the other way."""
    if isinstance(node, ast.AugAssign):
        yield between(node.target, node.value, " = ")
        if isinstance(node.op, (ast.Add, ast.Sub)):
            yield between(node.target, node.value, " -= " if isinstance(node.op, ast.Add) else " += ")


OPERATORS: list[Callable[[ast.AST], Iterator[Place]]] = [
    arithmetic,
    comparison,
    boolean,
    constant,
    condition,
    dropped_term,
    statement,
    arguments,
    returned,
    loop,
    bounds,
    assignment,
]


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes whose positions Python tells right in every version: none within an f-string, no annotation."""
    if isinstance(tree, ast.JoinedStr):
        return
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not isinstance(tree, (ast.AnnAssign, ast.arg)):
            yield from nodes(child)


def mutated(source: str, place: Place) -> tuple[str, str, list[int]] | None:
    """The old lines, the new ones, and the right lines after the edit; None where that makes no valid edit."""
    lines = source.split("\n")
    first, last = place.start[0], place.end[0]
    if place.removed:
        new: list[str] = []
        right = [first, first - 1] if lines[last].strip() else [first - 1]
    else:
        head, tail = lines[first - 1][: place.start[1]], lines[last - 1][place.end[1] :]
        gone = "\n".join(lines[first - 1 : last]).removeprefix(head).removesuffix(tail)
        if place.text.startswith(" ") and not {"(", ")"}.isdisjoint(gone):
            return None
        new = f"{head}{place.text}{tail}".split("\n")
        right = list(range(first, first + len(new)))
    top, bottom = first - 1, last
    while source.count("\n".join(lines[top:bottom])) != 1 or (place.removed and bottom == last):
        top, bottom = (top - 1, bottom) if bottom > last else (top, bottom + 1)
        if top < 0:
            return None
    old_text = "\n".join(lines[top:bottom])
    new_text = "\n".join([*lines[top : first - 1], *new, *lines[last:bottom]])
    try:
        compile(source.replace(old_text, new_text), "mutant", "exec")
    except SyntaxError:
        return None
    return old_text, new_text, right


def candidates(base: str) -> dict[str, list[tuple[str, tuple[str, str, list[int]]]]]:
    """What each operator can do to a base: the file and the edit."""
    found: dict[str, list[tuple[str, tuple[str, str, list[int]]]]] = {}
    for file, source in base_files(base).items():
        if file == MAIN:
            continue
        for node in nodes(ast.parse(source)):
            for operator in OPERATORS:
                edits = [edit for place in operator(node) if (edit := mutated(source, place))]
                found.setdefault(operator.__name__, []).extend((file, edit) for edit in edits)
    return {name: edits for name, edits in found.items() if edits}


def seeded(base: str, seed: int, count: int) -> dict[str, dict[str, Any]]:
    """Up to `count` failing mutants of a base, each in lines of its own and none like a written mistake."""
    chance = random.Random(f"{seed} {base}")  # noqa: S311  no secret
    written = [entry.program().files for entry in entries("written").values() if entry.base == base]
    possible = candidates(base)
    chosen: dict[str, dict[str, Any]] = {}
    taken: set[tuple[str, int]] = set()
    while possible and len(chosen) < count:
        operator = chance.choice(sorted(possible))
        edits = possible[operator]
        file, (old, new, right) = edits.pop(chance.randrange(len(edits)))
        if not edits:
            del possible[operator]
        name = f"{base}_{len(chosen) + 1}"
        files = Entry(name, base, file, old, new, right, operator).program().files
        if (file, right[0]) in taken or files in written:
            continue
        failed = failure(files, timeout_s=TIMEOUT_S)
        if failed is None:
            continue
        taken.update((file, line) for line in right)
        fields = {"base": base, "file": file, "old": old, "new": new, "lines": right, "kind": operator}
        chosen[name] = {**fields, "error": failed.error, "stops_at": failed.stops_at}
    return chosen


def main() -> None:
    """Makes the catalogue."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int)
    parser.add_argument("--each", type=int, default=3, help="mutants of each base (default: 3)")
    parser.add_argument("--write", action="store_true", help="write seeded.toml")
    options = parser.parse_args()
    catalogue: dict[str, dict[str, Any]] = {}
    for base in bases():
        catalogue.update(seeded(base, options.seed, options.each))
    text = toml(catalogue, HEAD.format(seed=options.seed))
    if options.write:
        (VALIDATION / "seeded.toml").write_text(text, encoding="utf-8")
        print(f"{len(catalogue)} mutants")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
