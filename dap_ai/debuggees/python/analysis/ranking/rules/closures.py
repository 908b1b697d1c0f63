"""Functions that look up a variable later than intended."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import mutations, own_statements, target_names
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import RuleContext, SuspectedMistake
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import is_call, read_in
from dap_ai.system.texts import code


def late_binding(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find functions created in a loop that read the loop variable after the loop."""
    for loop in scope.statements():
        if not isinstance(loop, ast.For):
            continue
        made = list(_late(loop))
        edit = _bind_now(scope, [(node, name) for node, name in made if isinstance(node, ast.Lambda)])
        for node, name in made:
            reason = (
                f"{code(name)} is looked up when the function is called: after the loop that is the last {code(name)}"
            )
            own = edit if isinstance(node, ast.Lambda) else None
            weight = WEIGHTS.sure if _is_kept(loop, node) else WEIGHTS.possible
            yield SuspectedMistake(scope, node.lineno, weight, reason, "late binding", edit=own)


def _late(loop: ast.For) -> Iterator[tuple[ast.Lambda | FunctionNode, str]]:
    """Yield the functions created in the loop, each with a loop variable that it looks up later."""
    names = set(target_names(loop.target))
    for node in ast.walk(loop):
        if not isinstance(node, ast.Lambda | FunctionNode) or _called_at_once(loop, node):
            continue
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        late = {*read_in(*body)} & names - {a.arg for a in node.args.args}
        if late:
            yield node, min(late)


def _is_kept(loop: ast.For, node: ast.Lambda | FunctionNode) -> bool:
    """Whether the function is certain to outlive the loop iteration that created it.

    It is then yielded, or stored in a container or attribute.
    """
    for statement in own_statements(loop):
        name = getattr(node, "name", None)
        if any(each is node or getattr(each, "id", "") == name for each in _kept_values(statement)):
            return True
    return False


def _kept_values(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the values that the statement stores, directly or in a tuple, list, dict or call."""
    todo = [value for _, _, values in mutations(statement) for value in values]
    todo += [n.value for n in ast.walk(statement) if isinstance(n, ast.Yield) and n.value]
    while todo:
        value = todo.pop()
        yield value
        match value:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                todo += parts
            case ast.Dict(values=parts):
                todo += parts
            case ast.Call(args=parts, keywords=keywords):
                todo += [*parts, *(keyword.value for keyword in keywords)]
            case _:
                pass


def _called_at_once(loop: ast.For, node: ast.AST) -> bool:
    return any(
        is_call(c, "sorted", "min", "max", "map", "filter", "sort", "sum", "any", "all", "reduce")
        and node in ast.walk(c)
        for c in ast.walk(loop)
    )


def _bind_now(scope: FunctionScope, made: list[tuple[ast.Lambda, str]]) -> SourceEdit | None:
    """Return an edit that binds the loop variable in all of these lambdas, or None if a lambda spans several lines."""
    if not made or any(node.lineno != node.end_lineno for node, _ in made):
        return None
    first, last = min(node.lineno for node, _ in made), max(node.lineno for node, _ in made)
    lines = [scope.source.line(n).encode() for n in range(first, last + 1)]
    for node, name in sorted(made, key=lambda pair: -pair[0].col_offset):
        # The body's text is copied: `unparse` would change its quotes.
        line = lines[node.lineno - first]
        arguments = ast.unparse(node.args)
        bound = f"lambda {arguments + ', ' if arguments else ''}{name}={name}: ".encode()
        lines[node.lineno - first] = line[: node.col_offset] + bound + line[node.body.col_offset :]
    return SourceEdit(scope.source, first, last, [line.decode(errors="replace") for line in lines])


RULES = [late_binding]
