"""A local variable without a value (UnboundLocalError): the lines that set the variable, none of which has run."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeGuard

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import bindings, own_statements
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.syntax.definitions import control_tests
from dap_ai.debuggees.python.analysis.syntax.nodes import is_within, lines_of
from dap_ai.system.texts import code, counted

_SETS = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Import | ast.ImportFrom
"""Statements that have set their names once they have run. A `for` may have run without an item."""
_MAY_CATCH = ast.Try | ast.With | ast.AsyncWith
"""Statements after which a function can go on although a line of their body has failed."""
_MAX_LINES = 3


def explain_unset(d: Diagnosis, name: str) -> None:
    """Say which lines set the variable and have not run, and trace the condition of the only such line."""
    d.roots.append(ast.Name(name, ast.Load()))
    function, line = d.place.function, d.place.frame.line
    statements = own_statements(function) if function else ()
    setters = [each for each in statements if name in bindings(each)]
    is_known = bool(setters) and all(isinstance(each, _SETS) for each in setters)
    if not is_known or function is None or name in _deleted_names(function):
        d.say(f"{code(name)} is a local variable of this function, and has no value yet on this path.")
    elif all(line in lines_of(each) for each in setters):
        d.say(f"{code(name)} is local to {code(function.name)}, because line {line} sets it, and has no value yet.")
        _tell_global(d, name)
    else:
        d.say(f"{code(name)} is not set: {_not_run(d, function, setters)}.")


def _not_run(d: Diagnosis, function: FunctionNode, setters: Sequence[ast.stmt]) -> str:
    """Return a clause that names the lines that set the variable and have not run."""
    blocks = [node.body for node in ast.walk(function) if isinstance(node, _MAY_CATCH)]
    is_tried = any(is_within(setter.lineno, block) for setter in setters for block in blocks)
    verb = "completed" if is_tried else "run"
    if len(setters) > 1:
        lines = ", ".join(str(each.lineno) for each in setters[:_MAX_LINES])
        more = f" and {counted(len(setters) - _MAX_LINES, 'other')}" if len(setters) > _MAX_LINES else ""
        return f"lines {lines}{more}, which set it, have not {verb}"
    [setter] = setters
    test = next((s.test for s, _ in control_tests(function, setter.lineno)[:1] if _is_in_body(s, setter)), None)
    if test is None:
        return f"line {setter.lineno}, which sets it, has not {verb}"
    d.roots.append(test)
    return f"line {setter.lineno}, under {code(f'if {ast.unparse(test)}')}, has not {verb}"


def _is_in_body(around: ast.stmt, setter: ast.stmt) -> TypeGuard[ast.If]:
    return isinstance(around, ast.If) and is_within(setter.lineno, around.body)


def _tell_global(d: Diagnosis, name: str) -> None:
    """Say that a global variable of the same name is another variable, if there is one."""
    tree = d.place.source.tree if d.place.source else None
    outer = next((each for each in tree.body if name in bindings(each)), None) if tree else None
    if outer is not None:
        d.say(f"The global {code(name)} of line {outer.lineno} is another variable.")
        statement = code(f"global {name}")
        d.advice.append(f"To change the global variable, put {statement} at the beginning of the function.")


def _deleted_names(function: FunctionNode) -> set[str]:
    """Return the names that a function deletes, by `del` or at the end of `except ... as name`."""
    nodes = list(ast.walk(function))
    deleted = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)}
    return deleted | {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
