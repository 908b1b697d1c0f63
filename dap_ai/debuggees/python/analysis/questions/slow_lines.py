"""Answers why a program is slow: lists the lines that took most of a run's time, and how often each line ran."""

from __future__ import annotations

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.source_edits import shorten
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, TracedLine
from dap_ai.system.texts import code

_MAX_LINES, _CODE = 5, 70
_LEAST_SHARE = 0.02
_LONG_S = 0.05


def slow(case: StopSnapshot, trace: RunTrace, words: str) -> str:
    """Return a paragraph on the slowest lines of a timed run. `words`: description of the code that ran."""
    lines = _merged(trace)
    whole = sum(line.seconds for line in lines)
    if whole <= 0:
        return f"No line of {words} took any time."
    lines = [line for line in lines if line.seconds >= _LEAST_SHARE * whole][:_MAX_LINES]
    if trace.cut:
        head = f"In the {_time(whole)} after which {words} was cut short in a copy, most time went into these lines"
    elif whole < _LONG_S:
        head = f"It is not slow in a copy: {words} took {_time(whole)}. Of that, most went into these lines"
    else:
        head = f"Of {_time(whole)} that {words} took in a copy, most went into these lines"
    head += ", with what they called of libraries:"
    return "\n".join([head, "", *(_row(case, line, whole) for line in lines)])


def _merged(trace: RunTrace) -> list[TracedLine]:
    """Return one entry per line, slowest first. A line's time includes its comprehensions."""
    found: dict[tuple[str, int], TracedLine] = {}
    for line in trace.lines:
        known = found.setdefault((line.file, line.line), line)
        if known is not line:
            known.seconds += line.seconds
            known.count = max(known.count, line.count)
    return sorted(found.values(), key=lambda line: -line.seconds)


def _row(case: StopSnapshot, line: TracedLine, whole: float) -> str:
    source = case.sources.read(line.file)
    quoted = f": {code(cut(source.line(line.line).strip(), _CODE))}" if source else ""
    inside = f" in {code(line.function)}" if line.function != "<module>" else ""
    times = "once" if line.count == 1 else f"{line.count:,} times, {_time(line.seconds / line.count)} each"
    spot = code(f"{shorten(line.file, case.inspection.cwd)}:{line.line}")
    return f"- {line.seconds / whole:.0%} {spot}{inside}{quoted}, ran {times}"


def _time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.3g} ms" if seconds >= 0.001 else f"{seconds * 1e6:.{0 if seconds >= 1e-5 else 1}f} µs"
