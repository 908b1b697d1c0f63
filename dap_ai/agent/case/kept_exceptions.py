"""Finds caught exceptions that an object of a failed assertion holds, such as the result of a test client."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import MISSING, literal_in
from dap_ai.agent.source.source_file import is_user_path
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.wire.caught_messages import Caught, CaughtFrame

_KEPT = re.compile(r"[A-Z]\w*\(")
"""Matches the beginning of a field's text that looks like a call, as the repr of an exception does."""


def kept_beside(case: StopSnapshot) -> list[str]:
    """Returns fields of objects in a failed assertion that may hold an exception.

    For an assertion about `result.exit_code`, returns `result.exception`.
    """
    place, found = _checked(case), dict[str, None]()
    for node in ast.walk(place.statement) if place and place.statement else ():
        if place and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            holder = place.value(ast.unparse(node.value))
            fields = holder.fields or [] if holder else []
            found |= {f"{ast.unparse(node.value)}.{field.name}": None for field in fields if _KEPT.match(field.text)}
    return list(found)


def kept_exception(case: StopSnapshot, beside: Sequence[str] = ()) -> tuple[str, Caught] | None:
    """Returns (expression, exception) for the first exception of the user's code that a failed assertion holds.

    None if no expression of the assertion holds such an exception. `beside` names further expressions to check.
    """
    place = _checked(case)
    if place is None or place.statement is None:
        return None
    used = {ast.unparse(node) for node in ast.walk(place.statement) if isinstance(node, ast.expr)}
    for text in (*(text for text in place.known if text in used), *beside):
        value = place.value(text)
        if value and value.kind == "exception" and value.raised:
            rows = [CaughtFrame(r.file, r.line, r.function, is_user_path(r.file)) for r in reversed(value.raised)]
            if any(row.user for row in rows):
                return text, Caught(value.type, _message(value), rows, cwd=case.inspection.cwd)
    return None


def _checked(case: StopSnapshot) -> FramePlace | None:
    error, place = case.exception, case.places[0] if case.places else None
    if error is None or place is None or not error.type.endswith("AssertionError"):
        return None
    return None if isinstance(place.statement, ast.Raise) else place


def _message(value: Value) -> str:
    """Returns the message in an exception's repr: `no text` for `TypeError('no text')`."""
    inside = value.text.partition("(")[2].removesuffix(")")
    literal = literal_in(inside)
    return inside if literal is MISSING else str(literal)
