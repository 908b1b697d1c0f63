"""Confirms the values cited in an answer: reads each value again at the same stop before the answer ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from dap_ai.agent.case.debuggee_kind import kind_of
from dap_ai.agent.case.stop_reader import StopReader
from dap_ai.agent.case.stop_snapshot import StackFrame, StopSnapshot
from dap_ai.agent.case.value_texts import show, typed
from dap_ai.agent.masking.spans import PLACEHOLDER
from dap_ai.agent.source.source_file import language_of
from dap_ai.protocol.contracts.debugger import Debugger, Sink
from dap_ai.protocol.contracts.inspection import ExpressionResult
from dap_ai.protocol.contracts.question import Answer, StopEvent
from dap_ai.protocol.contracts.snapshot_messages import SnapshotQuery
from dap_ai.protocol.wire.ask_messages import Evidence
from dap_ai.protocol.wire.errors import RequestFailed
from dap_ai.protocol.wire.report import Section
from dap_ai.system.texts import code


def evidence_at(expression: str, value: str, frame: StackFrame, stop: StopEvent) -> Evidence:
    """Returns unconfirmed evidence for a value read in a frame of this stop."""
    return Evidence(expression, value, frame.path, frame.line, frame.id, stop.thread_id, stop.epoch, confirmed=False)


NOT_CONFIRMED = "Not confirmed by a second reading"
ABOUT = "This is about the stop at"


class Cites(Protocol):
    """The member of a debuggee kind that confirms evidence."""

    async def read_again(
        self, answer: Answer, case: StopSnapshot, reader: StopReader, debugger: Debugger
    ) -> Sequence[str]:
        """Rereads the cited values and marks the confirmed evidence.

        Returns a Markdown note for each piece of evidence that is not confirmed.
        """
        ...


async def confirm(answer: Answer, case: StopSnapshot, reader: StopReader, debugger: Debugger, sink: Sink) -> None:
    """Marks the confirmed evidence. Adds a note to the answer if a value is unconfirmed or the program has moved on.

    Values from an earlier stop, before the agent resumed the program, stay unconfirmed because frame ids are reused.
    """
    open_ones = await cast("Cites", kind_of(case)).read_again(answer, case, reader, debugger)
    if debugger.current:
        if open_ones:
            text = f"{NOT_CONFIRMED}: {', '.join(open_ones)}."
            answer.text += f"\n{text}\n"
            answer.sections.append(Section("note", text))
            sink.emit("answer", text + "\n")
        return
    answer.stale = True
    note = f"{ABOUT} {spot_of(case)}, which is over: the program continued while it was answered."
    answer.text = f"{note}\n\n{answer.text}"
    answer.sections.insert(0, Section("note", note))
    sink.emit("answer", f"{note}\n")


def spot_of(case: StopSnapshot) -> str:
    """Formats the file name and line of the focus frame: `shop.py:12`."""
    place = case.focus
    return f"{Path(place.frame.path).name}:{place.frame.line}" if place else "a stop without frames"


async def values_again(answer: Answer, reader: StopReader, debugger: Debugger) -> list[str]:
    """Rereads cited expressions for `Cites.read_again`, if the evidence consists of expressions and values."""
    epoch = debugger.stop.epoch if debugger.stop else 0
    facts = await read_again([e for e in answer.evidence if e.epoch == epoch], reader, debugger)
    for evidence in answer.evidence:
        fact = facts.get((evidence.frame_id, evidence.expression)) if evidence.epoch == epoch else None
        evidence.confirmed = bool(fact and is_same(evidence.value, fact))
    return [
        f"{code(e.expression)}{_instead(facts.get((e.frame_id, e.expression)))}"
        for e in answer.evidence
        if not e.confirmed
    ]


async def read_again(
    evidence: list[Evidence], reader: StopReader, debugger: Debugger
) -> dict[tuple[int, str], ExpressionResult]:
    """Rereads cited expressions and returns the results by (frame id, expression).

    Expressions that the inspector refuses are evaluated in a snapshot.
    """
    wanted = {(e.frame_id, e.expression): language_of(e.file) for e in evidence}
    facts: dict[tuple[int, str], ExpressionResult] = {}
    try:
        if wanted and debugger.can_inspect and debugger.current:
            facts = await reader.again(wanted)
        for frame_id, expression in wanted:
            fact = facts.get((frame_id, expression))
            if (fact is None or fact.error == "refused") and debugger.current and not debugger.why_no_snapshot:
                result = await debugger.snapshot(SnapshotQuery(frame_id, expression))
                if result.unknown:
                    continue
                if result.status == "ok" and result.value:
                    facts[frame_id, expression] = ExpressionResult(result.value)
                elif result.status == "raised":
                    facts[frame_id, expression] = ExpressionResult(error="raised", text=result.error)
    except RequestFailed:  # includes NotStopped; evidence that was not reread stays unconfirmed
        pass
    return facts


def is_same(cited: str, fact: ExpressionResult) -> bool:
    """Whether a cited text matches the value read.

    Ignores spaces and quote style; a cut text matches by its beginning.
    """
    if fact.value is None:
        has_raised = fact.error == "raised" and bool(cited.strip())
        return has_raised and _plain(cited).removeprefix("raises ") in _plain(fact.text)
    value = fact.value
    forms = {_plain(text) for text in (value.text, show(value, 10_000), typed(value, 10_000))}
    forms |= {form.strip("'") for form in forms if PLACEHOLDER.fullmatch(form.strip("'"))}
    return _plain(cited) in forms or _is_cut(_plain(cited), _plain(value.text))


_CUT = re.compile(r"\.\.\.|…")
_LEAST_SHOWN = 8
"""Minimum length of a cut text that may match by its beginning."""


def _is_cut(cited: str, text: str) -> bool:
    """Whether one of the texts is cut and both are equal before the cut."""
    mark = _CUT.search(cited) or _CUT.search(text)
    return mark is not None and mark.start() >= _LEAST_SHOWN and cited[: mark.start()] == text[: mark.start()]


def _plain(text: str) -> str:
    return " ".join(text.strip().strip("`").replace('"', "'").split())


def _instead(fact: ExpressionResult | None) -> str:
    if fact is None or (fact.value is None and not fact.text):
        return ""
    return f" (it is {code(show(fact.value, 80))})" if fact.value else f" ({fact.text[:80]})"
