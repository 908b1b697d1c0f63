"""Answers "what does it wait for?" for a Python program: with a call in the current line or in the loop around it."""

from __future__ import annotations

import ast

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.questions import waiting as stack_waiting
from dap_ai.agent.questions.waiting import MAX_CODE
from dap_ai.agent.report.source_edits import shorten
from dap_ai.debuggees.python.analysis.syntax.loops import loops_at
from dap_ai.debuggees.python.analysis.syntax.nodes import calls_by
from dap_ai.debuggees.python.analysis.syntax.waits import waiting_call, waits
from dap_ai.system.texts import code


def waiting(case: StopSnapshot) -> str:
    """Return one or two sentences on what the program waits for; an empty string if no frame has source."""
    return stack_waiting.waiting(case, _awaited)


def _awaited(case: StopSnapshot, place: FramePlace, here: str) -> str:
    call = next((c for c in calls_by(place.statement) if waits(c)), None)
    if call is not None and case.exception is not None:
        return f"It was interrupted in {code(_text(call))} at {here}."
    if call is not None:
        return f"It does not wait yet: the next line, {here}, does, in {code(_text(call))}."
    for loop in loops_at(place):
        if place.source and (again := waiting_call(loop.body)):
            spot = code(f"{shorten(place.frame.path, case.inspection.cwd)}:{again.lineno}")
            head = cut(place.source.line(loop.lineno).strip(), MAX_CODE)
            return f"It waits in {code(_text(again))} at {spot}, in rounds of {code(head)}; now it stands at {here}."
    return ""


def _text(call: ast.Call) -> str:
    return cut(ast.unparse(call), MAX_CODE)
