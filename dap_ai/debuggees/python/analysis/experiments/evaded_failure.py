"""Detects fixes that only stop the failed operation from running, so that a pass proves nothing.

A trap replaces the failed operation and ends the run. If the run with the trap succeeds, the operation did not run.
This detects every way to skip the operation: a filter that drops everything, a loop without iterations, an `and`
whose first part is false.
"""

from __future__ import annotations

import ast

from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.source_edits import SourceEdit, lines_after, moved, text_after
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.source.statements import header_nodes, last_line
from dap_ai.debuggees.python.analysis.failure.failure_evidence import failing_expression
from dap_ai.debuggees.python.analysis.record.check_runs import CheckRuns, Control
from dap_ai.debuggees.python.analysis.record.failure_check import Failure
from dap_ai.debuggees.python.analysis.record.impact import gives_otherwise
from dap_ai.debuggees.python.analysis.syntax.nodes import parsed
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, SnapshotResult
from dap_ai.system.texts import code

_TRAP = b"(_ for _ in ()).throw(KeyboardInterrupt)"
"""An expression that ends the run, and that `except Exception` does not catch."""


async def evaded(runs: CheckRuns, control: Control, edit: SourceEdit, after: SnapshotResult) -> str:
    """Return a clause such as: `float(text)` does not run any more. Return an empty string if the operation runs.

    Also returns a clause if the edit changes the failing statement and a function's earlier results. `after`: the run
    with the edit. Raises NotStopped.
    """
    failure = runs.failure
    if failure is None or failure.is_demand:
        return ""
    if gone := _left_out(failure, edit):
        return f"{code(cut(gone, 60))} is left out"
    broken = failing_expression(failure.place)
    if broken is None:
        return ""
    text = ast.unparse(broken)
    trapped = with_trap(edit, failure, text)
    if not trapped:
        return ""
    if (await runs.attempt(trapped, control)).passes:
        return f"{code(cut(text, 60))}, which failed, does not run any more"
    other = gives_otherwise(control.trace, after.trace or RunTrace()) if failure.holds(edit) else ""
    return f"{code(other)} gives something else for earlier arguments" if other else ""


def _left_out(failure: Failure, edit: SourceEdit) -> str:
    """Return the operand that an edit removes from the failing statement; an empty string if it removes no operand."""
    source, old = failure.place.source, failure.statement
    if source is None or not failure.holds(edit):
        return ""
    new = SourceFile("", text_after(source, [edit])).statement_at(edit.first)
    if new is None:
        return ""
    now, whole = ast.unparse(new), ast.unparse(old)
    for node in (n for n in header_nodes(old) if isinstance(n, ast.BinOp)):
        for kept, gone in ((node.left, node.right), (node.right, node.left)):
            if _as_written(whole.replace(ast.unparse(node), ast.unparse(kept), 1)) == now:
                return ast.unparse(gone)
    return ""


def _as_written(text: str) -> str:
    """Return the code without redundant parentheses, or unchanged if the code does not parse."""
    tree = parsed(text)
    return ast.unparse(tree) if tree else text


def with_trap(edit: SourceEdit, failure: Failure, text: str) -> list[SourceEdit]:
    """Return the edit with traps, which end the run, in place of an expression in the failing statement; or empty."""
    source, statement = failure.place.source, failure.statement
    if source is None:
        return []
    own = [edit] if edit.source is source else []
    rows = lines_after(source, own)
    is_in = bool(own) and edit.first <= statement.lineno <= edit.last
    if not _set_trap(rows, edit.first if is_in else moved(source.path, statement.lineno, own), text):
        return []
    first = min([statement.lineno, *(each.first for each in own)])
    last = max([last_line(statement), *(each.last for each in own)])
    trapped = SourceEdit(source, first, last, rows[first - 1 : last + sum(each.growth for each in own)])
    return [trapped] if own else [edit, trapped]


def _set_trap(rows: list[str], line: int, text: str) -> bool:
    """Replace an expression in the statement at a line by traps, which end the run. Return False if impossible."""
    statement = SourceFile("", "\n".join(rows)).statement_at(line)
    nodes = header_nodes(statement) if statement else ()
    found = [n for n in nodes if isinstance(n, ast.expr) and ast.unparse(n) == text]
    if not found or any(node.end_lineno != node.lineno for node in found):
        return False
    for node in sorted(found, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        row = rows[node.lineno - 1].encode()
        rows[node.lineno - 1] = (row[: node.col_offset] + _TRAP + row[node.end_col_offset :]).decode()
    return True
