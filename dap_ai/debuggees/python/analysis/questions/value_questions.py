"""Answers why a value is not as expected: a frame's value, a value in a call that has ended, or a literal."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import MISSING, literal_in, variables
from dap_ai.agent.report.sections import chain_of
from dap_ai.agent.source.statements import names_in
from dap_ai.debuggees.python.analysis.contrast.anomalies import atoms, made
from dap_ai.debuggees.python.analysis.questions.decorated_functions import called_as
from dap_ai.debuggees.python.analysis.questions.event_text import at, call_of, quoted_line, spot, value
from dap_ai.debuggees.python.analysis.questions.question_parser import Compared
from dap_ai.debuggees.python.analysis.questions.value_origin import BACK, call_links, links, standing_out
from dap_ai.debuggees.python.analysis.record.failure_check import failure_of
from dap_ai.debuggees.python.analysis.record.recorded_run import RerunToStop
from dap_ai.debuggees.python.analysis.record.trace_record import Activation, StatementRun
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, expression
from dap_ai.system.texts import code

_EMPTY = ("''", '""', "[]", "{}", "()", "set()", "b''")
_QUOTES = "'\""
_MAX_SHOWN, _MAX_WRITTEN = 5, 3


@dataclass
class ValueAnswer:
    """The answer to a question, in paragraphs."""

    parts: list[str]
    about: list[tuple[FramePlace, str]] = field(default_factory=list[tuple[FramePlace, str]])
    """(frame, expression) pairs that the answer is about."""
    has_origin: bool = True
    """Whether the paragraphs state where the values are from, as far as known."""


def compared(wanted: Compared, case: StopSnapshot, again: RerunToStop) -> ValueAnswer | None:
    """Answer whether a condition is true, and where its values are from; None if the subject is unknown."""
    place = next((p for p in case.callers if p.value(wanted.subject) is not None), None)
    if place is None:
        return _called_there(wanted, again) or _ended(wanted, again)
    condition, others = wanted.condition, wanted.others
    if len(others) == 1 and place.value(others[0]) is None:
        subject = place.value(wanted.subject)
        if subject is None or subject.text != repr(others[0]):
            return None
        condition, others = f"{wanted.subject} == {others[0]!r}", []
    texts = [wanted.subject, *others]
    origin = list(filter(None, origins(again, place, [ast.parse(text, mode="eval").body for text in texts])))
    head = _verdict(wanted, condition, texts, place)
    return ValueAnswer([head, *origin], [(place, text) for text in texts], bool(origin))


def _verdict(wanted: Compared, condition: str, texts: Sequence[str], place: FramePlace) -> str:
    """Return a sentence on whether the condition is true, with its values."""
    truth = place.value(condition)
    shown = [text for text in texts if text != condition]
    told = " and ".join(f"{code(text)} is {value(v.text)}" for text in shown if (v := place.value(text)))
    if truth is None or truth.text not in ("True", "False"):
        return f"{told}."
    holds = truth.text == "True"
    if wanted.holds is None:
        return f"{'Yes' if holds else 'No'}: {told}."
    says_all = len(texts) == 1 and any(sign in condition for sign in (" == ", " is "))
    verdict = f"{code(condition)} {'holds' if holds else 'does not hold'}"
    said = told if says_all else f"{verdict}: {told}" if told else verdict
    return f"{'' if holds == wanted.holds else 'It is not so: '}{said}."


def _called_there(wanted: Compared, again: RerunToStop) -> ValueAnswer | None:
    """Answer a question about a call that the stop's line made; None for other questions."""
    node, end = expression(wanted.subject), again.end
    if not isinstance(node, ast.Call) or end is None:
        return None
    run = next(reversed(called_as(again, end, called_name(node))), None)
    if run is None or not run.traced.result:
        return None
    return ValueAnswer([f"{call_of(run)} returned {value(run.traced.result)}.", chain_of(call_links(again, run), BACK)])


def _ended(wanted: Compared, again: RerunToStop) -> ValueAnswer | None:
    """Answer when a condition was last true for a variable that only ended calls had; None if unknown."""
    root = next(iter(names_in(expression(wanted.subject))), "")
    if root != wanted.subject:
        known = any(place.value(root) is not None for place in again.case.callers)
        return None if known else local(again, root)
    state = wanted.condition if wanted.holds is not False else ""
    event = next((e for e in reversed(again.record.events) if _is_so(e.values.get(root, ""), root, state)), None)
    if event is None or not state:
        texts = list(dict.fromkeys(e.values[root] for e in again.record.events if root in e.values))
        told = local(again, root)
        if told is None or not state:
            return told
        shown = ", ".join([value(text) for text in texts[:_MAX_SHOWN]] + ["..."] * (len(texts) > _MAX_SHOWN))
        return ValueAnswer([f"As far as it was recorded, that was never so: {code(root)} was {shown}.", *told.parts])
    became = f"{at(again, event)} made {code(root)} {value(event.values[root])}"
    return ValueAnswer(
        [f"In {_whose(event.run)}, which no frame shows any more, {became}.", *_back(again, root, event)]
    )


def _is_so(text: str, name: str, condition: str) -> bool:
    """Whether a value's text shows that a condition is true; False if the text cannot show that."""
    match condition.replace(name, "{}"):
        case "{} is None":
            return text == "None"
        case "len({}) == 0":
            return text in _EMPTY
        case "{} != {}":
            return text == "nan"
        case "{} < 0":
            return text[:1] == "-" and text[1:2].isdigit()
        case other:
            return other.startswith("{} == ") and same(text, other[len("{} == ") :])


def local(again: RerunToStop, name: str) -> ValueAnswer | None:
    """Answer with the last value of a name that no frame has any more, and its origin; None if not recorded."""
    event = next((e for e in reversed(again.record.events) if name in e.values), None)
    if event is not None:
        last = f"in {_whose(event.run)}, it was {value(event.values[name])} at last"
        return ValueAnswer([f"No frame of this stop has {code(name)}; {last}.", *_back(again, name, event)])
    run = next((r for r in reversed(again.record.runs.values()) if name in r.arguments and r.events), None)
    if run is None:
        return None
    head = f"No frame of this stop has {code(name)}; {call_of(run)} was called with {value(run.arguments[name])}."
    return ValueAnswer([head, *_back(again, name, run.events[0])])


def _back(again: RerunToStop, name: str, event: StatementRun) -> list[str]:
    """Return paragraphs on the origin of the value that an event gave to a name."""
    root = ast.Name(name, ast.Load())
    after = next(iter(event.run.events[event.at + 1 :]), event)
    return [chain_of(links(again, root, after), BACK), standing_out(again, [root], after)]


def _whose(run: Activation) -> str:
    return "the module" if isinstance(run.scope, ast.Module) else call_of(run)


def literally(wanted: str, case: StopSnapshot, again: RerunToStop) -> ValueAnswer:
    """Answer where a literal is from: its variable at the stop, its first appearance in the run, or its source line."""
    if holder := _holder(case, wanted):
        place, text = holder
        here = spot(again, place.source, place.frame.line) if place.source else code(place.frame.path)
        origin = list(filter(None, origins(again, place, [ast.parse(text, mode="eval").body])))
        return ValueAnswer([f"{code(text)} is {value(wanted)} at {here}.", *origin], [holder], bool(origin))
    if (end := again.end) and (
        run := next((r for r in again.record.calls(end) if same(r.traced.result, wanted)), None)
    ):
        return ValueAnswer([f"{call_of(run)} returned {value(wanted)}.", chain_of(call_links(again, run), BACK)])
    ordered = sorted(again.record.events, key=lambda e: (e.ended, -e.first))
    for held in (_with, _within):
        if first := next((found for e in ordered if (found := held(e, wanted))), None):
            return ValueAnswer([_born(again, *first, wanted)])
    written = list(_written(again, wanted))
    places = f" It is written at {'; '.join(written[:_MAX_WRITTEN])}." if written else ""
    return ValueAnswer([f"No value that was recorded on the way to this stop was, or held, {value(wanted)}.{places}"])


def _born(again: RerunToStop, event: StatementRun, name: str, text: str, wanted: str) -> str:
    gave = f"{call_of(event.run)} returned" if name.endswith("()") else f"{code(name)} became"
    line = quoted_line(event.run.source, event.statement.lineno)
    known = event.run.values(names_in(event.statement), event)
    used = [f"{code(n)} was {value(t)}" for n, t in known.items() if n != name][:3]
    where = f", where {' and '.join(used)}" if used else ""
    return f"{value(wanted)} first appears at {at(again, event)}, when {gave} {value(text)}: {line}{where}."


def _with(event: StatementRun, wanted: str) -> tuple[StatementRun, str, str] | None:
    return next(((event, name, text) for name, text in made(event) if text == wanted or wanted in atoms(text)), None)


def _within(event: StatementRun, wanted: str) -> tuple[StatementRun, str, str] | None:
    """Return (event, name, value) for the event's first value that contains the literal as a word, or None."""
    word = re.compile(rf"(?<![\w.]){re.escape(wanted.strip(_QUOTES))}(?![\w.])")
    return next(((event, name, text) for name, text in made(event) if word.search(text)), None)


def _written(again: RerunToStop, wanted: str) -> Iterator[str]:
    """Yield each line that contains the literal in the source of files that ran."""
    for source in again.files.values():
        for node in source.index.nodes if source.tree else ():
            if isinstance(node, ast.Constant) and same(repr(node.value), wanted):
                yield f"{spot(again, source, node.lineno)} ({quoted_line(source, node.lineno)})"


def _holder(case: StopSnapshot, wanted: str) -> tuple[FramePlace, str] | None:
    """Return a (frame, expression) with this value, or None. Searches the failing line first, then variables."""
    failure = failure_of(case)
    for place in case.callers:
        watched = failure.watch if failure and failure.place is place else []
        names = [v.name for v in variables(place.facts)] if place.facts else []
        for text in (*watched, *names):
            if (found := place.value(text)) and same(found.text, wanted):
                return place, text
    return None


def origins(again: RerunToStop, place: FramePlace, roots: Sequence[ast.expr]) -> Iterator[str]:
    """Yield a paragraph on the origin of each root's value in a frame, then a sentence on the strongest anomaly."""
    event = again.record.end(place.frame.path, place.statement) if place.statement else None
    if event is None:
        return
    for root in roots:
        head = BACK if len(roots) == 1 else f"Of {code(ast.unparse(root))}, as it was in the run"
        if not isinstance(root, ast.Constant):
            now = place.value(root)
            yield chain_of(links(again, root, event, now.text if now else ""), head)
    yield standing_out(again, roots, event)


def same(text: str, wanted: str) -> bool:
    """Whether two texts are the same literal."""
    if text == wanted:
        return True
    one, other = literal_in(text), literal_in(wanted)
    return one is not MISSING and type(one) is type(other) and one == other
