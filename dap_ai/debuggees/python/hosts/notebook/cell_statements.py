"""Finds the names that each statement of the executed cells binds, uses and changes, with Python's symbol tables.

Only source text is read. Names used in a function's body count where the function is called, with their values at that
time.
"""

from __future__ import annotations

import ast
import copy
import symtable
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dap_ai.debuggees.python.hosts.notebook.cell_history import Cell
from dap_ai.debuggees.python.hosts.notebook.in_place_changes import InPlaceChanges, changes_of, inner_statements

_MAGICS_WITH_CODE = ("time", "timeit", "capture", "prun")
_CELL_MAGIC = "get_ipython().run_cell_magic("
_COMPOUND = ast.If | ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith | ast.Try | ast.Match
_MAYBE = ast.If | ast.For | ast.AsyncFor | ast.While | ast.Try | ast.Match
_DEFINES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass
class CellStatement:
    """A statement at the top level of a cell that ran. `first` and `last` are 1-based lines within the cell."""

    cell: Cell
    node: ast.stmt
    first: int
    last: int
    binds: set[str] = field(default_factory=set[str])
    """Names that the statement binds or deletes."""
    uses: set[str] = field(default_factory=set[str])
    changes: set[str] = field(default_factory=set[str])
    """Names whose values the statement may change in place, or which it binds on some paths only."""
    later: set[str] = field(default_factory=set[str])
    """Names that functions inside the statement use when they are called."""
    later_changes: set[str] = field(default_factory=set[str])
    star: bool = False
    """Whether the statement is `from x import *`, which may bind any name."""

    @property
    def text(self) -> str:
        """The statement's source lines as written in the cell."""
        text = self.cell.raw if self.cell.source.startswith(_CELL_MAGIC) else self.cell.source
        return "\n".join(text.splitlines()[self.first - 1 : self.last])


def steps_of(cells: Iterable[Cell]) -> list[CellStatement]:
    """Returns every executed statement of the cells in order.

    A cell that failed contributes the statements before the failing one.
    """
    steps = [step for cell in cells for step in _of_cell(cell)]
    known: dict[str, CellStatement] = {}
    changes = InPlaceChanges()
    for step in steps:
        changes.learn(step.node)
        _complete(step, known, changes)
        known.update(dict.fromkeys(step.binds, step))
    return steps


def _of_cell(cell: Cell) -> Iterator[CellStatement]:
    for node in _statements(cell.source):
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        step = CellStatement(cell, node, first, node.end_lineno or node.lineno)
        has_failed = cell.failed_at and step.first <= cell.failed_at <= step.last
        if cell.failed_at and step.first > cell.failed_at:
            return
        if has_failed and not isinstance(node, _COMPOUND):
            return
        _read(step)
        yield step


def _statements(source: str) -> Sequence[ast.stmt]:
    """Returns the statements of a whole cell; for `%%time` and similar magics, those of the cell inside the magic."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        return ()
    match body:
        case [
            ast.Expr(
                ast.Call(
                    func=ast.Attribute(attr="run_cell_magic"),
                    args=[ast.Constant(str(magic)), _, ast.Constant(str(inner))],
                )
            )
        ] if magic in _MAGICS_WITH_CODE:
            return [ast.increment_lineno(node, 1) for node in _statements(inner)]
        case _:
            return body


class _Generators(ast.NodeTransformer):
    """Turns each comprehension into a generator expression with the same names."""

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.AST:
        """Converts a list or set comprehension."""
        return self.generic_visit(ast.GeneratorExp(node.elt, node.generators))

    visit_SetComp = visit_ListComp  # noqa: N815

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        """Converts a dict comprehension."""
        return self.generic_visit(ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators))


def _read(step: CellStatement) -> None:
    """Sets the names that a statement binds and uses, from its own symbol table."""
    try:
        text = ast.unparse(_Generators().visit(copy.deepcopy(step.node)))
        table = symtable.symtable(text, "cell", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return
    for symbol in table.get_symbols():
        if symbol.is_assigned() or symbol.is_imported():
            step.binds.add(symbol.get_name())
        if symbol.is_referenced():
            step.uses.add(symbol.get_name())
    if isinstance(step.node, ast.AugAssign):
        step.uses |= step.binds
    for child in table.get_children():
        _read_inner(step, child, runs_now=not isinstance(step.node, _DEFINES) or child.get_type() == "class")
    step.star = isinstance(step.node, ast.ImportFrom) and step.node.names[0].name == "*"
    if isinstance(step.node, ast.Delete):
        step.uses -= step.binds


def _read_inner(step: CellStatement, table: symtable.SymbolTable, *, runs_now: bool) -> None:
    """Adds the global names of a function, class or comprehension inside the statement."""
    for symbol in table.get_symbols():
        if symbol.is_global():
            if symbol.is_referenced():
                step.later.add(symbol.get_name())
                if runs_now:
                    step.uses.add(symbol.get_name())
            if symbol.is_declared_global() and symbol.is_assigned():
                step.later_changes.add(symbol.get_name())
    for child in table.get_children():
        _read_inner(step, child, runs_now=runs_now and table.get_type() != "class")


def _complete(step: CellStatement, known: dict[str, CellStatement], changes: InPlaceChanges) -> None:
    """Adds the names that a statement uses and changes through functions that it calls, as defined at that time."""
    if isinstance(step.node, _DEFINES):
        step.later_changes |= {c for n in inner_statements(step.node) for c in changes_of(n, changes)} & step.later
        return
    step.changes |= {c for n in inner_statements(step.node) for c in changes_of(n, changes, is_last=_is_last(step))}
    if isinstance(step.node, _MAYBE):
        step.changes |= step.binds
    seen: set[str] = set()
    queue = list(step.uses)
    while queue:
        name = queue.pop()
        made = known.get(name)
        if name in seen or made is None:
            continue
        seen.add(name)
        step.uses |= made.later
        step.changes |= made.later_changes
        queue += made.later


def _is_last(step: CellStatement) -> bool:
    return step.last >= len(step.cell.source.rstrip().splitlines())
