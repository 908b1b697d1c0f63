"""Chooses the frame in which to trace an object: the outermost frame that has the object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import MISSING, literal
from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import root_name
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, calls_in, renamed


def outermost(case: StopSnapshot, place: FramePlace, root: ast.expr) -> tuple[ast.expr, FramePlace]:
    """Return the outermost expression and frame for an object, e.g. `warehouse.stock['lamp']` for `self.stock[sku]`."""
    for outer in case.places[case.places.index(place) + 1 :]:
        moved = _moved(place, outer, root)
        if moved is None or outer.value(moved) is not None:
            return (root, place) if moved is None else (moved, outer)
        root, place = moved, outer
    return root, place


def _moved(place: FramePlace, outer: FramePlace, root: ast.expr) -> ast.expr | None:
    """Return the caller's expression for the same object; None if the caller passed the object without a name."""
    held = root_name(root) or ""
    function, statement = place.function, outer.statement
    if function is None or statement is None or isinstance(root, ast.Name):
        return None
    given = next(arguments(function, statement, held), None)
    if not isinstance(given, ast.Name | ast.Attribute):
        return None

    def there(name: str) -> ast.expr:
        known = literal(place.value(name))
        if name != held and (known is MISSING or not isinstance(known, str | int | float | bool | None)):
            raise LookupError(name)
        return given if name == held else ast.Constant(known)

    try:
        return renamed(root, there)
    except LookupError:
        return None


def arguments(function: FunctionNode, statement: ast.stmt, parameter: str) -> Iterator[ast.expr]:
    """Yield the arguments that a statement passes for one parameter of the function it calls."""
    names = [p.arg for p in [*function.args.posonlyargs, *function.args.args]]
    owner, own = (names[0], names[1:]) if names[:1] in (["self"], ["cls"]) else ("", names)
    for call in (call for call in calls_in(statement) if called_name(call) == function.name):
        yield from (k.value for k in call.keywords if k.arg == parameter)
        if parameter == owner and isinstance(call.func, ast.Attribute):
            yield call.func.value
        if parameter in own and own.index(parameter) < len(call.args):
            yield call.args[own.index(parameter)]
