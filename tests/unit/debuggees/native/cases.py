"""Stops of native programs that nobody runs: source, frames and values as the inspector would have brought them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from dap_ai.agent.case.crash_report import Report
from dap_ai.agent.case.stop_snapshot import FramePlace, StackFrame, StopSnapshot
from dap_ai.agent.report.wording import CAUSE
from dap_ai.agent.source.source_file import Sources
from dap_ai.debuggees.native.analysis.native_analysis import NativeAnalysis
from dap_ai.debuggees.native.answer.native_sections import root_cause
from dap_ai.protocol.contracts.inspection import (
    ExceptionFacts,
    ExpressionResult,
    Fault,
    FrameFacts,
    Inspection,
    ThreadFacts,
    Value,
    Variable,
)
from dap_ai.protocol.contracts.question import StopEvent

NULL = Value("null", "struct order *", "pointer", note="null")
Values = Mapping[str, "Value | ExpressionResult | int | str"]


class At(NamedTuple):
    """A frame: its function, the part of a line that it stands at, and what was read there."""

    function: str
    code: str
    values: Values = MappingProxyType({})


def pointer(address: int, text: str = "", note: str = "") -> Value:
    return Value(text or f"{address:#x}", "struct order *", "pointer", address=address, note=note)


def stopped(
    source: str,
    frames: Sequence[At],
    *,
    signal: str = "SIGSEGV",
    address: int | None = None,
    report: Report | None = None,
    threads: Sequence[ThreadFacts] = (),
    path: str = "/src/shop.c",
) -> StopSnapshot:
    """A stop in the first of the frames. Without a signal it is a plain one."""
    sources = Sources()
    file = sources.add(path, source)
    rows = [StackFrame(n, at.function, path, line_of(source, at.code), user=True) for n, at in enumerate(frames, 1)]
    places = [
        FramePlace(row, file, _facts(row, at.values), _known(at.values)) for row, at in zip(rows, frames, strict=True)
    ]
    inspection = Inspection(frames=[p.facts for p in places if p.facts], kind="native", threads=list(threads))
    if signal:
        inspection.fault = Fault(signal, "address not mapped" if signal == "SIGSEGV" else "", address, "read")
        inspection.exceptions = [ExceptionFacts(signal, "")]
    stop = StopEvent(1, 1, None, "exception" if signal else "breakpoint")
    return StopSnapshot(stop, sources, rows, places, inspection, report=report)


def is_firm(analysis: NativeAnalysis) -> bool:
    """Whether the answer calls the first suspect the root cause, and not a guess."""
    return root_cause(analysis)[0].text.startswith(CAUSE)


def line_of(source: str, code: str) -> int:
    """The first line that holds the code."""
    return next(n for n, line in enumerate(source.split("\n"), 1) if code in line)


def _facts(frame: StackFrame, values: Values) -> FrameFacts:
    names = [Variable(name, value) for name, v in values.items() if name.isidentifier() and (value := _value(v))]
    return FrameFacts(frame.id, frame.name, frame.path, frame.line, locals=names)


def _known(values: Values) -> dict[str, ExpressionResult]:
    return {text: v if isinstance(v, ExpressionResult) else ExpressionResult(_value(v)) for text, v in values.items()}


def _value(given: Value | ExpressionResult | int | str) -> Value | None:
    if isinstance(given, ExpressionResult):
        return given.value
    if isinstance(given, Value):
        return given
    return Value(str(given), "int", "int") if isinstance(given, int) else Value(f'"{given}"', "char *", "str")
