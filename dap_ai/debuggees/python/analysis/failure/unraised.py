"""Finds the call that should have caused the error or warning that a test expects."""

from __future__ import annotations

import ast
import re

from dap_ai.agent.case.value_texts import cut
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, lines_of
from dap_ai.protocol.contracts.inspection import ExceptionFacts
from dap_ai.system.texts import code

_EXPECTS = {
    "raises": "raise", "assertRaises": "raise", "assertRaisesRegex": "raise",
    "warns": "warn with", "assertWarns": "warn with", "assertWarnsRegex": "warn with",
}  # fmt: skip
_DID_NOT = re.compile(r"DID NOT (RAISE|WARN)|.* not (raised|triggered)")
"""Matches pytest's and unittest's messages about a missing error or warning."""


def explain(d: Diagnosis, error: ExceptionFacts) -> bool:
    """Blame the call that did not raise, and clear the test's other lines; return False for another failure."""
    statement = d.place.statement
    if not _DID_NOT.match(error.message) or statement is None:
        return False
    expected = _expected(statement)
    if expected is None:
        return False
    calls = _calls(statement, expected)
    if not calls or not expected.args:
        return False
    did_not = f"did not {_EXPECTS[called_name(expected)]} {code(ast.unparse(expected.args[0]))}"
    which = code(cut(ast.unparse(calls[0]), 60)) if len(calls) == 1 else f"The block of {len(calls)} statements"
    d.say(f"{which} {did_not}.")
    d.roots += calls
    frame, function = d.place.frame, d.place.function
    if function is not None:
        d.cleared |= {(frame.path, line) for line in lines_of(function) if line != frame.line}
    return True


def _expected(statement: ast.stmt) -> ast.Call | None:
    """Return the call that expects the error, such as `pytest.raises(ValueError)`, or None."""
    match statement:
        case ast.With(items=items) | ast.AsyncWith(items=items):
            found = [item.context_expr for item in items]
        case ast.Expr(value=value) | ast.Assign(value=value):
            found = [value]
        case _:
            found = []
    return next((e for e in found if isinstance(e, ast.Call) and called_name(e) in _EXPECTS), None)


def _calls(statement: ast.stmt, expected: ast.Call) -> list[ast.expr]:
    """Return the expressions in the `with` block, or the call of the function that `expected` got as an argument."""
    if isinstance(statement, ast.With | ast.AsyncWith):
        values = [getattr(inner, "value", None) for inner in statement.body]
        return [value for value in values if isinstance(value, ast.expr)]
    if len(expected.args) < 2:
        return []
    function, arguments = expected.args[1], expected.args[2:]
    return [ast.copy_location(ast.Call(function, arguments, expected.keywords), expected)]
