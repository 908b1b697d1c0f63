"""Ranges that are off by one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.statements import nodes_in
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake, expressions, swap
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import is_call
from dap_ai.system.texts import code


def ranges(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find `range(len(x) + 1)`, `range(1, len(x))`, `range(len(x) - 1)` and windows that are off by one."""
    index_error = bool(view.case.exception and view.case.exception.type == "IndexError")
    for _, node in expressions(scope):
        if isinstance(node, ast.Call) and is_call(node, "range") and node.args:
            for weight, reason, end, new in _wrong_ends(scope, node, index_error=index_error):
                yield SuspectedMistake(scope, node.lineno, weight, reason, "bounds", edit=swap(scope.source, end, new))


def _wrong_ends(
    scope: FunctionScope, call: ast.Call, *, index_error: bool
) -> Iterator[tuple[float, str, ast.expr, str]]:
    """Yield ends of a `range` that may be off by one: (weight, reason, end, corrected end)."""
    stop, text = call.args[0] if len(call.args) == 1 else call.args[1], code(ast.unparse(call))
    added, starts_late = _offset(stop), len(call.args) > 1 and _number(call.args[0]) == 1
    if "len(" not in ast.unparse(stop) or (starts_late and added == -1):  # both ends differ from the usual: intended
        return
    if added > 0 and index_error:
        yield WEIGHTS.sure, f"{text} goes one past what the sequence holds: off by one", stop, _moved(stop, -1)
    elif added > 1:
        yield WEIGHTS.possible, f"{text} may go one too far", stop, _moved(stop, -1)
    elif added == -1 and not index_error and "+ 1]" not in ast.unparse(scope.node):
        yield WEIGHTS.possible, f"{text} leaves out the last index", stop, _moved(stop, 1)
    elif added == 0 and index_error and _ahead(scope, call):
        yield WEIGHTS.fair, f"the loop over {text} reads one index ahead", stop, f"{ast.unparse(stop)} - 1"
    if starts_late and not index_error and "- 1]" not in ast.unparse(scope.node):
        yield WEIGHTS.possible, f"{text} leaves out index 0", call.args[0], "0"


def _offset(node: ast.expr) -> int:
    """Return the integer that an expression adds or subtracts last, such as -1 for `len(x) - 1`, else 0."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        number = _number(node.right)
        if number is not None:
            return number if isinstance(node.op, ast.Add) else -number
    return 0


def _moved(node: ast.expr, by: int) -> str:
    if not isinstance(node, ast.BinOp):
        return ast.unparse(node)
    offset = _offset(node) + by
    text = ast.unparse(node.left)
    return text if offset == 0 else f"{text} {'+' if offset > 0 else '-'} {abs(offset)}"


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _ahead(scope: FunctionScope, call: ast.Call) -> bool:
    loops = (node for node in ast.walk(scope.node) if isinstance(node, ast.For) and node.iter is call)
    loop = next((node for node in loops if isinstance(node.target, ast.Name)), None)
    indices = [n.slice for n in nodes_in(loop) if isinstance(n, ast.Subscript)]
    return loop is not None and any(ast.unparse(index) == f"{ast.unparse(loop.target)} + 1" for index in indices)


RULES = [ranges]
