"""Answers questions about native stops without a model: the failure, or where a value came from."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from dap_ai.agent.case.edited_values import edits_read
from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.providers.ask_work import Work
from dap_ai.agent.providers.offline import offline_usage, say
from dap_ai.agent.questions.asked_expressions import excerpt, line_of
from dap_ai.agent.questions.unclear import not_understood
from dap_ai.agent.questions.waiting import waiting, wants_wait
from dap_ai.agent.report.citing import evidence_of
from dap_ai.agent.report.sections import quote
from dap_ai.agent.report.wording import NO_ASSIGNMENT, NO_MODEL, NOT_COMPUTED, NOW, UNKNOWN
from dap_ai.agent.tools.base import ToolContext
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis, failing
from dap_ai.debuggees.native.analysis.origin_trace import OriginQuery, trace
from dap_ai.debuggees.native.analysis.report_builder import (
    ReportBuilder,
    brief,
    is_null,
    short_name,
)
from dap_ai.debuggees.native.answer.hit_data import hit_data
from dap_ai.debuggees.native.answer.native_notes import expressions_in, notes, waiting_threads, without_source
from dap_ai.debuggees.native.answer.native_sections import (
    cause_claim,
    effect,
    happened,
    proven_values,
    recommendation,
    root_cause,
    typed_text,
    verdict,
    where,
    why,
)
from dap_ai.debuggees.native.diagnoses.diagnosing import analyse
from dap_ai.protocol.contracts.inspection import ExpressionResult
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.wire.ask_messages import Evidence, Fix
from dap_ai.protocol.wire.report import Section
from dap_ai.system.texts import code

_CAME = re.compile(r"(?i)where does `?(\w+)`? come from")


class NativeAnalyst:
    """Answers questions about native stops without a model. Makes no copies of the program and tries no fixes."""

    async def answer(self, work: Work, case: StopSnapshot, bench: ToolContext) -> Answer:
        """Explain what is wrong at the stop, or answer the question about it."""
        del bench
        return await _answered(work, case)

    def unread(self, work: Work, caught: StopSnapshot) -> Answer | None:
        """Return None, because nothing is known about an error of a native program that did not stop."""
        del work, caught
        return None


async def _answered(work: Work, case: StopSnapshot) -> Answer:
    question = work.ask.arguments.question
    say(work, [await hit_data(work.debugger, case, work.read), " ".join(case.edited)])
    wanted = expressions_in(question)
    unread = [text for text in wanted if case.focus and case.focus.value(text) is None]
    if unread:
        await work.read(unread)
    for place in case.callers:
        roots = [text for text in wanted if _is_data(place.evaluation(text)) and _is_meant(text, place)]
        if roots and place.source:
            return _about(work, case, roots, await asyncio.to_thread(_origins, case, place, roots))
    if (line := line_of(question)) is not None and case.focus:
        path = case.focus.frame.path
        work.sink.emit("answer", f"{where(case, path, line)}:\n\n{excerpt(case.sources, path, line)}\n\n")
    analysis = await asyncio.to_thread(analyse, case)
    if analysis is None:
        return _answer(work, [without_source(case), *_end(case)], [])
    if wants_wait(question) and not case.inspection.fault and not analysis.report:
        return _stop(work, analysis, "\n\n".join(filter(None, [waiting(case), waiting_threads(case)])))
    came = _CAME.search(question)
    missed = _unreadable(case, wanted, came[1] if came else "")
    return _stop(work, analysis, missed or ("" if line else not_understood(case, question)))


def _stop(work: Work, analysis: NativeAnalysis, missed: str = "") -> Answer:
    case = analysis.case
    cited = proven_values(analysis)
    if rests := _rests_on_edits(analysis):
        analysis.suspects = []
        causes = [Section("cause", f"{UNKNOWN} {NOT_COMPUTED}")]
    else:
        causes = root_cause(analysis)
    advice, fixes = ("", list[Fix]()) if rests else recommendation(analysis)
    parts = [
        Section("text", missed),
        Section("verdict", verdict(analysis)),
        *([] if analysis.kind == "stop" else causes),
        Section("advice", advice),
        Section("happened", happened(analysis, cited)),
        Section("why", "" if rests else why(analysis)),
        *_end(case),
    ]
    answer = _answer(work, parts, evidence_of(case.stop, cited))
    answer.suspects, answer.fixes = analysis.suspects, fixes
    answer.effect = effect(analysis)
    answer.cause = None if rests or analysis.kind == "stop" else cause_claim(analysis)
    return answer


def _rests_on_edits(analysis: NativeAnalysis) -> bool:
    """Whether the failure, or a link of its chain, reads a value that was set in the debugger."""
    case, place = analysis.case, analysis.place
    line = place.source.line(place.frame.line) if place.source else ""
    read = [(place.frame.name, place.frame.path, [line, *(c.expression for c in analysis.cited)])]
    for link in analysis.chain:
        source = case.sources.read(link.file)
        read.append((link.function, link.file, [link.name, source.line(link.line) if source else ""]))
    return any(edits_read(case, *each) for each in read)


def _unreadable(case: StopSnapshot, wanted: list[str], came: str) -> str:
    """Return a sentence that names the expressions of a question that cannot be read in this frame; empty if all can.

    Single words are ignored, since they may be plain English.
    """
    place = case.focus
    names = _missed(place, wanted, came) if place else ""
    if not names or place is None:
        return ""
    spot = where(case, place.frame.path, place.frame.line)
    return f"{names} cannot be read at {spot}, in {code(short_name(place.frame.name))}. What can be said of this stop:"


def _missed(place: FramePlace, wanted: list[str], came: str) -> str:
    missed = [text for text in wanted if (text == came or not text.isidentifier()) and place.value(text) is None]
    return ", ".join(code(text) for text in missed[:4])


def _origins(case: StopSnapshot, place: FramePlace, roots: list[str]) -> NativeAnalysis:
    """Trace where the values of expressions came from."""
    draft = ReportBuilder(case, place)
    for text in roots:
        value = place.value(text)
        if value is None:
            # An unreadable expression depends on a readable one: for a->b->c, the first readable of a->b and a.
            text = next((part for part in _holders(text) if place.value(part)), text)  # noqa: PLW2901
            value = place.value(text)
        trace(draft, text, OriginQuery(brief(value) if value else "", null=is_null(value)))
        draft.cite(text)
    return draft.done()


def _is_data(fact: ExpressionResult | None) -> bool:
    return fact is not None and (fact.error == "raised" if fact.value is None else fact.value.kind != "function")


def _is_meant(text: str, place: FramePlace) -> bool:
    """Whether a word of the question means an expression.

    An English word may also be a constant of a library's enum.
    """
    value = place.value(text)
    return value is None or value.kind != "enum" or value.text != text


def _holders(text: str) -> list[str]:
    """Return the prefixes of an access path, longest first: for `a->b->c`, the prefixes `a->b` and `a`."""
    ends = [found.start() for found in re.finditer(r"->|\.|\[", text)]
    return [text[:end] for end in reversed(ends)]


def _about(work: Work, case: StopSnapshot, roots: list[str], analysis: NativeAnalysis) -> Answer:
    """Answer with the current values of the question's expressions, and the lines that set them."""
    place = analysis.place
    spot = where(case, place.frame.path, place.frame.line)
    values = [
        f"{code(text)} is {code(typed_text(v, 300))} at {spot}, in {code(short_name(place.frame.name))}."
        for text in roots
        if (v := place.value(text))
    ]
    values += [
        f"{code(text)} cannot be read at {spot}: {fact.text}."
        for text in roots
        if (fact := place.evaluation(text)) and fact.value is None
    ]
    if edits_read(case, place.frame.name, place.frame.path, roots):
        parts = [f"{NOW} {' '.join(values)}", quote(place), NOT_COMPUTED, *_end(case)]
        return _answer(work, parts, evidence_of(case.stop, analysis.cited))
    found = why(analysis, "Where it comes from, nearest first") or NO_ASSIGNMENT
    parts = [f"{NOW} {' '.join(values)}", quote(place), " ".join(analysis.sentences), found, *_end(case)]
    answer = _answer(work, parts, evidence_of(case.stop, analysis.cited))
    answer.suspects = analysis.suspects
    return answer


def _end(case: StopSnapshot) -> list[Section]:
    """Return the last sections: what could not be read, and who answers."""
    limits = " ".join(notes(case, failing(case)))
    return [Section("note", f"*{limits}*" if limits else ""), Section("answerer", f"*{NO_MODEL}*")]


def _answer(work: Work, parts: Sequence[str | Section], evidence: list[Evidence]) -> Answer:
    say(work, parts)
    return Answer(evidence=evidence, usage=offline_usage())
