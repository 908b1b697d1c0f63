"""Sections of an answer about a Python stop: frame values, next steps, text before the default answer."""

from __future__ import annotations

import ast

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import first_of, show
from dap_ai.agent.questions.asked_expressions import excerpt, line_of
from dap_ai.agent.questions.question_kinds import examples, wants_length, wants_type
from dap_ai.agent.questions.unclear import not_understood
from dap_ai.agent.questions.waiting import INTERRUPTED
from dap_ai.agent.report.sections import where
from dap_ai.agent.report.wording import ADVICE, VALUES
from dap_ai.agent.source.statements import nodes_in
from dap_ai.debuggees.python.analysis.questions.question_parser import Literally, parse_question
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.syntax.loops import cannot_end
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code


def lacked_memory(case: StopSnapshot) -> bool:
    """Whether the program stopped at a MemoryError."""
    return case.exception is not None and case.exception.type == "MemoryError"


def has_failed(case: StopSnapshot) -> bool:
    """Returns whether the program stopped at an exception.

    Ctrl-C in a program that hangs counts as a pause, not a failure.
    """
    return case.exception is not None and case.exception.type != INTERRUPTED


def standing(place: FramePlace) -> str:
    """Returns the first values of a frame as one line; empty if the frame has no values."""
    held = [*place.facts.arguments, *place.facts.locals] if place.facts else []
    data = (v for v in held if v.value.kind not in ("function", "class", "module"))
    rows = first_of([f"{code(v.name)} = {code(show(v.value, 60))}" for v in data], 12)
    return f"{VALUES} {'; '.join(rows)}" if rows else ""


def noted(analysis: StopAnalysis) -> list[str]:
    """Returns what the inspector could not read at this stop, as sentences."""
    return [f"{note[0].upper()}{note[1:]}." for note in analysis.case.notes]


def endless(analysis: StopAnalysis) -> str:
    """Returns advice about a loop that cannot end, and makes the loop the first suspect; empty without such a loop."""
    found = cannot_end(analysis.case)
    if found is None:
        return ""
    loop, cure = found
    analysis.suspects = [loop, *(s for s in analysis.suspects if (s.file, s.line) != (loop.file, loop.line))]
    return f"{ADVICE} {cure}"


def suspicious(analysis: StopAnalysis) -> str:
    """Returns advice for a stop without a failure: a suspicious line to look at, or a step and a question to ask."""
    first = analysis.suspects[0] if analysis.suspects else None
    finding = analysis.finding_at(first.file, first.line) if first else None
    if not first or not finding or finding.weight < 0.5:
        asked = next((text for text in examples(analysis.case) if text.startswith("where does ")), "")
        about = f", and ask about a name: {code(asked)}" if asked else ""
        return f"{ADVICE} Step over this line{about}."
    return f"{ADVICE} Look at {where(analysis.case, first.file, first.line)}: {first.reason}."


def before_default(case: StopSnapshot, question: str) -> str:
    """Returns the text before the default answer: the line that was asked about, or what was not understood."""
    line = line_of(question)
    if line is not None and case.focus and (shown := excerpt(case.sources, case.focus.frame.path, line)):
        quoted = f"{where(case, case.focus.frame.path, line)}:\n\n{shown}"
        return "\n\n".join(filter(None, [quoted, not_understood(case, question)]))
    wanted = parse_question(question)
    if isinstance(wanted, Literally) and not _is_demanded(case, wanted.value):
        return f"No check at this line asks for {code(wanted.value)}. Here is why the program stopped:"
    return not_understood(case, question)


def _is_demanded(case: StopSnapshot, value: str) -> bool:
    statement = case.places[0].statement if case.places else None
    return value in [repr(n.value) for n in nodes_in(statement) if isinstance(n, ast.Constant)]


def of_type(value: Value, question: str) -> str:
    """Returns the value's type as a clause; empty if the question does not ask for the type."""
    return f", of type {code(value.type)}," if wants_type(question) else ""


def of_length(expression: str, value: Value, question: str) -> str:
    """Returns a value's number of items as a sentence; empty if the question does not ask for the length."""
    return (
        f" {code(f'len({expression})')} is {value.length:,}."
        if wants_length(question) and value.length is not None
        else ""
    )
