"""The first line of an answer: one short sentence with the cause, the deciding value, and the location."""

from __future__ import annotations

import ast
import re

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import show
from dap_ai.agent.report.headline import fitting
from dap_ai.agent.report.sections import THE_FAILED_LINE, where
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.claims.explain import is_sure
from dap_ai.debuggees.python.analysis.failure.exception_messages import first_line
from dap_ai.debuggees.python.analysis.failure.failures import ON_PURPOSE
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code, in_sentence

_MOST_ITEM_CHARS = 24
_PLAIN = frozenset({"int", "str", "bytes", "date", "enum"})
_NAMES = ("id", "key", "name", "code", "sku", "title", "path")
_FIRST = re.compile(r"(?<=[.!?:])\s|\n")
"""Matches the end of a message's first part."""
_IN_BRACKETS = re.compile(r" \((?:[^`()]|`[^`]*`|\([^`()]*\))*\)$")


def verdict(analysis: StopAnalysis, trials: Trials | None) -> str:
    """Return an answer's conclusion in at most `headline.MOST_WORDS` words."""
    case, place = analysis.case, analysis.diagnosis.place
    spot = where(case, place.frame.path, place.frame.line)
    if not case.exception:
        return f"Stopped at {spot}, in {code(place.frame.name)}: nothing has failed here."
    effects = _placed_effects(analysis)
    first = analysis.cause
    if first is None or first.reason.startswith(THE_FAILED_LINE):
        return fitting([f"{effect}." for effect in effects])
    if (first.file, first.line) == (place.frame.path, place.frame.line):
        return fitting([f"{effect}." for effect in effects])
    cause = where(case, first.file, first.line)
    if is_sure(analysis, trials):
        told = [f"{cause}: {first.reason}, so {effect}." for effect in effects]
        return fitting([*told, f"{cause}: {first.reason}.", *(f"{effect}, because of {cause}." for effect in effects)])
    reasons = dict.fromkeys([first.reason, _IN_BRACKETS.sub("", first.reason)])  # bracketed text is repeated below
    whys = [*(f" ({why})" for why in reasons), ""]
    guesses = [f"{effect}; a guess at the cause: {cause}{why}." for effect in effects for why in whys]
    return fitting([*guesses, *(f"{effect}." for effect in effects)])


def effect(analysis: StopAnalysis) -> str:
    """Return what went wrong, without a cause, in one sentence; "" if nothing has failed."""
    return fitting([f"{each}." for each in _placed_effects(analysis)]) if analysis.case.exception else ""


def _placed_effects(analysis: StopAnalysis) -> list[str]:
    place = analysis.diagnosis.place
    spot = where(analysis.case, place.frame.path, place.frame.line)
    return [f"{each}{',' if ', which' in each else ''} at {spot}" for each in _effects(analysis)]


def _effects(analysis: StopAnalysis) -> list[str]:
    """Return descriptions of what went wrong at the failing line, with the loop item, most informative first."""
    error, diagnosis = analysis.case.exception, analysis.diagnosis
    item = _item(diagnosis.place)
    told = [sentence.rstrip(".").replace("`; `", "` and `") for sentence in diagnosis.sentences[:1]]
    kind = code(error.type) if error else ""
    plain = f"{kind}: {in_sentence(first_line(error.message))}" if error and error.message else kind
    if not told and kind not in (plain, "`AssertionError`"):
        told = [plain]  # the exception tells more than a value of the line
    told += [
        f"{code(cited.expression)} is {code(show(value, 40))}"
        for cited in diagnosis.cited[:1]
        if (value := diagnosis.place.value(cited.expression))
    ]
    first = _first_part(error.message) if error else ""
    brief = f"{kind}: {in_sentence(first)}" if first else kind
    told = [text.replace(ON_PURPOSE, f"{brief}, raised on purpose", 1) for text in told]
    if analysis.case.held and told:
        told.insert(0, _with_kept_exception(analysis.case, *analysis.case.held, told[0]))
    return [*(f"{text}{item}" for text in told if item), *told, plain, brief, kind]


def _first_part(message: str) -> str:
    """Cuts a message at its first colon or full stop, unless that would split a tuple of arguments."""
    first = _FIRST.split(message, maxsplit=1)[0].rstrip(" .,:")
    return first_line(message) if first[:1] == "(" and first[-1:] != ")" else first


def _with_kept_exception(case: StopSnapshot, expression: str, there: StopSnapshot, told: str) -> str:
    """Return `told` with the location that raised the exception stored in the failed check's `expression`."""
    frame, error = there.places[0].frame, there.exception
    raised = f"{error.type}: {first_line(error.message)}" if error and error.message else error.type if error else ""
    beside = "" if code(expression) in told else f"; {code(expression)} is {code(raised)}"
    return f"{told}{beside} (raised at {where(case, frame.path, frame.line)})"


def _item(place: FramePlace) -> str:
    """Return the loop item at the failing line, as in ` for 'T-103'`, or an empty string if it has no short text."""
    source = place.source
    if source is None:
        return ""
    line = place.frame.line
    loops = [n for n in source.index.statements if isinstance(n, ast.For) and n.lineno < line <= last_line(n)]
    for loop in reversed(loops):
        for target in ast.walk(loop.target):
            value = place.value(target.id) if isinstance(target, ast.Name) else None
            text = _item_label(value) if value else ""
            if text:
                return f" for {code(text)}"
    return ""


def _item_label(value: Value) -> str:
    """Return a short text that identifies the item, or an empty string."""
    if value.kind in _PLAIN:
        return value.text if len(value.text) <= _MOST_ITEM_CHARS else ""
    named = {field.name: field.text for field in value.fields or () if len(field.text) <= _MOST_ITEM_CHARS}
    return next((f"{name}={named[name]}" for name in _NAMES if name in named), "")
