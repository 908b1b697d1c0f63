"""Counts how often statements ran, from the line events of a recorded run.

A multi-line statement has an event for each move between its lines, a loop's header has one event per iteration, and
a `with` has one more event at its end. So a run of a statement starts only at an event that follows an event outside
the statement. A code offset that has started a run once starts a run each time. For a `while`, evaluations of its
condition count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.syntax.nodes import LOOPS, header_lines
from dap_ai.protocol.contracts.snapshot_messages import FollowedValue, RunTrace, TracedLine

_APART = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Function names of code that is inside a statement but does not run when the statement runs."""


def executions(rows: Iterable[TracedLine], source: SourceFile, statement: ast.stmt) -> int:
    """Return how often a statement ran."""
    lines = header_lines(statement)
    own = [row for row in rows if row.line in lines and row.file == source.path and not _is_apart(row)]
    return sum(_begun(codes, _whole(statement, lines)) for codes in _by_code(own))


def executions_at(trace: RunTrace, source: SourceFile | None, row: TracedLine) -> int:
    """Return how often the line's statement ran; for an unknown file, how often the line itself ran."""
    statement = source.statement_at(row.line) if source else None
    if source is None or statement is None or _is_apart(row):
        return row.count
    return executions(trace.lines, source, statement)


def round_of(moment: FollowedValue, source: SourceFile | None) -> int:
    """Return how often the statement of a recorded moment had started in its function call by then; 1 if unknown."""
    statement = source.statement_at(moment.line) if source else None
    if statement is None or not moment.entries:
        return 1
    lines = header_lines(statement)
    return max(1, _begun([moment.entries], lines if isinstance(statement, LOOPS) else _whole(statement, lines)))


def line_counts(trace: RunTrace) -> dict[tuple[str, int], int]:
    """Map (file, line) to the number of line events, including events of lambdas and comprehensions on the line."""
    counts: dict[tuple[str, int], int] = {}
    for row in trace.lines:
        counts[row.file, row.line] = counts.get((row.file, row.line), 0) + row.count
    return counts


def _begun(entries: Sequence[Sequence[int]], inside: range) -> int:
    moves = [tuple(each[at : at + 3]) for each in entries for at in range(0, len(each), 3)]
    starts = {offset for offset, after, _ in moves if after not in inside}
    return sum(count for offset, _, count in moves if offset in starts)


def _by_code(rows: Sequence[TracedLine]) -> list[list[list[int]]]:
    """Group the entries of lines by function, since code offsets are not comparable between functions."""
    functions = dict.fromkeys(row.function for row in rows)
    return [[r.entries or [0, -1, r.count] for r in rows if r.function == function] for function in functions]


def _whole(statement: ast.stmt, lines: range) -> range:
    """Return the range of lines within which a move does not start a new run of the statement."""
    return lines if isinstance(statement, ast.While) else range(lines.start, last_line(statement) + 1)


def _is_apart(row: TracedLine) -> bool:
    return row.function.rpartition(".")[2] in _APART
