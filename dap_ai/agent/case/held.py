"""An exception that was caught and kept: a value of a failed check holds it, as the result of a test client does."""

from __future__ import annotations

import ast

from dap_ai.agent.case.source import is_user_path
from dap_ai.agent.case.stack import Case
from dap_ai.agent.case.values import MISSING, literal_in
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.wire.caught import Caught, CaughtFrame


def held_by(case: Case) -> tuple[str, Caught] | None:
    """The first expression of the failed statement that is such an exception, raised in the user's code; and that."""
    error, place = case.exception, case.places[0] if case.places else None
    if error is None or not error.type.endswith("AssertionError"):
        return None
    if place is None or place.statement is None or isinstance(place.statement, ast.Raise):
        return None
    used = {ast.unparse(node) for node in ast.walk(place.statement) if isinstance(node, ast.expr)}
    for text, fact in place.known.items():
        value = fact.value
        if value and value.kind == "exception" and text in used and value.raised:
            rows = [CaughtFrame(r.file, r.line, r.function, is_user_path(r.file)) for r in reversed(value.raised)]
            if any(row.user for row in rows):
                return text, Caught(value.type, _message(value), rows, cwd=case.inspection.cwd)
    return None


def _message(value: Value) -> str:
    """What stands in the brackets of `TypeError('no text')`."""
    inside = value.text.partition("(")[2].removesuffix(")")
    literal = literal_in(inside)
    return inside if literal is MISSING else str(literal)
