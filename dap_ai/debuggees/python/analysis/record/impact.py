"""Measures how much correct behaviour a fix changes: the right fix seldom changes results that were not wrong."""

from __future__ import annotations

from collections.abc import Iterable

from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.debuggees.python.analysis.record.same_failure import plain
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, SnapshotResult, TracedCall


def change(before: SnapshotResult, after: SnapshotResult, edit: SourceEdit) -> float:
    """Return how much of the earlier run an edit changes, 0..1: the largest share among output, results and lines."""
    shares = [_printed(before.printed, after.printed)]
    if before.trace and after.trace:
        shares += [
            _results(before.trace, after.trace),
            _lines(before.trace, after.trace, edit),
            _less(before.trace, after.trace),
        ]
    return max(shares)


def differ(one: SnapshotResult | None, other: SnapshotResult | None) -> bool:
    """Whether two runs printed, returned or stored different values."""
    if one is None or other is None or one.trace is None or other.trace is None:
        return False
    return one.printed != other.printed or _values(one.trace) != _values(other.trace)


def _values(trace: RunTrace) -> list[object]:
    calls = [plain(call.result) for call in trace.calls]
    return [*calls, *([plain(text) for text in c.texts] for line in trace.lines for c in line.changes)]


def gives_otherwise(before: RunTrace, after: RunTrace) -> str:
    """Return the name of a function that now returns another result for the same arguments, or an empty string."""
    now = _by_call(after.calls)
    changed = (key for key, was in _by_call(before.calls).items() if key in now and plain(now[key]) != plain(was))
    return next((function for function, *_ in changed), "")


def _printed(before: str, after: str) -> float:
    old, new = before.splitlines(), after.splitlines()
    changed = sum(a != b for a, b in zip(old, new, strict=False)) + max(0, len(old) - len(new))
    return changed / len(old) if old else 0.0


def _results(before: RunTrace, after: RunTrace) -> float:
    """Return the share of calls with the same arguments in both runs that now return another result."""
    old, new = _by_call(before.calls), _by_call(after.calls)
    both = [key for key in old if key in new]
    return sum(old[key] != new[key] for key in both) / len(both) if both else 0.0


def _by_call(calls: Iterable[TracedCall]) -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for call in calls:
        if call.result and not call.raised:
            found.setdefault((call.function, *call.arguments), call.result)
    return found


def _lines(before: RunTrace, after: RunTrace, edit: SourceEdit) -> float:
    """Return 4 times the share of lines above the edit or in other files that no longer run, at most 1."""
    old = {(t.file, t.line) for t in before.lines if t.file != edit.source.path or t.line < edit.first}
    now = {(t.file, t.line) for t in after.lines}
    return 0.0 if after.truncated or not old else min(1.0, 4 * len(old - now) / len(old))


def _less(before: RunTrace, after: RunTrace) -> float:
    """Return by what share the edited run has fewer events than the failed run, which ended early."""
    return 0.0 if after.truncated or not before.events else max(0.0, 1 - after.events / before.events)
