"""In which frame an object is followed best: in the one that has had it for longest."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.case.stack import Case, Place
from dap_ai.agent.case.values import MISSING, literal
from dap_ai.agent.source.source import FunctionNode
from dap_ai.agent.source.statements import root_name
from dap_ai.debuggees.python.analysis.syntax.definitions import called_name


def outermost(case: Case, place: Place, root: ast.expr) -> tuple[ast.expr, Place]:
    """`warehouse.stock['lamp']` of `main`, for `self.stock[sku]` of a method that it called with this object."""
    for outer in case.places[case.places.index(place) + 1 :]:
        moved = _moved(place, outer, root)
        if moved is None or outer.value(moved) is not None:
            return (root, place) if moved is None else (moved, outer)
        root, place = moved, outer
    return root, place


def _moved(place: Place, outer: Place, root: ast.expr) -> ast.expr | None:
    """The expression as the caller has it; None: the object is not passed by it, or under no name."""
    held = root_name(root) or ""
    function, statement = place.function, outer.statement
    if function is None or statement is None or isinstance(root, ast.Name):
        return None
    given = next(arguments(function, statement, held), None)
    if not isinstance(given, ast.Name | ast.Attribute):
        return None
    try:
        return _Renamed(place, held, given).visit(ast.parse(ast.unparse(root), mode="eval").body)
    except LookupError:
        return None


class _Renamed(ast.NodeTransformer):
    def __init__(self, place: Place, held: str, given: ast.expr) -> None:
        self._place, self._held, self._given = place, held, given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == self._held:
            return self._given
        known = literal(self._place.value(node.id))
        if known is MISSING or not isinstance(known, str | int | float | bool | None):
            raise LookupError(node.id)
        return ast.Constant(known)


def arguments(function: FunctionNode, statement: ast.stmt, parameter: str) -> Iterator[ast.expr]:
    """What a statement that calls the function passes for one of its parameters."""
    names = [p.arg for p in [*function.args.posonlyargs, *function.args.args]]
    owner, own = (names[0], names[1:]) if names[:1] in (["self"], ["cls"]) else ("", names)
    for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call) and called_name(n) == function.name):
        yield from (k.value for k in call.keywords if k.arg == parameter)
        if parameter == owner and isinstance(call.func, ast.Attribute):
            yield call.func.value
        if parameter in own and own.index(parameter) < len(call.args):
            yield call.args[own.index(parameter)]
