"""How often statements ran, from the line events of a recorded run.

A statement of several lines has an event for each move between its lines, the header of a loop one for each round, a
`with` one more at its end. A run of a statement begins where an event comes from outside of it; an offset of the code
at which that has been seen begins it each time. `while` runs as often as its condition is evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.syntax.nodes import LOOPS, header_lines
from dap_ai.protocol.contracts.snapshot_messages import FollowedValue, RunTrace, TracedLine

_APART = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""Code that stands within a statement, and does not run when that does."""


def executions(rows: Iterable[TracedLine], source: SourceFile, statement: ast.stmt) -> int:
    """How often a statement ran."""
    lines = header_lines(statement)
    own = [row for row in rows if row.line in lines and row.file == source.path and not _is_apart(row)]
    return sum(_begun(codes, _whole(statement, lines)) for codes in _by_code(own))


def executions_at(trace: RunTrace, source: SourceFile | None, row: TracedLine) -> int:
    """How often the statement ran that a line belongs to; of a file that is not known, how often the line did."""
    statement = source.statement_at(row.line) if source else None
    if source is None or statement is None or _is_apart(row):
        return row.count
    return executions(trace.lines, source, statement)


def round_of(moment: FollowedValue, source: SourceFile | None) -> int:
    """How many times the statement of a moment, or the header of its loop, had begun in its call; 1 if not known."""
    statement = source.statement_at(moment.line) if source else None
    if statement is None or not moment.entries:
        return 1
    lines = header_lines(statement)
    return max(1, _begun([moment.entries], lines if isinstance(statement, LOOPS) else _whole(statement, lines)))


def line_counts(trace: RunTrace) -> dict[tuple[str, int], int]:
    """The line events of each line, those of functions and comprehensions that stand in it included."""
    counts: dict[tuple[str, int], int] = {}
    for row in trace.lines:
        counts[row.file, row.line] = counts.get((row.file, row.line), 0) + row.count
    return counts


def _begun(entries: Sequence[Sequence[int]], inside: range) -> int:
    moves = [tuple(each[at : at + 3]) for each in entries for at in range(0, len(each), 3)]
    starts = {offset for offset, after, _ in moves if after not in inside}
    return sum(count for offset, _, count in moves if offset in starts)


def _by_code(rows: Sequence[TracedLine]) -> list[list[list[int]]]:
    """The entries of the lines of each function: offsets of one say nothing of another's."""
    functions = dict.fromkeys(row.function for row in rows)
    return [[r.entries or [0, -1, r.count] for r in rows if r.function == function] for function in functions]


def _whole(statement: ast.stmt, lines: range) -> range:
    """What an event comes from that does not begin the statement."""
    return lines if isinstance(statement, ast.While) else range(lines.start, last_line(statement) + 1)


def _is_apart(row: TracedLine) -> bool:
    return row.function.rpartition(".")[2] in _APART
