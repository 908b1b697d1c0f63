"""Answers questions about a stopped Python program without a model; failure_answers.py explains failures."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.text_tables import table_of
from dap_ai.agent.case.value_texts import timed, typed
from dap_ai.agent.providers.ask_work import Work
from dap_ai.agent.providers.offline import offline_usage, say, use
from dap_ai.agent.questions.asked_expressions import candidates, named, spoken
from dap_ai.agent.questions.question_kinds import (
    code_asked,
    offered,
    place_of,
    wants_all,
    wants_help,
    wants_history,
    wants_reason,
    wants_way,
    way,
)
from dap_ai.agent.questions.waiting import wants_wait
from dap_ai.agent.report.citing import Cited, evidence_of
from dap_ai.agent.report.sections import quote, where
from dap_ai.agent.report.wording import BY_SOURCE, HAD, NO_ASSIGNMENT, NO_MODEL, NO_RANKING, NOT_COMPUTED, NOW
from dap_ai.agent.tools.base import ToolContext
from dap_ai.agent.tools.evaluate import named_in
from dap_ai.agent.tools.stack_tools import where_it_is
from dap_ai.agent.tools.tool_table import traced_by
from dap_ai.debuggees.python.analysis.claims.explain import why
from dap_ai.debuggees.python.analysis.questions.owners import outermost
from dap_ai.debuggees.python.analysis.questions.python_waiting import waiting
from dap_ai.debuggees.python.analysis.questions.question_answers import ValueAnswer
from dap_ai.debuggees.python.analysis.questions.question_parser import named_by, parse_question
from dap_ai.debuggees.python.analysis.ranking.ranking import StopAnalysis
from dap_ai.debuggees.python.analysis.ranking.set_by_hand import set_by_hand
from dap_ai.debuggees.python.analysis.value_path.path_search import path_of_value
from dap_ai.debuggees.python.answer.answer_sections import before_default, of_length, of_type, standing
from dap_ai.debuggees.python.answer.failure_answers import FailureAnswers, analysed, settled
from dap_ai.debuggees.python.answer.nl_answers import QuestionAnswers
from dap_ai.debuggees.python.tools.history_tool import history
from dap_ai.debuggees.python.tools.table import followed_by
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.contracts.snapshot_messages import Followed
from dap_ai.protocol.contracts.tool_arguments import HistoryArguments, InfoArguments
from dap_ai.protocol.wire.report import Section
from dap_ai.system.texts import code, fenced

_MAX_THREADS = 6
_NO_RANKING = Section("answerer", f"*{NO_RANKING}*")
_NO_MODEL = Section("answerer", f"*{NO_MODEL}*")


class PythonAnalyst:
    """The analyst that answers without a model (implements agent.providers.offline.Analyst)."""

    def __init__(self) -> None:
        self._failures = FailureAnswers()
        self._words = QuestionAnswers()

    async def answer(self, work: Work, case: StopSnapshot, bench: ToolContext) -> Answer:
        """Answers the question, or explains what is wrong at the stop."""
        if call := traced_by(work.ask.arguments.question):
            return await use(call, bench, work.sink)
        question = work.ask.arguments.question
        say(work, [" ".join(case.edited)])
        self._words.remember(case)
        wanted = parse_question(question)
        unread = [t for t in (*named_by(wanted), *candidates(question)) if case.focus and case.focus.shown(t) is None]
        if unread:
            await work.read(unread)
        if call := followed_by(case, question):
            return await use(call, bench, work.sink)
        if wants_help(question):
            return self._say(work, [offered(case), _NO_RANKING])
        if wants_way(question):
            return await self._came(work, case, question)
        if wants_wait(question) and (awaited := waiting(case)):
            return self._say(work, [awaited, _others(bench), _NO_RANKING])
        if wanted and (told := await self._words.answer(work, case, wanted, self._failures.controls(case))):
            return await self._in_words(work, case, told)
        if symbol := code_asked(case, question):
            return await use(InfoArguments(symbol), bench, work.sink)
        evaluated = await self._evaluated(work, bench)
        asked = place_of(case, question)
        roots = spoken(asked, question)[:1] or named(asked, question)
        if wants_all(question) and not roots and asked:
            return self._say(work, [*evaluated, standing(asked), _NO_RANKING])
        if evaluated and not roots:
            return self._say(work, [*evaluated, _NO_RANKING])
        if roots and asked:
            analysis = settled(await analysed(work, case, roots, asked), self._failures.kept_at(case))
            return await self._about(work, analysis, roots, asked, evaluated) if analysis else self._nowhere(work)
        if told := await self._words.ended(work, case, candidates(question), self._failures.controls(case)):
            return self._say(work, [*told.parts, _NO_RANKING])
        return await self._failures.explain(work, case, before_default(case, question)) or self._nowhere(work)

    async def _in_words(self, work: Work, case: StopSnapshot, told: ValueAnswer) -> Answer:
        """Renders an answer from a recorded run, with evidence and a value path for the frame values that it uses."""
        if not told.about:
            return self._say(work, [*told.parts, _NO_RANKING])
        place = told.about[0][0]
        roots = [ast.parse(text, mode="eval").body for _, text in told.about]
        trials = self._failures.kept_at(case)
        analysis = settled(await analysed(work, case, roots, place), trials)
        past = await _past(work.bench, place, [r for r in roots if not isinstance(r, ast.Name)])
        origin = [] if told.has_origin or past or not analysis else [why(analysis, BY_SOURCE)]
        say(work, [*told.parts, *past, *origin, _NO_RANKING])
        path = await path_of_value(analysis, trials, roots, place, work.debugger) if analysis else []
        evidence = evidence_of(case.stop, [Cited(*each) for each in told.about])
        return Answer(evidence=evidence, path=path, usage=offline_usage())

    async def _came(self, work: Work, case: StopSnapshot, question: str) -> Answer:
        """Describes the calls that led here and the frame's values. Explains what is wrong if the question asks why."""
        parts = [way(case), standing(case.focus) if case.focus else ""]
        first = "\n\n".join(filter(None, parts))
        if wants_reason(question) and (known := await self._failures.explain(work, case, first)):
            return known
        return self._say(work, [*parts, _NO_RANKING])

    def unread(self, work: Work, caught: StopSnapshot) -> Answer | None:
        """Answers from the printed traceback and the source, because the debuggee's values could not be read."""
        return self._failures.unread(work, caught)

    async def _evaluated(self, work: Work, bench: ToolContext) -> list[str]:
        """Evaluates expressions in the question that may only run in a copy of the program; returns their values."""
        results = await named_in(bench, work.ask.arguments.question)
        for status in dict.fromkeys(result.status for result in results if result.status):
            work.sink.emit("status", status)
        return [result.text for result in results]

    def _say(self, work: Work, parts: Iterable[str | Section]) -> Answer:
        say(work, parts)
        return Answer(usage=offline_usage())

    def _nowhere(self, work: Work) -> Answer:
        return self._say(work, ["There is no frame with source to look at in this stop."])

    async def _about(
        self, work: Work, analysis: StopAnalysis, roots: list[ast.expr], place: FramePlace, evaluated: list[str]
    ) -> Answer:
        case, question = analysis.case, work.ask.arguments.question
        cited = [Cited(place, ast.unparse(root)) for root in roots]
        spot, function = where(case, place.frame.path, place.frame.line), code(place.frame.name)
        values = [
            f"{code(c.expression)} is {code(typed(v, 300))}{of_type(v, question)}{timed(v)} at {spot}, in {function}."
            f"{of_length(c.expression, v, question)}"
            for c in cited
            if (v := place.shown(c.expression))
        ]
        if set_by_hand(analysis, place, roots):
            say(work, [*evaluated, f"{NOW} {' '.join(values)}", quote(place), NOT_COMPUTED, _NO_RANKING])
            return Answer(evidence=evidence_of(case.stop, cited), usage=offline_usage())
        past = await _past(work.bench, place, roots[:1]) if wants_history(question) else []
        origin = await self._words.origin(work, place, roots, self._failures.controls(case))
        found = origin or [] if past else origin or [why(analysis, BY_SOURCE) or NO_ASSIGNMENT]
        now = f"{NOW} {' '.join(values)}"
        tables = [fenced(table) for c in cited if (v := place.value(c.expression)) and (table := table_of(v))]
        say(work, [*evaluated, now, *tables, quote(place), *past, *found, _NO_MODEL])
        path = await path_of_value(analysis, self._failures.kept_at(case), roots, place, work.debugger)
        evidence = evidence_of(case.stop, cited)
        return Answer(evidence=evidence, suspects=analysis.suspects, path=path, usage=offline_usage())


def _others(bench: ToolContext) -> str:
    """Describes what each other thread waits for, one line per thread; empty if no other thread is known to wait."""
    waiting_ones = [t for t in bench.case.inspection.threads if t.waiting and not t.current]
    rows = [f"- {code(thread.name)}: {where_it_is(bench, thread)}" for thread in waiting_ones[:_MAX_THREADS]]
    return "\n".join(["Other threads that wait:", "", *rows]) if rows else ""


async def _past(bench: ToolContext | None, place: FramePlace, roots: list[ast.expr]) -> list[str]:
    """Reads the earlier values of the first two expressions from a rerun in a copy of the program."""
    return [text for root in roots[:2] if bench and (text := await _followed(bench, place, root))]


async def _followed(bench: ToolContext, place: FramePlace, root: ast.expr) -> str:
    node, owner = outermost(bench.case, place, root)
    number = bench.case.frames.index(owner.frame)
    found = await history.run(replace(bench, chosen=owner), HistoryArguments(ast.unparse(node), frame=number))
    return f"{HAD} {found.text}" if isinstance(found.data, Followed) else ""
