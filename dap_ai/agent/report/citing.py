"""Expressions that an answer cites, and their values as evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dap_ai.agent.case.evidence import evidence_at
from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.protocol.contracts.question import StopEvent
from dap_ai.protocol.wire.ask_messages import Evidence


@dataclass
class Cited:
    """An expression that an answer cites, and its frame."""

    place: FramePlace
    expression: str


def evidence_of(stop: StopEvent, cited: Iterable[Cited]) -> list[Evidence]:
    """Returns evidence for each cited expression whose value was read."""
    read = ((c, c.place.value(c.expression)) for c in cited)
    return [evidence_at(c.expression, value.text, c.place.frame, stop) for c, value in read if value]
