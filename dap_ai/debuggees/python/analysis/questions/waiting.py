"""What a program waits for: the call in which it stands, or the one that each round of its loop comes to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dap_ai.agent.case.stack import Case, Place
from dap_ai.agent.case.values import cut
from dap_ai.agent.questions.waiting import INTERRUPTED
from dap_ai.agent.report.edits import shorten
from dap_ai.agent.source.statements import header_expressions
from dap_ai.debuggees.python.analysis.syntax.loops import loops_at
from dap_ai.debuggees.python.analysis.syntax.waits import waiting_call, waits

_WAITS = re.compile(
    r"\s*(?:what|why|where|who|is|does)\b[^?]*\b(?:wait(?:s|ing)?|blocked|blocking)\b"
    r"(?:\s+(?:for|on|in|at|by|here|now))*[\s?!.]*",
    re.IGNORECASE,
)
_MAX_CODE = 80


def wants_wait(question: str) -> bool:
    """Whether it asks what the program waits for."""
    return bool(_WAITS.fullmatch(question))


def waiting(case: Case) -> str:
    """A sentence or two, by what the stack shows; empty: no frame has source."""
    place, error = case.focus, case.exception
    if place is None or place.source is None:
        return ""
    code = cut(place.source.line(place.frame.line).strip(), _MAX_CODE)
    here = f"{_spot(case, place)}: `{code}`"
    if error is not None and error.type != INTERRUPTED:
        return f"It waits for nothing: it has failed with `{error.type}` at {here}."
    call = next((c for c in _calls(place) if waits(c)), None)
    top = case.frames[0]
    if not top.user:
        return f"It is in `{top.name}`, reached from {here}."
    if call is not None and error is not None:
        return f"It was interrupted in `{_text(call)}` at {here}."
    if call is not None:
        return f"It does not wait yet: the next line, {here}, does, in `{_text(call)}`."
    for loop in loops_at(place):
        if again := waiting_call(loop.body):
            spot = f"`{shorten(place.frame.path, case.inspection.cwd)}:{again.lineno}`"
            head = cut(place.source.line(loop.lineno).strip(), _MAX_CODE)
            return f"It waits in `{_text(again)}` at {spot}, in rounds of `{head}`; now it stands at {here}."
    return f"Nothing shows that it waits: it stands at {here}."


def _calls(place: Place) -> Iterator[ast.Call]:
    for root in header_expressions(place.statement) if place.statement else ():
        yield from (node for node in ast.walk(root) if isinstance(node, ast.Call))


def _spot(case: Case, place: Place) -> str:
    return f"`{shorten(place.frame.path, case.inspection.cwd)}:{place.frame.line}` in `{place.frame.name}`"


def _text(call: ast.Call) -> str:
    return cut(ast.unparse(call), _MAX_CODE)
