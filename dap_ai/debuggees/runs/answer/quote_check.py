"""Verifies an answer's quotes: reads the run's files again and searches the cited step for each quote."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.masking.spans import PLACEHOLDER
from dap_ai.debuggees.runs.answer.quote_parser import Quote, quotes_in, steps_in
from dap_ai.debuggees.runs.answer.run_at_stop import there_are
from dap_ai.debuggees.runs.answer.run_pages import parts_of
from dap_ai.debuggees.runs.opening import open_run
from dap_ai.debuggees.runs.readers.base import CannotRead
from dap_ai.debuggees.runs.refs import artefact
from dap_ai.debuggees.runs.run_model import Event, Ref, Run, RunStep, steps_of
from dap_ai.protocol.contracts.question import Answer
from dap_ai.protocol.wire.ask_messages import Evidence
from dap_ai.system.texts import code, cut

_CUT = re.compile(r"\s*(?:\.{3,}|\u2026|\[\.\.\.\])\s*")
_MOST_STEPS = 4
"""Maximum number of other steps listed for a misplaced quote."""
_SHOWN = 80
_EXPRESSION = re.compile(r"step (\d+)")


class QuoteLocation(NamedTuple):
    """Location of a quote in the run."""

    step: int | None
    """Number of the cited step that contains the quote, or None if no cited step does."""
    elsewhere: tuple[int, ...] = ()
    """Other steps that contain the quote, if no cited step does. 0 stands for the task or the outcome."""


class RunRereading:
    """A run, read again from its files to verify quotes. Raises CannotRead."""

    def __init__(self, path: str) -> None:
        self.run: Run = open_run(path)
        self.steps: Mapping[int, RunStep] = {step.number: step for step in steps_of(self.run)}
        self._texts = {number: _squeezed("\n".join(_texts(step))) for number, step in self.steps.items()}
        self._texts[0] = _squeezed(f"{self.run.task}\n{self.run.outcome.words}\n{self.run.outcome.verdict}")

    def standing(self, quote: Quote) -> QuoteLocation:
        """Return where a quote occurs in the run.

        Whitespace is ignored. `...` and masked secrets in the quote match any text.
        """
        parts: list[str] = [part for uncut in _CUT.split(quote.text) for part in PLACEHOLDER.split(uncut)]
        pieces = [piece for piece in map(_squeezed, parts) if piece]
        if not pieces:
            return QuoteLocation(None)
        among = quote.steps or tuple(self._texts)
        said = next((step for step in among if _stand(self._texts.get(step, ""), pieces)), None)
        if said is not None:
            return QuoteLocation(said)
        return QuoteLocation(None, tuple(step for step, text in self._texts.items() if _stand(text, pieces)))

    def place(self, number: int, text: str) -> tuple[str, int]:
        """Return the file (absolute) and line (1-based) where a step's text is recorded."""
        step = self.steps.get(number)
        events = [e for e in (step.result, step.call, step.response, *step.others) if e] if step else []
        wanted = _squeezed(text)
        holds = next((event for event in events if wanted in _squeezed(_text_of(event))), None)
        ref = holds.ref if holds else events[0].ref if events else self.run.outcome.ref or Ref()
        return place_of(self.run, ref)


async def read_again(answer: Answer, case: StopSnapshot, *, by_model: bool) -> list[str]:
    """Verify the answer's evidence, and add evidence for quotes that only the answer's text contains.

    Returns a line for each unconfirmed quote or missing step. Without `by_model`, the answer stays unchanged.
    """
    if not by_model:  # the offline analyst verifies its own quotes
        return []
    path = next(iter(case.inspection.argv), "")
    try:
        again = await asyncio.to_thread(RunRereading, path)
    except CannotRead:
        for evidence in answer.evidence:
            evidence.confirmed = False
        return [f"{code(evidence.value)} (the run cannot be read any more)" for evidence in answer.evidence]
    answer.evidence = [*answer.evidence, *_only_in_text(answer, case)]
    open_ones: list[str] = []
    for evidence in answer.evidence:
        quote = quote_of(evidence)
        standing = again.standing(quote)
        evidence.confirmed = standing.step is not None
        if standing.step is not None:
            evidence.expression = f"step {standing.step}"
            evidence.file, evidence.line = again.place(standing.step, quote.text)
        else:
            open_ones.append(unconfirmed(again, quote, standing))
    missing = [n for n in steps_in(answer.text) if n and n not in again.steps]
    named = {n for evidence in answer.evidence for n in quote_of(evidence).steps}
    return [*open_ones, *(f"step {n} ({no_step(again)})" for n in missing if n not in named)]


def evidence_of(case: StopSnapshot, quote: Quote) -> Evidence:
    """Return a quote as evidence that is not confirmed yet."""
    expression = ", ".join(f"step {step}" for step in quote.steps) or "the run"
    stop = case.stop
    return Evidence(expression, quote.text, "", 1, 0, stop.thread_id, stop.epoch, confirmed=False)


def quote_of(evidence: Evidence) -> Quote:
    """Return the quote that a piece of evidence represents."""
    return Quote(tuple(int(number) for number in _EXPRESSION.findall(evidence.expression)), evidence.value)


def unconfirmed(again: RunRereading, quote: Quote, standing: QuoteLocation) -> str:
    """Return a line of Markdown that tells where an unconfirmed quote occurs instead."""
    text = cut(quote.text, _SHOWN)
    missing = [step for step in quote.steps if step and step not in again.steps]
    where = f"step {_listed(quote.steps)}: " if quote.steps else ""
    if missing:
        return f"{where}{code(text)} ({no_step(again)})"
    if standing.elsewhere:
        steps = [step for step in standing.elsewhere if step][:_MOST_STEPS]
        return f"{where}{code(text)} (it stands in {'step ' + _listed(steps) if steps else 'the task or the outcome'})"
    return f"{where}{code(text)} (it stands nowhere in the run)"


def no_step(again: RunRereading) -> str:
    """Return a message that a step is missing, e.g. `there is no such step: the run has 38`."""
    return f"there is no such step: {there_are(again.steps)}"


def _only_in_text(answer: Answer, case: StopSnapshot) -> Iterator[Evidence]:
    reported = {(step, _squeezed(q.text)) for q in map(quote_of, answer.evidence) for step in q.steps}
    for quote in quotes_in(answer.text):
        if not any((step, _squeezed(quote.text)) in reported for step in quote.steps):
            yield evidence_of(case, quote)


def _listed(steps: Sequence[int]) -> str:
    shown = ", ".join(map(str, steps[:_MOST_STEPS]))
    return f"{shown}, ..." if len(steps) > _MOST_STEPS else shown


def _texts(step: RunStep) -> Iterator[str]:
    for _, text in parts_of(step).values():
        yield text
    if step.call is not None:
        yield step.call.tool


def _text_of(event: Event) -> str:
    values = [value for value in (event.arguments or {}).values() if isinstance(value, str)]
    return "\n".join([event.reasoning, event.text, *values])


def place_of(run: Run, ref: Ref) -> tuple[str, int]:
    """Return the file (absolute path) and line (1-based) at which the passage of a ref begins."""
    root = Path(run.root)
    path = str(root / ref.path) if ref.path else run.root
    if not ref.pointer and ref.lines:
        return path, ref.lines[0]
    try:
        file = artefact(root, ref)
        start, _ = file.span(ref)
    except CannotRead:
        return path, ref.lines[0] if ref.lines else 1
    return path, file.data.count(b"\n", 0, start) + 1


def _stand(text: str, pieces: Sequence[str]) -> bool:
    """Return whether `text` contains all `pieces` in the given order."""
    at = 0
    for piece in pieces:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _squeezed(text: str) -> str:
    return "".join(text.split())
