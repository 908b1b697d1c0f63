"""Writes an answer's sections on what happened, why it happened, and the root cause. Every claim cites its evidence."""

from __future__ import annotations

import ast
from functools import partial

from msgspec.structs import replace

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import cut, first_of, show, typed, variables, when
from dap_ai.agent.report.citing import Cited
from dap_ai.agent.report.sections import (
    BACK,
    THE_FAILED_LINE,
    cause_of,
    chain_of,
    claim_of,
    quote,
    unknown_cause,
    where,
)
from dap_ai.agent.report.wording import CLEANED, HAPPENED, cut_code
from dap_ai.debuggees.python.analysis.failure.exception_messages import first_line, without_pytest_lines
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis, proving
from dap_ai.debuggees.python.analysis.ranking.ranking import TOLD_SUSPECTS, StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from dap_ai.debuggees.python.analysis.slice.slicing import SliceStep
from dap_ai.protocol.wire.report import Cause, Certainty, Section
from dap_ai.system.texts import code

_MAX_CHAIN, _MAX_LINKS = 4, 6
_MAX_CODE, _MAX_VALUE, _MAX_REASON = 100, 60, 100
_MAX_NAMES = 5
_CODE = ("function", "class", "module")
_READS = ast.Name | ast.Attribute | ast.Subscript
_DOES = {
    "assigned": ("sets", "may have set"),
    "argument": ("passes", "may have passed"),
    "returned": ("returns the result of", "may have returned the result of"),
    "stored": ("changes", "may have changed"),
    "decides": ("decides whether line {} runs", "may have decided whether line {} runs"),
    "written": ("writes", "may have written"),
}
"""Role of a slice step -> words for a step that ran, and for a step that may have run."""


def happened(analysis: StopAnalysis) -> str:
    """Return the section on what happened: the exception or stop, its location, and the values that prove it."""
    case, diagnosis = analysis.case, analysis.diagnosis
    place = diagnosis.place
    spot = where(case, place.frame.path, place.frame.line)
    error = case.exception
    if error:
        message = f": {cut(first_line(without_pytest_lines(error.message)), 300)}" if error.message else ""
        first = f"{code(f'{error.type}{message}')} at {spot}, in {code(place.frame.name)}"
    else:
        reason = case.stop.description or case.stop.reason
        # gdb reports a signal while the line runs.
        yet = "" if case.stop.reason == "signal" else "; this line has not run yet"
        first = f"Stopped ({reason}) at {spot}, in {code(place.frame.name)}{yet}"
    text = f"{HAPPENED} {first}:\n\n{quote(place)}"
    if diagnosis.sentences:
        text += "\n\n" + " ".join(diagnosis.sentences)
    text += _kept_exception(case)
    values = "\n".join(_cite(cited) for cited in proving(diagnosis) if not _is_shown(cited, diagnosis))
    chain = "".join(
        f"\n- {e.relation}: {code(f'{e.type}: {cut(first_line(e.message), 160)}')} at {where(case, e.file, e.line)}"
        for e in case.inspection.exceptions[1:]
        if not (e.traceback and case.remote)
    )
    notes = "".join(f"\n- note: {cut(note, 160)}" for note in (error.notes if error else []))
    listed = f"{values}{chain}{notes}".strip("\n")
    return "\n\n".join(filter(None, [text, listed]))


def _kept_exception(case: StopSnapshot) -> str:
    """Return where the exception stored in a value of the failed check was raised, or an empty string."""
    if not case.held:
        return ""
    expression, there = case.held
    place, *callers = there.places
    spot = where(case, place.frame.path, place.frame.line)
    rows = [f"- called from {where(case, p.frame.path, p.frame.line)}, in {code(p.frame.name)}" for p in callers[:3]]
    return "\n".join(
        [f"\n\n{code(expression)} was raised at {spot}, in {code(place.frame.name)}:\n\n{quote(place)}\n", *rows]
    ).rstrip()


def after_cleanup(place: FramePlace) -> str:
    """Return a note on the frame's values that were read only after cleanup code ran, or an empty string."""
    texts = [ast.unparse(n) for root in place.evaluated for n in ast.walk(root) if isinstance(n, _READS)]
    texts += [v.name for v in variables(place.facts, as_of_now=True)] if place.facts else []
    shown = ((text, value) for text in dict.fromkeys(texts) if (value := place.shown(text)))
    late = [(text, value) for text, value in shown if value.time == "now" and value.kind not in _CODE]
    rows = [f"{code(text)} ({code(show(value, _MAX_VALUE))} now)" for text, value in late]
    return f"{CLEANED} {', '.join(first_of(rows, _MAX_NAMES))}." if rows else ""


def _is_shown(cited: Cited, diagnosis: Diagnosis) -> bool:
    """Whether a sentence of the diagnosis already shows the cited value in full."""
    value = cited.place.value(cited.expression)
    told = f"{code(cited.expression)} is {code(value.text)}" if value and not value.truncated else ""
    return bool(told) and any(told in sentence for sentence in diagnosis.sentences)


def _cite(cited: Cited) -> str:
    value = cited.place.value(cited.expression)
    text = typed(value, 160) if value else "not read"
    return f"- {code(cited.expression)} = {code(text)}{when(value) if value else ''}"


def why(analysis: StopAnalysis, head: str = BACK) -> str:
    """Return the chain from the failing line back to the root cause; each link cites file, line and value."""
    return chain_of([_link(analysis, step) for step in _chain(analysis)], head)


def _chain(analysis: StopAnalysis) -> list[SliceStep]:
    steps = [s for s in analysis.slice.steps if not analysis.never_ran(s.scope.source.path, s.line)]
    top = {(s.file, s.line) for s in analysis.suspects[:3]}
    nearest = [s for s in steps if s.role != "decides"][:_MAX_CHAIN]
    suspicious = [s for s in steps if (s.scope.source.path, s.line) in top]
    chosen = sorted({id(s): s for s in [*nearest, *suspicious]}.values(), key=lambda s: s.distance)
    return chosen[:_MAX_LINKS]


def _link(analysis: StopAnalysis, step: SliceStep) -> str:
    """Return what a slice step does, or what it may have done if it is unknown whether the step ran."""
    case, line_text = analysis.case, step.scope.source.line(step.line).strip()
    had_run = analysis.had_run(step.scope.source.path, step.line)
    does, may_have = _DOES[step.role]
    words = does if had_run else may_have
    value = _value_now(step) if had_run else ""
    inside = "at module level" if isinstance(step.scope.node, ast.Module) else f"in {code(step.scope.name)}"
    spot = f"{where(case, step.scope.source.path, step.line)} {inside}"
    told = words.format(step.decided) if step.decided else f"{words} {code(step.name)}"
    return f"{spot} {told}: {code(cut(line_text, _MAX_CODE))}{value}"


def _value_now(step: SliceStep) -> str:
    place = step.scope.place
    if place is None:
        return ""
    if step.role == "argument" and step.line == place.frame.line:
        return ""
    value = place.shown(step.name)
    if value is None or value.kind in _CODE:
        return ""
    is_or_was = {"": "is now", "now": "is"}.get(value.time, "was")
    return f" ({code(step.name)} {is_or_was} {code(show(value, _MAX_VALUE))}{when(value, _MAX_VALUE)})"


def cause_claim(analysis: StopAnalysis, trials: Trials | None) -> Cause | None:
    """Return the root cause that the answer names; None if it is unknown."""
    first = analysis.cause
    if first is None or not analysis.suspects:
        return None
    spot = where(analysis.case, first.file, first.line)
    return claim_of(analysis.case, first, spot, "proved" if is_sure(analysis, trials) else "guess")


def root_cause(analysis: StopAnalysis, trials: Trials | None = None) -> list[Section]:
    """Return the most suspicious line with its reason and certainty, and the other suspects in short.

    A cause is certain only if a rule matches and a rerun proves it: the rule's fix is verified, or the suspected
    mistake was observed. A small change that makes the check pass is no proof: many wrong changes do.
    """
    case, told = analysis.case, [replace(s, reason=_in_short(s.reason)) for s in analysis.suspects[:TOLD_SUSPECTS]]
    spot = partial(where, case)
    if told and analysis.cause is None:
        return unknown_cause(told, spot)
    certainty: Certainty = "proved" if told and is_sure(analysis, trials) else "guess"
    return cause_of(case, [*analysis.suspects[:1], *told[1:]], spot, certainty)


def is_sure(analysis: StopAnalysis, trials: Trials | None) -> bool:
    """Whether a rerun proves the first suspect: a rule's fix is verified, or the suspected mistake was observed.

    A verified change elsewhere leaves open which of the two lines is wrong.
    """
    first = analysis.suspects[0]
    known = analysis.finding_at(first.file, first.line)
    finding = known if known and known.reason == first.reason else None  # the reason may be from another finding
    fixed = trials is not None and trials.fixes(first.file, first.line)
    refuted = finding is not None and trials is not None and trials.refutes(finding.edit)
    place = (first.file, first.line)
    rival = trials is not None and any(t.verified and not t.doubt and t.place != place for t in trials.tried)
    return fixed or (finding is not None and finding.seen and not refuted and not rival)


def _in_short(reason: str) -> str:
    """Return the reason cut short; of a reason about the failed line, only `THE_FAILED_LINE`."""
    return THE_FAILED_LINE if reason.startswith(THE_FAILED_LINE) else cut_code(reason, _MAX_REASON)
