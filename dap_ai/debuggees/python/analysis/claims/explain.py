"""The answer in words: what happened, why, the root cause. Evidence first; every claim is cited."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from dap_ai.agent.case.stack import Case, Place
from dap_ai.agent.case.values import cut, first_of, show, typed, variables, when
from dap_ai.agent.report.citing import Cited
from dap_ai.agent.report.edits import shorten
from dap_ai.agent.report.sections import THE_FAILED_LINE
from dap_ai.agent.report.wording import CAUSE, CLEANED, GUESS, HAPPENED, UNKNOWN, WHY, cut_code
from dap_ai.debuggees.python.analysis.failure.facts import Diagnosis, proving
from dap_ai.debuggees.python.analysis.failure.messages import first_line, told_by_pytest
from dap_ai.debuggees.python.analysis.ranking.ranking import TOLD_SUSPECTS, Analysis
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from dap_ai.debuggees.python.analysis.slice.slicing import Step
from dap_ai.protocol.wire.ask import Suspect

BACK = "Back from the failing line"
_MAX_CHAIN, _MAX_LINKS = 4, 6
_MAX_CODE, _MAX_VALUE, _MAX_REASON = 100, 60, 100
_MAX_NAMES = 5
_CODE = ("function", "class", "module")
_READS = ast.Name | ast.Attribute | ast.Subscript
_DOES = {
    "assigned": "sets",
    "argument": "passes",
    "returned": "returns the result of",
    "stored": "changes",
    "decides": "decides whether line {} runs",
    "written": "writes",
}
_MAY = {
    "assigned": "may have set",
    "argument": "may have passed",
    "returned": "may have returned the result of",
    "stored": "may have changed",
    "decides": "may have decided whether line {} runs",
    "written": "may have written",
}


def where(case: Case, file: str, line: int) -> str:
    """`shop.py:12` as code."""
    return f"`{shorten(file, case.inspection.cwd)}:{line}`"


def happened(analysis: Analysis) -> str:
    """The exception or stop, where, and the value that proves it."""
    case, diagnosis = analysis.case, analysis.diagnosis
    place = diagnosis.place
    spot = where(case, place.frame.path, place.frame.line)
    error = case.exception
    if error:
        message = f": {cut(first_line(told_by_pytest(error.message)), 300)}" if error.message else ""
        first = f"`{error.type}{message}` at {spot}, in `{place.frame.name}`"
    else:
        reason = case.stop.description or case.stop.reason
        # A signal, as gdb says it, has come while the line ran.
        yet = "" if case.stop.reason == "signal" else "; this line has not run yet"
        first = f"Stopped ({reason}) at {spot}, in `{place.frame.name}`{yet}"
    text = f"{HAPPENED} {first}:\n\n{quote(place)}"
    if diagnosis.sentences:
        text += "\n\n" + " ".join(diagnosis.sentences)
    text += _held(case)
    values = "\n".join(_cite(cited) for cited in proving(diagnosis) if not _is_told(cited, diagnosis))
    chain = "".join(
        f"\n- {e.relation}: `{e.type}: {cut(first_line(e.message), 160)}` at {where(case, e.file, e.line)}"
        for e in case.inspection.exceptions[1:]
        if not (e.traceback and case.remote)
    )
    notes = "".join(f"\n- note: {cut(note, 160)}" for note in (error.notes if error else []))
    listed = f"{values}{chain}{notes}".strip("\n")
    return "\n\n".join(filter(None, [text, listed]))


def _held(case: Case) -> str:
    """Where the exception was raised that a value of the failed check holds."""
    if not case.held:
        return ""
    expression, there = case.held
    place, *callers = there.places
    spot = where(case, place.frame.path, place.frame.line)
    rows = [f"- called from {where(case, p.frame.path, p.frame.line)}, in `{p.frame.name}`" for p in callers[:3]]
    return "\n".join(
        [f"\n\n`{expression}` was raised at {spot}, in `{place.frame.name}`:\n\n{quote(place)}\n", *rows]
    ).rstrip()


def after_cleanup(place: Place) -> str:
    """Names the values of the failing line and its frame that are known only as cleanup has left them."""
    texts = [ast.unparse(n) for root in place.evaluated for n in ast.walk(root) if isinstance(n, _READS)]
    texts += [v.name for v in variables(place.facts, as_of_now=True)] if place.facts else []
    shown = ((text, value) for text in dict.fromkeys(texts) if (value := place.shown(text)))
    late = [(text, value) for text, value in shown if value.time == "now" and value.kind not in _CODE]
    rows = [f"`{text}` (`{show(value, _MAX_VALUE)}` now)" for text, value in late]
    return f"{CLEANED} {', '.join(first_of(rows, _MAX_NAMES))}." if rows else ""


def quote(place: Place) -> str:
    """The line a frame stands at, as a code block."""
    source = place.source
    return source.block(f"{place.frame.line}  {source.line(place.frame.line).strip()}") if source else "(no source)"


def _is_told(cited: Cited, diagnosis: Diagnosis) -> bool:
    """Whether a sentence has told the whole value."""
    value = cited.place.value(cited.expression)
    told = f"`{cited.expression}` is `{value.text}`" if value and not value.truncated else ""
    return bool(told) and any(told in sentence for sentence in diagnosis.sentences)


def _cite(cited: Cited) -> str:
    value = cited.place.value(cited.expression)
    text = typed(value, 160) if value else "not read"
    return f"- `{cited.expression}` = `{text}`{when(value) if value else ''}"


def why(analysis: Analysis, head: str = BACK) -> str:
    """The chain from the failing line back to the root cause; each link cites file, line and value."""
    return chain_of([_link(analysis, step) for step in _chain(analysis)], head)


def chain_of(links: list[str], head: str = BACK) -> str:
    """The section *Why* of its links, nearest first; empty if there are none."""
    rows = "\n".join(f"{n}. {link}" for n, link in enumerate(links, 1))
    return f"{WHY} {head}:\n\n{rows}" if rows else ""


def _chain(analysis: Analysis) -> list[Step]:
    steps = [s for s in analysis.slice.steps if not analysis.never_ran(s.scope.source.path, s.line)]
    top = {(s.file, s.line) for s in analysis.suspects[:3]}
    nearest = [s for s in steps if s.role != "decides"][:_MAX_CHAIN]
    suspicious = [s for s in steps if (s.scope.source.path, s.line) in top]
    chosen = sorted({id(s): s for s in [*nearest, *suspicious]}.values(), key=lambda s: s.distance)
    return chosen[:_MAX_LINKS]


def _link(analysis: Analysis, step: Step) -> str:
    """What a step does; what it may have done, where it is not known whether it ran."""
    case, code = analysis.case, step.scope.source.line(step.line).strip()
    had_run = analysis.had_run(step.scope.source.path, step.line)
    words = _DOES if had_run else _MAY
    value = _value_now(step) if had_run else ""
    inside = "at module level" if isinstance(step.scope.node, ast.Module) else f"in `{step.scope.name}`"
    spot = f"{where(case, step.scope.source.path, step.line)} {inside}"
    does = words[step.role].format(step.decided) if step.decided else f"{words[step.role]} `{step.name}`"
    return f"{spot} {does}: `{cut(code, _MAX_CODE)}`{value}"


def _value_now(step: Step) -> str:
    place = step.scope.place
    if place is None:
        return ""
    if step.role == "argument" and step.line == place.frame.line:
        return ""
    value = place.shown(step.name)
    if value is None or value.kind in _CODE:
        return ""
    is_or_was = {"": "is now", "now": "is"}.get(value.time, "was")
    return f" (`{step.name}` {is_or_was} `{show(value, _MAX_VALUE)}`{when(value, _MAX_VALUE)})"


def root_cause(analysis: Analysis, trials: Trials | None = None) -> str:
    """The most suspicious line with its reason, how sure it is, and the others in short.

    Sure is only what a rule knows and running again has shown: its fix is verified, or what it suspects has happened.
    That a small change there makes the check pass is no reason: many wrong ones do.
    """
    case, told = analysis.case, [replace(s, reason=_in_short(s.reason)) for s in analysis.suspects[:TOLD_SUSPECTS]]
    spot = partial(where, case)
    if told and analysis.cause is None:
        return f"{UNKNOWN} Nothing shows which line is wrong. Most suspicious: {_listed(told, spot)}."
    return cause_of(case, [*analysis.suspects[:1], *told[1:]], spot, lambda: is_sure(analysis, trials))


def cause_of(
    case: Case, suspects: Sequence[Suspect], where: Callable[[str, int], str], is_sure: Callable[[], bool]
) -> str:
    """The section *Root cause* of the lines that are told, most suspicious first; `where` makes code of a place."""
    if not suspects:
        return f"{CAUSE} Nothing stands out in the code that was read."
    first, *others = suspects
    source = case.sources.read(first.file)
    code = source.block(f"{first.line}  {source.line(first.line).strip()}") if source else "(no source)"
    end = "" if first.reason.endswith(("?", "!")) else "."
    text = f"{CAUSE if is_sure() else GUESS} {where(first.file, first.line)}: {first.reason}{end}\n\n{code}"
    return f"{text}\n\nOther suspects: {_listed(others, where)}." if others else text


def _listed(suspects: Sequence[Suspect], where: Callable[[str, int], str]) -> str:
    return "; ".join(f"{where(s.file, s.line)} ({s.reason})" for s in suspects)


def is_sure(analysis: Analysis, trials: Trials | None) -> bool:
    """Whether running again has shown the first suspect: a rule's fix is verified, or what it suspects was seen.

    A verified change elsewhere leaves it open which of the two lines is meant.
    """
    first = analysis.suspects[0]
    known = analysis.finding_at(first.file, first.line)
    finding = known if known and known.reason == first.reason else None  # the reason may be another, weaker one's
    fixed = trials is not None and trials.fixes(first.file, first.line)
    refuted = finding is not None and trials is not None and trials.refutes(finding.edit)
    place = (first.file, first.line)
    rival = trials is not None and any(t.verified and not t.doubt and t.place != place for t in trials.tried)
    return fixed or (finding is not None and finding.seen and not refuted and not rival)


def _in_short(reason: str) -> str:
    """The reason in short, without what has been told before."""
    return THE_FAILED_LINE if reason.startswith(THE_FAILED_LINE) else cut_code(reason, _MAX_REASON)
