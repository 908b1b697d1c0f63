"""Sections of the offline answer about a native stop, with every value cited: verdict, cause, advice, evidence."""

from __future__ import annotations

import re
from functools import partial

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import cut, typed, variables
from dap_ai.agent.report.citing import Cited
from dap_ai.agent.report.headline import fitting
from dap_ai.agent.report.sections import BACK, THE_FAILED_LINE, cause_of, chain_of, claim_of, quote, unknown_cause
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.report.wording import ADVICE, HAPPENED
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis, OriginLink
from dap_ai.debuggees.native.analysis.report_builder import (
    brief,
    root_of,
    short_name,
    shown,
    unqualified,
)
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.protocol.wire.ask_messages import Fix, Suspect
from dap_ai.protocol.wire.report import Cause, Certainty, Section
from dap_ai.system.texts import code, fenced

_SURE = 0.6
_PART = re.compile(r"(?:sets|changes|steps|frees|hands out the address of) `[^`]*`(?: to `[^`]*`)?")
_MAX_CHAIN = 8
_MAX_CITED = 8
_MAX_NOW = 60
_NOT_TRIED = "It was not tried: native programs have no snapshots. Build with it and run again."


def where(case: StopSnapshot, file: str, line: int) -> str:
    """Return a file and line as code, such as `shop.c:12`."""
    return code(f"{shorten(file, root_of(case))}:{line}")


def verdict(analysis: NativeAnalysis) -> str:
    """Summarise the answer in one short sentence: what failed, the deciding value, and the place."""
    case, place = analysis.case, analysis.place
    spot = where(case, place.frame.path, place.frame.line)
    if analysis.kind == "stop":
        function = code(short_name(place.frame.name))
        return fitting([f"{headline(analysis)} at {spot}, in {function}: the debugger reports no failure."])
    first = analysis.suspects[0] if analysis.suspects else None
    effects = _effects(analysis)
    if first is None or (first.file, first.line) == (place.frame.path, place.frame.line):
        return fitting([f"{effect}." for effect in effects])
    if not _is_founded(analysis, first):
        return fitting([f"{effect}." for effect in effects])
    joint = ": " if _is_sure(analysis) else "; a guess at the cause: "
    cause = where(case, first.file, first.line)
    forms = [f"{joint}{cause} ({first.reason}).", f"{joint}{cause}."]
    return fitting([effect + form for effect in effects for form in forms])


def effect(analysis: NativeAnalysis) -> str:
    """Describe what went wrong, without a cause, in one sentence; empty if nothing has failed."""
    return "" if analysis.kind == "stop" else fitting([f"{each}." for each in _effects(analysis)])


def _effects(analysis: NativeAnalysis) -> list[str]:
    """Return descriptions of what went wrong, with the place, the most informative first."""
    spot = where(analysis.case, analysis.place.frame.path, analysis.place.frame.line)
    effects = [f"{sentence.rstrip('.')} at {spot}" for sentence in analysis.sentences[:1]]
    effects += [f"{analysis.effect} at {spot}"] if analysis.effect else []
    return [*effects, f"{headline(analysis)} at {spot}"]


def happened(analysis: NativeAnalysis, cited: list[Cited]) -> str:
    """Describe the failure: the signal, report or stop, its place, and sentences with the values that prove them."""
    place = analysis.place
    spot = where(analysis.case, place.frame.path, place.frame.line)
    text = f"{HAPPENED} {headline(analysis)} at {spot}, in {code(short_name(place.frame.name))}:\n\n{quote(place)}"
    if analysis.sentences:
        text += "\n\n" + " ".join(analysis.sentences)
    rows = [_cite(analysis, c) for c in cited]
    return "\n\n".join(filter(None, [text, "\n".join(rows)]))


def headline(analysis: NativeAnalysis) -> str:
    """Describe in a few words what stopped the program: ``A null dereference (`SIGSEGV`: address not mapped)``."""
    case = analysis.case
    report, fault, error = analysis.report, case.inspection.fault, case.exception
    kind = analysis.kind if analysis.kind not in ("crash", "stop") else ""
    if report and report.tool == "panic" and kind == "overflow":
        kind = "index out of bounds"
    if report and report.tool == "terminate":
        told = f"uncaught {code(cut(f'{report.kind}: {report.message}'.rstrip(': '), 300))}"
        return f"U{told[1:]}"
    if report:
        said = (
            f"{report.tool}: {report.kind}" if report.tool.endswith("Sanitizer") else f"{report.tool}: {report.message}"
        )
        told = code(cut(said, 300))
    elif fault:
        told = code(fault.signal) + (f": {fault.code}" if fault.code else "")
    elif error and not kind:
        told = code(f"{error.type}: {cut(error.message, 300)}" if error.message else error.type)
    elif error:
        told = code(error.type)
    else:
        told = ""
        if not kind:
            return f"Stopped ({case.stop.description or case.stop.reason})"
    if kind and not told:
        return f"{_article(kind)} {kind}"
    if not kind or kind == "assertion" or (report and report.kind.replace("-", " ").endswith(kind)):
        return told
    return f"{_article(kind)} {kind} ({told})" if kind != "uninitialised" else f"An uninitialised value ({told})"


def _article(kind: str) -> str:
    return {"use after free": "A", "uninitialised": "An"}.get(kind, "An" if kind[0] in "aeiou" else "A")


def why(analysis: NativeAnalysis, head: str = BACK) -> str:
    """Describe the steps back from the failing line, each with its file, line and code."""
    return chain_of([_link(analysis, link) for link in analysis.chain[:_MAX_CHAIN]], head)


def _link(analysis: NativeAnalysis, link: OriginLink) -> str:
    case = analysis.case
    source = case.sources.read(link.file)
    line_text = cut(source.line(link.line).strip(), 110) if source else ""
    inside = f" in {code(link.function)}" if link.function else ""
    name = unqualified(link.function)
    place = next((p for p in case.places if p.frame.path == link.file and unqualified(p.frame.name) == name), None)
    value = place.value(link.name) if place else None
    tells = value is not None and not link.words.startswith(("passes", "hands")) and len(brief(value)) <= _MAX_NOW
    now = f" ({code(link.name)} is now {code(brief(value))})" if value and tells else ""
    name = f" {code(link.name)}" if link.name else ""
    return f"{where(case, link.file, link.line)}{inside} {link.words}{name}: {code(line_text)}{now}"


def _is_sure(analysis: NativeAnalysis) -> bool:
    """Whether the first suspect is certain.

    A suspect line that does not check for null is only a guess, since it passes a null pointer on but does not create
    it.
    """
    first = analysis.suspects[0]
    return first.score >= _SURE and (first.file, first.line) not in analysis.unchecked


def _is_founded(analysis: NativeAnalysis, suspect: Suspect) -> bool:
    """Whether evidence shows that a suspect is the cause. That its line took part in the failure is not enough."""
    if suspect.reason == THE_FAILED_LINE:
        return bool(analysis.sentences) and analysis.kind != "assertion"
    return suspect.score >= _SURE or not _PART.fullmatch(suspect.reason)


def cause_claim(analysis: NativeAnalysis) -> Cause | None:
    """Return the root cause that the answer names; None if it is unknown."""
    first = analysis.suspects[0] if analysis.suspects else None
    if first is None or not _is_founded(analysis, first):
        return None
    spot = where(analysis.case, first.file, first.line)
    return claim_of(analysis.case, first, spot, "proved" if _is_sure(analysis) else "guess")


def root_cause(analysis: NativeAnalysis) -> list[Section]:
    """Name the most suspicious line with its reason and certainty, and list the other suspects.

    If no evidence shows the cause, state that it is unknown.
    """
    told = analysis.suspects[:4]
    if told and not _is_founded(analysis, told[0]):
        return unknown_cause(told, partial(where, analysis.case))
    certainty: Certainty = "proved" if told and _is_sure(analysis) else "guess"
    return cause_of(analysis.case, told, partial(where, analysis.case), certainty)


def recommendation(analysis: NativeAnalysis) -> tuple[str, list[Fix]]:
    """Return advice as text, and proposed fixes. The text contains each fix as a diff that was not tried."""
    case, fixes = analysis.case, list[Fix]()
    parts = [ADVICE]
    if analysis.fix:
        diff = analysis.fix.diff(root_of(case))
        fixes.append(Fix(analysis.fix.source.path, diff, result="not tried: native programs have no snapshots"))
        parts = [f"{ADVICE} A possible fix. {_NOT_TRIED}\n\n{fenced(diff, 'diff')}"]
    steps = list(analysis.advice)
    first = analysis.suspects[0] if analysis.suspects else None
    place = analysis.place
    if first and (first.file, first.line) != (place.frame.path, place.frame.line) and not analysis.fix:
        steps.append(f"Set a breakpoint at {where(case, first.file, first.line)} and run again, to watch it happen.")
    if not steps and not fixes:
        step = "Ask" if case.inspection.fault or case.exception or analysis.report else "Step over this line, or ask"
        steps.append(f"{step} about a name: `where does NAME come from?`")
    if len(steps) == 1 and not fixes:
        return f"{parts[0]} {steps[0]}", fixes
    return "\n\n".join([*parts, "\n".join(f"- {step}" for step in steps)]).rstrip(), fixes


def proven_values(analysis: NativeAnalysis) -> list[Cited]:
    """Return the values to cite: those that the diagnosis chose, then variables of the failing frame."""
    chosen = [c for c in analysis.cited if c.place.value(c.expression)]
    for variable in variables(analysis.place.facts)[:_MAX_CITED] if analysis.place.facts else ():
        known = any(c.place is analysis.place and c.expression == variable.name for c in chosen)
        if not known and analysis.place.value(variable.name):
            chosen.append(Cited(analysis.place, variable.name))
    return chosen[:_MAX_CITED]


def _cite(analysis: NativeAnalysis, cited: Cited) -> str:
    value = cited.place.value(cited.expression)
    text = typed_text(value, 160) if value else "not read"
    there = "" if cited.place is analysis.place else f" in {code(short_name(cited.place.frame.name))}"
    return f"- {code(cited.expression)} = {code(text)}{there}"


def typed_text(value: Value, max_chars: int) -> str:
    """Return a value's text with its type, unless the text or a note shows the type."""
    plain = value.note == value.text or not value.type
    return shown(value, max_chars) if plain else typed(value, max_chars)
