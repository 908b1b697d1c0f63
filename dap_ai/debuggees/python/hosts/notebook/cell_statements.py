"""What each statement of the cells that ran binds, uses and changes. Source text only, by Python's own symbol tables.

What a function's body uses counts where the function is called, with the values that its names have then.
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
    """A statement at a cell's top level, as it ran. Lines are 1-based, of the cell, inclusive."""

    cell: Cell
    node: ast.stmt
    first: int
    last: int
    binds: set[str] = field(default_factory=set[str])
    """Names that it has bound, or deleted."""
    uses: set[str] = field(default_factory=set[str])
    changes: set[str] = field(default_factory=set[str])
    """Names whose values it may have changed in place, or which it binds on some ways only."""
    later: set[str] = field(default_factory=set[str])
    """What the bodies of its functions use, once they are called."""
    later_changes: set[str] = field(default_factory=set[str])
    star: bool = False
    """`from x import *`: it may have bound anything."""

    @property
    def text(self) -> str:
        """Its lines, as they stand in the cell."""
        text = self.cell.raw if self.cell.source.startswith(_CELL_MAGIC) else self.cell.source
        return "\n".join(text.splitlines()[self.first - 1 : self.last])


def steps_of(cells: Iterable[Cell]) -> list[CellStatement]:
    """Every statement that ran, in order of execution; of a cell that failed, those up to where it did."""
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
    """Of the whole cell; `%%time` and its like hold a cell of their own."""
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
    """Turns each comprehension into the generator expression that has the same names.

    Since Python 3.12 a symbol table counts a comprehension's own names among those of the statement around it.
    """

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.AST:
        """Those with one element."""
        return self.generic_visit(ast.GeneratorExp(node.elt, node.generators))

    visit_SetComp = visit_ListComp  # noqa: N815

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        """That with a key and a value."""
        return self.generic_visit(ast.GeneratorExp(ast.Tuple([node.key, node.value], ast.Load()), node.generators))


def _read(step: CellStatement) -> None:
    """By the symbol table of the statement alone."""
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
    """Global names of a function, class or comprehension within the statement."""
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
    """What it uses and changes by way of the functions that it names, as these are known when it runs."""
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
