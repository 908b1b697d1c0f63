"""Explains a failed assertion (`assert` or `assertEqual(...)`): both sides, their values, and which side to doubt."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace

from dap_ai.agent.case.stop_snapshot import StopSnapshot, sub_expressions
from dap_ai.agent.case.value_texts import PLAIN, cut, show
from dap_ai.agent.source.quantified import quantified
from dap_ai.debuggees.python.analysis.failure.assertion_demands import (
    AssertionSide,
    Demand,
    demand_of,
    method_call,
    unmet,
)
from dap_ai.debuggees.python.analysis.failure.exception_messages import difference_in, reported, without_pytest_lines
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.syntax.nodes import READS, called_name
from dap_ai.protocol.contracts.inspection import ExceptionFacts
from dap_ai.system.texts import code

_NOT_RAISED = re.compile(r"(\w+) not raised(?: by (\w+))?")
"""Matches unittest's message about an exception that was not raised."""
_OWN_ERROR = re.compile(r"Assert|Fail|Mismatch")
"""Matches exception types that test libraries raise instead of AssertionError."""


def has_failed(statement: ast.stmt | None, error: ExceptionFacts) -> bool:
    """Whether the assertion was violated; False if evaluating its sides raised the exception."""
    if error.type == "AssertionError":
        return not isinstance(statement, ast.Raise)
    return method_call(statement) is not None and _OWN_ERROR.search(error.type) is not None


def explain(case: StopSnapshot, d: Diagnosis, error: ExceptionFacts) -> None:
    """Describe how the sides violate the assertion, and blame the side that was computed."""
    statement = d.place.statement
    demand = demand_of(statement)
    sides = demand.sides
    both = sides_of(case, d, demand, reported(demand, statement, error.message))
    if len(both) == 2 and all(side.text and "..." not in side.text for side in both):
        d.compared = both[0].text, both[1].text
    if missing := _NOT_RAISED.match(error.message):
        d.say(
            f"{code(missing[2])} did not raise {code(missing[1])}."
            if missing[2]
            else f"{code(missing[1])} was not raised."
        )
    elif told := _decided(d, demand) or unmet(demand.relation, both, difference_in(case.hide(error.message))):
        d.say(f"{told}.")
    elif error.message:
        d.say(f"The message of the assertion: {cut(without_pytest_lines(error.message), 200)}")
    expected = [n for n in sides if isinstance(n, ast.Constant) or re.match(r"expect|want|correct", ast.unparse(n))]
    d.blame(*[n for n in sides if n not in expected], *expected)
    for node in sub_expressions(sides):
        if isinstance(node, READS | ast.Call) and len(d.cited) < 6:
            d.cite(node)


def _decided(d: Diagnosis, demand: Demand) -> str:
    """Describe the items that make an asserted `all(...)` false or a denied `any(...)` true; empty if unknown."""
    found = quantified(demand.sides[0]) if demand.relation in ("true", "false") else None
    value = d.value(found.items) if found and found.holds == (demand.relation == "false") else None
    if found is None or value is None or value.length == 0 or value.text == "[]":
        return ""
    how, target = "holds" if found.holds else "does not hold", ast.unparse(found.target)
    target = target[1:-1] if isinstance(found.target, ast.Tuple) else target
    return f"{code(ast.unparse(found.condition))} {how} for {code(target)} in {code(show(value))}"


def sides_of(case: StopSnapshot, d: Diagnosis, demand: Demand, known: Sequence[str] = ()) -> list[AssertionSide]:
    """Return the assertion's sides with their values, read from the frame or else taken from `known`."""
    texts = known or ["" for _ in demand.sides]
    found = [_side(d, node, text) for node, text in zip(demand.sides, texts, strict=True)]
    codes = [case.hide(_written(node)) for node in demand.sides]
    return [replace(side, code=code, text=case.hide(side.text)) for side, code in zip(found, codes, strict=True)]


def _written(node: ast.expr) -> str:
    """Return the expression as usually written: `any(x for x in xs)` with a single pair of parentheses."""
    if isinstance(node, ast.Call) and not node.keywords and [type(a) for a in node.args] == [ast.GeneratorExp]:
        return f"{ast.unparse(node.func)}{ast.unparse(node.args[0])}"
    return ast.unparse(node)


def _side(d: Diagnosis, node: ast.expr, known: str) -> AssertionSide:
    code, value = ast.unparse(node), d.value(node)
    is_bound = isinstance(node, ast.Call) and called_name(node) == "approx"
    if d.is_literal(node) or is_bound or (value is None and known == code):
        return AssertionSide(code, code, is_literal=True)
    if value is None or value.kind in ("function", "class", "module"):
        return AssertionSide(code, known)
    return AssertionSide(code, value.text if value.kind in PLAIN else show(value))
