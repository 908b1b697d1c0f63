"""Explains a Python failure without a model: the verdict, the cause, a tried fix and the evidence."""

from __future__ import annotations

import ast
import asyncio
from functools import partial

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.providers.ask_work import Work
from dap_ai.agent.providers.offline import offline_usage, say
from dap_ai.agent.report.citing import evidence_of
from dap_ai.agent.report.sections import where
from dap_ai.agent.report.wording import NO_MODEL, NO_RANKING, NOT_COMPUTED, UNKNOWN
from dap_ai.debuggees.python.analysis.claims import partial_answer
from dap_ai.debuggees.python.analysis.claims.advice import recommendation
from dap_ai.debuggees.python.analysis.claims.explain import after_cleanup, cause_claim, happened, root_cause, why
from dap_ai.debuggees.python.analysis.claims.gist import gist
from dap_ai.debuggees.python.analysis.claims.recursion.explain_recursion import (
    RECURSION,
    explain_library_recursion,
    recursion_at,
)
from dap_ai.debuggees.python.analysis.claims.recursion.explain_recursion import explain_recursion as recursion_told
from dap_ai.debuggees.python.analysis.claims.shadowed_modules import Shadowed, shadowed
from dap_ai.debuggees.python.analysis.claims.shadowed_modules import explain_shadowing as shadowed_told
from dap_ai.debuggees.python.analysis.claims.verdict import effect, verdict
from dap_ai.debuggees.python.analysis.experiments.proving import prove
from dap_ai.debuggees.python.analysis.experiments.scheduler import NO_TIME, Investigation
from dap_ai.debuggees.python.analysis.failure import syntax_errors
from dap_ai.debuggees.python.analysis.failure.exception_messages import as_written
from dap_ai.debuggees.python.analysis.failure.failure_evidence import proving
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis, analyse, outline
from dap_ai.debuggees.python.analysis.ranking.reranking import describe_run as told_again
from dap_ai.debuggees.python.analysis.ranking.reranking import rerank
from dap_ai.debuggees.python.analysis.ranking.set_by_hand import set_by_hand
from dap_ai.debuggees.python.analysis.ranking.trials import Trials
from dap_ai.debuggees.python.analysis.ranking.what_ran import settle
from dap_ai.debuggees.python.analysis.record.check_runs import BUDGET_S, Control
from dap_ai.debuggees.python.analysis.syntax.loops import looping
from dap_ai.debuggees.python.analysis.value_path.path_search import path_of_failure
from dap_ai.debuggees.python.answer.answer_sections import (
    endless,
    has_failed,
    lacked_memory,
    noted,
    standing,
    suspicious,
)
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.wire.ask_messages import Fix
from dap_ai.protocol.wire.report import Section

_TIME_TO_LOOK = 0.6
"""The fraction of the remaining time that the analysis may use; the rest is for writing the answer."""

_THOROUGH = 10
"""The factor by which the setting `thorough` extends the time for fixes."""


class FailureAnswers:
    """Explains what is wrong at a stop, and keeps the findings for the next question at that stop."""

    def __init__(self) -> None:
        self._kept: tuple[tuple[int, int, int], StopAnalysis, Trials] | None = None
        """The `_key`, analysis and trials of the last stop with usable trials."""

    async def explain(self, work: Work, case: StopSnapshot, first: str) -> Answer | None:
        """Explains what is wrong at the stop; returns None if no frame has source.

        Reruns the failure during the analysis.
        """
        if (found := shadowed(case)) and (analysis := await analysed(work, case)):
            return self._shadowed(work, analysis, found, first)
        again = None if self._found(case) else self._begun(work, case)
        try:
            analysis = await analysed(work, case)
            return await self._diagnosed(work, analysis, again, first) if analysis else None
        finally:
            if again is not None:
                await again.aclose()

    def _shadowed(self, work: Work, analysis: StopAnalysis, found: Shadowed, first: str) -> Answer:
        """Answers that a file of the program shadows a standard library module; no fix is tried."""
        parts, suspects = shadowed_told(found, analysis)
        say(work, [first, *parts, *_end(NO_RANKING, analysis)])
        gist_of = parts[0].text.rstrip(".").partition(", and has no")[0]
        return Answer(suspects=suspects, gist=gist_of, usage=offline_usage())

    def _begun(self, work: Work, case: StopSnapshot) -> Investigation | None:
        """Starts a rerun of the failure for trying fixes; returns None if no fix will be tried."""
        error = case.exception
        if error is None or not has_failed(case) or _why_none_is_tried(work, case):
            return None
        if error.type == RECURSION or syntax_errors.wrong_at(case):
            return None
        clock_s = work.left_s * _TIME_TO_LOOK
        budget_s = BUDGET_S * (_THOROUGH if work.settings.thorough else 1)
        return Investigation(work.debugger, case, partial(work.sink.emit, "status"), budget_s, clock_s)

    async def _diagnosed(self, work: Work, analysis: StopAnalysis, again: Investigation | None, first: str) -> Answer:
        """Composes the answer at a stop: the verdict, the cause and the fix, then the evidence."""
        remote = analysis.case.remote
        if remote is not None and (there := settled(await asyncio.to_thread(analyse, remote))):
            return self._unread(work, there, *partial_answer.elsewhere(there, analysis.case))
        if analysis.case.exception and analysis.case.exception.type == RECURSION:
            return await self._recursion(work, analysis, first)
        if wrong := syntax_errors.wrong_at(analysis.case):
            return self._syntax(work, analysis, wrong, first)
        analysis, trials, note = await self._investigated(work, analysis, again)
        if trials is None:
            settle(analysis)
        if set_by_hand(analysis):
            return self._set_by_hand(work, analysis, first)
        fixes, cause = list[Fix](), None
        if has_failed(analysis.case):
            advice, fixes = recommendation(analysis, trials)
            cause = cause_claim(analysis, trials)
            parts = [*root_cause(analysis, trials), *advice, *_evidence(analysis, why(analysis))]
            parts.append(Section("rerun", told_again(analysis, trials) if trials else ""))
        else:
            advice = Section("text", endless(analysis) or suspicious(analysis))
            evidence = _evidence(analysis, why(analysis, "How these values came about"))
            parts = [advice, *evidence, Section("text", standing(analysis.diagnosis.place))]
        head = [Section("text", first), Section("verdict", looping(analysis.case) or verdict(analysis, trials))]
        answer = _finished_answer(work, analysis, trials, head, parts, analysis.cut_short, note)
        answer.cause = cause
        answer.suspects, answer.fixes, answer.limit = analysis.suspects, fixes, bool(analysis.cut_short)
        answer.path = await path_of_failure(analysis, trials)
        return answer

    def _set_by_hand(self, work: Work, analysis: StopAnalysis, first: str) -> Answer:
        """Describes the failure without a cause, because the failing value was set in the debugger, not computed."""
        analysis.suspects = []
        failed = Section("text", standing(analysis.diagnosis.place))
        if has_failed(analysis.case):
            failed = Section("cause", f"{UNKNOWN} {NOT_COMPUTED}")
        head = [Section("text", first), Section("verdict", verdict(analysis, None))]
        return _finished_answer(work, analysis, None, head, [failed, Section("happened", happened(analysis))])

    def _syntax(self, work: Work, analysis: StopAnalysis, wrong: syntax_errors.Wrong, first: str) -> Answer:
        """Explains a file that does not compile; the file never ran, so nothing is rerun."""
        case, frame = analysis.case, analysis.diagnosis.place.frame
        bracket, path = syntax_errors.likely_open(wrong), wrong.source.path
        spot = where(case, path, wrong.line)
        importer = where(case, frame.path, frame.line) if frame.path != path else ""
        opened = where(case, path, bracket.line) if bracket else spot
        parts, suspects = syntax_errors.explain_syntax_error(wrong, spot, opened, importer)
        say(work, [first, *parts, *_end(NO_RANKING, analysis)])
        return Answer(suspects=suspects, usage=offline_usage())

    async def _recursion(self, work: Work, analysis: StopAnalysis, first: str) -> Answer:
        """Explains endless recursion and tries no fix: a fix that removes the call would pass, but is rarely meant."""
        case, place = analysis.case, analysis.diagnosis.place
        found = await recursion_at(case, work.reader, work.debugger)
        parts, suspects = (
            await asyncio.to_thread(recursion_told, found) if found else explain_library_recursion(place, case)
        )
        say(work, [first, *parts, *_end(NO_MODEL, analysis)])
        return Answer(suspects=suspects, usage=offline_usage())

    async def _investigated(
        self, work: Work, analysis: StopAnalysis, again: Investigation | None
    ) -> tuple[StopAnalysis, Trials | None, str]:
        """Returns the analysis, the trials of fixes, and a note if no fix may be tried.

        Trials exist only at an exception. Usable trials are kept, so that the next question gets the same verdict at
        once.
        """
        if not has_failed(analysis.case) or analysis.cut_short:
            return analysis, None, ""
        if why := _why_none_is_tried(work, analysis.case):
            return analysis, None, f"No fix was tried: {why}."
        if again is not None:
            trials = await again.tried(analysis)
            if trials.why_not == NO_TIME:
                analysis.cut_short = f"{NO_TIME[0].upper()}{NO_TIME[1:]}."
            prove(analysis, trials)
            rerank(analysis, trials)
            self._kept = (_key(analysis.case), analysis, trials) if trials.usable else None
            return analysis, trials, ""
        found = self._found(analysis.case)
        return (*found, "") if found else (analysis, None, "")

    def unread(self, work: Work, caught: StopSnapshot) -> Answer | None:
        """Answers from the printed traceback and the source, because the debuggee's values could not be read."""
        analysis = settled(analyse(caught))
        return self._unread(work, analysis, *partial_answer.caught(analysis)) if analysis else None

    def _unread(self, work: Work, analysis: StopAnalysis, parts: list[Section], fixes: list[Fix]) -> Answer:
        """Answers with the given paragraphs and no cited values."""
        say(work, [*parts, *_end(NO_MODEL, analysis)])
        return Answer(suspects=analysis.suspects, fixes=fixes, usage=offline_usage())

    def controls(self, case: StopSnapshot) -> list[Control]:
        """Returns the control runs (reruns without a fix) of the failure at this stop."""
        trials = self.kept_at(case)
        return trials.controls if trials else []

    def _found(self, case: StopSnapshot) -> tuple[StopAnalysis, Trials] | None:
        """Returns the analysis and the trials that an earlier question stored for this failure, or None."""
        return self._kept[1:] if self._kept and self._kept[0] == _key(case) else None

    def kept_at(self, case: StopSnapshot) -> Trials | None:
        """Returns the trials of fixes at this stop; None if no fix was tried."""
        kept, stop = self._kept, case.stop
        return kept[2] if kept and kept[0][:2] == (stop.epoch, stop.thread_id) else None


def settled(analysis: StopAnalysis | None, trials: Trials | None = None) -> StopAnalysis | None:
    """Updates an analysis with the lines that ran according to its frames and the trials; returns the analysis."""
    if analysis:
        settle(analysis, trials)
    return analysis


def _finished_answer(
    work: Work, analysis: StopAnalysis, trials: Trials | None, head: list[Section], parts: list[Section], *notes: str
) -> Answer:
    """Emits the answer and cites its evidence.

    The order is `head`, the error's message, changes made by cleanup code, then `parts`.
    """
    case, place = analysis.case, analysis.diagnosis.place
    message = Section("message", as_written(case.exception.message) if case.exception else "")
    say(work, [*head, message, Section("cleanup", after_cleanup(place)), *parts, *_end(NO_MODEL, analysis, *notes)])
    evidence = evidence_of(case.stop, proving(analysis.diagnosis))
    return Answer(effect=effect(analysis), evidence=evidence, gist=gist(analysis, trials), usage=offline_usage())


def _evidence(analysis: StopAnalysis, chain: str) -> list[Section]:
    return [Section("happened", happened(analysis)), Section("why", chain)]


def _end(answerer: str, analysis: StopAnalysis, *notes: str) -> list[Section]:
    """Returns the last sections: what could not be read or done, and who answers."""
    limits = " ".join(filter(None, [*notes, *noted(analysis)]))
    return [Section("note", f"*{limits}*" if limits else ""), Section("answerer", f"*{answerer}*")]


def _key(case: StopSnapshot) -> tuple[int, int, int]:
    return case.stop.epoch, case.stop.thread_id, case.places[0].frame.id if case.places else 0


def _why_none_is_tried(work: Work, case: StopSnapshot) -> str:
    """Returns the reason why no fix is tried at a failure, as a clause; empty if fixes are tried."""
    if lacked_memory(case):
        return "whatever asks for less memory would pass"
    if case.edited:
        return "a value was set in the debugger"
    if case.places and case.places[0].is_generated:
        return "the program made the code that failed from text, and fixes are tried only in files"
    return work.debugger.why_no_snapshot


async def analysed(
    work: Work, case: StopSnapshot, roots: list[ast.expr] | None = None, asked: FramePlace | None = None
) -> StopAnalysis | None:
    """Returns the full analysis, or a quick outline if time runs out; None if no frame has source."""
    try:
        return await asyncio.wait_for(asyncio.to_thread(analyse, case, roots, asked), work.left_s * _TIME_TO_LOOK)
    except asyncio.TimeoutError:
        analysis = outline(case)
        if analysis:
            analysis.cut_short = "There was no time to follow where the values came from."
        return analysis
