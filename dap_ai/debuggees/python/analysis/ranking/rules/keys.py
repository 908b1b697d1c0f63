"""Keys that a dict lacks, or has only in another form (number or text, other case, surrounding blanks)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from dap_ai.agent.case.value_texts import literal
from dap_ai.agent.report.nearest import near_key
from dap_ai.agent.source.statements import bindings
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import (
    Claim,
    RuleContext,
    SuspectedMistake,
    expressions,
    swap,
)
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import is_call
from dap_ai.system.texts import code

OTHER_FORM = "key in another form"
NO_KEY = "get of no key"
_FORMS: dict[str, Callable[[object], object]] = {
    "str({})": str,
    "int({})": lambda key: int(str(key)),
    "float({})": lambda key: float(str(key)),
    "{}.strip()": lambda key: str(key).strip(),
    "{}.lower()": lambda key: str(key).lower(),
    "{}.upper()": lambda key: str(key).upper(),
    "{}.title()": lambda key: str(key).title(),
    "{}.strip().lower()": lambda key: str(key).strip().lower(),
    "{}.strip().upper()": lambda key: str(key).strip().upper(),
    "{}.strip().title()": lambda key: str(key).strip().title(),
}
"""Source template of a key's conversion -> function. The first that produces an existing key is chosen."""


def other_form(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find `grants[user_id]` with the number 1 where the keys are strings; the fix is `grants[str(user_id)]`."""
    error, diagnosis = view.case.exception, view.diagnosis
    if error is None or error.type != "KeyError" or scope.place is not diagnosis.place:
        return
    for node in diagnosis.in_question:
        holder = diagnosis.value(node.value) if isinstance(node, ast.Subscript) else None
        if not isinstance(node, ast.Subscript) or holder is None or not holder.keys:
            continue
        wanted = node.slice.value if isinstance(node.slice, ast.Constant) else literal(diagnosis.value(node.slice))
        form, key = _form(wanted, holder.keys)
        if form and repr(wanted) not in holder.keys:
            asked, told = ast.unparse(node.slice), ast.unparse(node.value)
            reason = f"{code(told)} has no key {code(asked)}, but {code(key)}"
            if not isinstance(node.slice, ast.Constant):
                reason = f"{code(asked)} is {code(repr(wanted))}, and {code(told)} has the key {code(key)}"
            text = key if isinstance(node.slice, ast.Constant) else form.format(_operand(node.slice, form))
            edit = swap(scope.source, node.slice, text)
            yield SuspectedMistake(scope, node.lineno, WEIGHTS.likely, reason, OTHER_FORM, edit=edit)


def get_of_none(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find `rate = rates.get(name)` whose None failed, if the values at the stop show that the dict lacks the key."""
    if scope.place is None or not any("`None`" in each for each in view.diagnosis.sentences):
        return
    for statement, node in expressions(scope):
        if not (isinstance(node, ast.Call) and is_call(node, "get") and len(node.args) == 1):
            continue
        if not isinstance(node.func, ast.Attribute):
            continue
        held, wanted = scope.place.value(node.func.value), scope.place.value(node.args[0])
        if held is None or wanted is None or held.keys is None or held.truncated or wanted.text in held.keys:
            continue
        reason = f"{code(ast.unparse(node.func.value))} has no key {code(wanted.text)}, so `get` returns `None`"
        if closest := near_key(wanted.text, held.keys):
            reason = f"{reason}; {closest}"
        is_whole = isinstance(statement, ast.Assign) and statement.value is node
        claims = [Claim(name, "none") for name in bindings(statement)] if is_whole else []
        yield SuspectedMistake(scope, node.lineno, WEIGHTS.likely, reason, NO_KEY, claims=claims)


def _form(wanted: object, keys: list[str]) -> tuple[str, str]:
    """Return the conversion that produces an existing key, and that key's repr; ("", "") if no conversion does."""
    for form, make in _FORMS.items() if isinstance(wanted, str | int | float) else ():
        try:
            key = repr(make(wanted))
        except ValueError:
            continue
        if key in keys:
            return form, key
    return "", ""


def _operand(node: ast.expr, form: str) -> str:
    """Return the key's text, in parentheses if a method call on it needs them."""
    text = ast.unparse(node)
    simple = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    return text if simple or not form.startswith("{}.") else f"({text})"


RULES = [other_form, get_of_none]
