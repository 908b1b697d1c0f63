"""Explains what broke the failing line with its values, and which expressions to trace back."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeGuard

from dap_ai.agent.case.stop_snapshot import StopSnapshot, sub_expressions
from dap_ai.agent.case.value_texts import cut, find, show
from dap_ai.agent.source.statements import header_expressions
from dap_ai.debuggees.python.analysis.failure import assertions, unraised
from dap_ai.debuggees.python.analysis.failure.builtin_errors import BY_TYPE
from dap_ai.debuggees.python.analysis.failure.circular_imports import explain_circle
from dap_ai.debuggees.python.analysis.failure.exception_messages import first_line
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis, failing_expression
from dap_ai.debuggees.python.analysis.syntax.nodes import READS
from dap_ai.protocol.contracts.inspection import ExceptionFacts
from dap_ai.system.texts import code

_MAX_VALUES, _MAX_VALUE = 2, 40
_RECURSIVE = 3
"""Minimum number of a recursive function's frames; with fewer frames, a library recurses below the function."""

ON_PURPOSE = "It is raised on purpose"
"""Start of the sentence about an error that the failing line raises itself."""


def diagnose(case: StopSnapshot) -> Diagnosis | None:
    """Return what broke the innermost user frame's line, or None if no user frame was read."""
    place = case.places[0] if case.exception and case.places else case.focus
    if place is None:
        return None
    found = Diagnosis(place, broken=failing_expression(place))
    if case.exception:
        _explain(found, case.exception, case)
    if not found.roots and place.statement is not None:
        _any_name(found, place.statement)
    return found


def _explain(d: Diagnosis, error: ExceptionFacts, case: StopSnapshot) -> None:
    explain = BY_TYPE.get(error.type.rpartition(".")[2])
    statement = d.place.statement
    if unraised.explain(d, error) or explain_circle(d, case, error.message):
        return
    if isinstance(statement, ast.Raise) and d.broken is None:  # otherwise evaluating the exception itself failed
        _raised(d, statement, case.inspection.exceptions)
    elif explain:
        explain(d, error)
    if assertions.has_failed(statement, error):
        d.sentences.clear()
        assertions.explain(case, d, error)
    if error.type.endswith("RecursionError"):
        _recursion(d, case)


def _any_name(d: Diagnosis, statement: ast.stmt) -> None:
    roots = [d.broken] if d.broken else header_expressions(statement)
    d.roots += roots
    nodes = list(sub_expressions(roots))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}  # `pytest.fail` or a callable object
    for node in nodes:
        if isinstance(node, READS) and id(node) not in called:
            d.cite(node)


def _raised(d: Diagnosis, statement: ast.Raise, chain: Sequence[ExceptionFacts]) -> None:
    reason, roots = _reason(d, statement, chain)
    if reason:
        d.say(f"{ON_PURPOSE}, {reason}.")
    elif statement.exc:
        roots = [statement.exc]
    d.roots += roots
    for node in sub_expressions(roots) if reason else ():
        if isinstance(node, READS):
            d.cite(node)


def _reason(d: Diagnosis, statement: ast.Raise, chain: Sequence[ExceptionFacts]) -> tuple[str, list[ast.expr]]:
    """Return a clause on why a `raise` ran, and the expressions that decided it; ("", []) if unknown.

    The reason is the innermost `if` or `except` around the statement.
    """
    around = [n for n in ast.walk(d.place.scope) if _holds(n, statement)] if d.place.scope else []
    match max(around, key=lambda n: n.lineno, default=None):
        case ast.If(test=test, body=body, orelse=orelse):
            is_other = any(_holds(each, statement) or each is statement for each in orelse)
            word = "not" if is_other else "of"
            is_next = statement in [block[0] for block in (body, orelse) if block]  # else the values may have changed
            values = _compared_values(d, test) if is_next else ""
            return f"because {word} {code(ast.unparse(test))}{values}", [test]
        case ast.ExceptHandler() as handler:
            caught = next((each for each in chain[1:2] if each.relation in ("cause", "context")), None)
            kind = caught.type if caught else ast.unparse(handler.type) if handler.type else "an error"
            told = f"{kind}: {first_line(caught.message)}" if caught and caught.message else kind
            tried = next(n for n in around if handler in getattr(n, "handlers", ()))
            body: list[ast.stmt] = getattr(tried, "body", [])
            depends = [each for statement in body for each in header_expressions(statement)]
            return f"because line {handler.lineno} caught {code(cut(told, 100))}", depends
        case _:
            return "", []


def _compared_values(d: Diagnosis, test: ast.expr) -> str:
    """Return the values that a condition compares, as in ` (`n` is `5`)`; empty if none is known."""
    comparisons = [node for node in ast.walk(test) if isinstance(node, ast.Compare)]
    sides = [side for node in comparisons for side in (node.left, *node.comparators)]
    known = {ast.unparse(side): value for side in sides if isinstance(side, READS) and (value := d.value(side))}
    told = [f"{code(text)} is {code(show(value, _MAX_VALUE))}" for text, value in known.items()]
    return f" ({', '.join(told[:_MAX_VALUES])})" if told else ""


def _holds(node: ast.AST, statement: ast.stmt) -> TypeGuard[ast.stmt | ast.ExceptHandler]:
    """Whether the node is a branch, loop, `try` or handler around a statement."""
    return (
        isinstance(node, ast.stmt | ast.ExceptHandler)
        and hasattr(node, "body")
        and node.lineno < statement.lineno <= (node.end_lineno or node.lineno)
    )


def _recursion(d: Diagnosis, case: StopSnapshot) -> None:
    name = d.place.frame.name
    same = [p for p in case.places if p.function is d.place.function]
    count = sum(f.name == name for f in case.frames)
    if count < _RECURSIVE:
        return
    d.say(f"{code(name)} calls itself: {count} of the {len(case.frames)} frames that were read.")
    for parameter in d.place.facts.arguments if d.place.facts else []:
        texts = [v.text for p in same[:4] if (v := find(p.facts, parameter.name))]
        if len(texts) > 1:
            trend = "never changes" if len(set(texts)) == 1 else "changes " + " <- ".join(cut(t, 30) for t in texts)
            d.say(f"{code(parameter.name)} {trend}.")
            d.blame(ast.Name(parameter.name, ast.Load()))
