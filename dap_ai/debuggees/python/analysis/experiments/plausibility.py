"""Finds why a pass may prove nothing: with the fix, lines no longer run, or functions return nothing useful."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.case.value_texts import MISSING, literal_in
from dap_ai.agent.report.source_edits import SourceEdit, text_after
from dap_ai.agent.source.source_file import FunctionNode, ScopeNode, SourceFile
from dap_ai.agent.source.statements import body_fields
from dap_ai.debuggees.python.analysis.record.check_runs import Control
from dap_ai.debuggees.python.analysis.record.data_changes import changes_data, shifted
from dap_ai.debuggees.python.analysis.record.failure_check import failure_of
from dap_ai.debuggees.python.analysis.syntax.nodes import lines_of, set_in
from dap_ai.protocol.contracts.snapshot_messages import RunTrace, SnapshotResult
from dap_ai.system.texts import code

_OFTEN = 3
"""Minimum number of equal results that counts as a pattern."""
_Line = tuple[str, int]


def doubt_of(case: StopSnapshot, before: Control, after: SnapshotResult, edit: SourceEdit) -> str:
    """Return a clause such as: line 14 no longer runs. Return an empty string if nothing casts doubt on the fix.

    Lines that stop running are no reason for doubt if other lines of their function run more often instead.
    """
    if data := changes_data([edit]):
        return data
    if before.check.fresh and _has_crashed(case) and (data := shifted([edit])):
        return data
    if dropped := _dropped(edit):
        return f"{code(dropped)} is removed"
    if repeated := _repeated(edit):
        return repeated
    if wasted := _wasted(edit):
        return f"what {code(wasted)} is set to is no longer used"
    if after.trace is None or after.trace.truncated:
        return ""
    now = _counts(after.trace, edit)
    lost = [key for key in before.counts if not now.get(key) and not _is_in(key, edit)]
    more = {key for key, count in now.items() if count > before.counts.get(key, 0) and not _is_in(key, edit)}
    more -= set(_beyond(case.places))
    for path, lines in _by_scope(case, lost, set(now), more):
        failed = case.places[0].frame
        if path == failed.path and failed.line in lines:
            return f"line {failed.line}, which failed, is no longer reached"
        return f"line {lines[0]} no longer runs"
    return _useless(_results(before.trace), _results(after.trace)) or _other_types(before.trace, after.trace)


def _has_crashed(case: StopSnapshot) -> bool:
    """Whether an operation failed, and not an `assert` or `raise`: then nothing shows which value is right."""
    failure = failure_of(case)
    return failure is not None and not failure.is_demand


def _results(trace: RunTrace) -> dict[str, list[object]]:
    """Map each function to its results in order, as values if they are literals, else as text."""
    found: dict[str, list[object]] = defaultdict(list)
    for call in trace.calls:
        if call.result and not call.raised:
            value = literal_in(call.result)
            found[call.function].append(call.result if value is MISSING else value)
    return found


def _useless(before: dict[str, list[object]], after: dict[str, list[object]]) -> str:
    """Return a clause on a function whose results became useless; an empty string if there is no such function."""
    for name, old in before.items():
        new = after.get(name, [])
        if new and all(isinstance(v, bool) for v in new) and not any(isinstance(v, bool) for v in old):
            return f"{code(name)} returns only `True` or `False`"
        if _signs(old) == {1} and _signs(new) == {-1}:
            return f"{code(name)} returns negative numbers"
        if len(set(map(repr, old))) > 1 and len(new) >= _OFTEN and len(set(map(repr, new))) == 1:
            return f"{code(name)} returns {code(repr(new[0]))} each time"
    return ""


def _other_types(before: RunTrace, after: RunTrace) -> str:
    """Return a clause on a function that now returns another type in place of a right result; empty if there is none.

    The last outermost call that returned is considered to have a wrong result; all results before it are right.
    """
    returned = [call for call in before.calls if not call.raised]
    outermost = min((call.depth for call in returned), default=0)
    last = max((n for n, call in enumerate(before.calls) if call.depth == outermost and call in returned), default=0)
    for was, now in zip(before.calls[:last], after.calls, strict=False):
        if was.function != now.function:
            return ""
        kinds = _kind(was.result), _kind(now.result)
        if all(kinds) and kinds[0] != kinds[1]:
            return f"{code(was.function)} returns {code(kinds[1])} instead of {code(kinds[0])} for an earlier call"
    return ""


def _kind(result: str) -> str:
    """Return the type name of a literal, "number" for all numbers; an empty string for None and other texts."""
    value = literal_in(result)
    kind = "number" if type(value) in (int, float) else type(value).__name__
    return "" if value is None or value is MISSING else kind


def _signs(values: list[object]) -> set[int]:
    """Return the signs, 1 and -1, of the nonzero numbers; empty if a value is not a number."""
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return {1 if n > 0 else -1 for n in numbers if n} if len(numbers) == len(values) else set()


def _dropped(edit: SourceEdit) -> str:
    """Return the call or `+=` that the edit removes without replacement; empty if the edit removes neither."""
    statement = edit.source.statement_at(edit.first)
    gone = edit.first == edit.last and all(line.strip() in ("", "pass") for line in edit.lines)
    return ast.unparse(statement) if gone and isinstance(statement, ast.Expr | ast.AugAssign) else ""


def _repeated(edit: SourceEdit) -> str:
    """Return a clause if the edit duplicates a neighbouring line or makes two functions equal; else an empty string."""
    source, new = edit.source, [line.strip() for line in edit.lines if line.strip()]
    beside = next((n for n in (edit.first - 1, edit.last + 1) if new and [source.line(n).strip()] == new), 0)
    if beside:
        return f"line {edit.first} only repeats line {beside}"
    changed = _changed(edit)
    if changed is None:
        return ""
    others = (f for f in source.functions if f.name != changed.name)  # same-named functions belong to other classes
    twin = next((f for f in others if _does(f) == _does(changed)), None)
    return f"{code(changed.name)} does the same as {code(twin.name)}" if twin else ""


def _changed(edit: SourceEdit) -> FunctionNode | None:
    """Return the function that contains the edit, parsed after the edit; None outside functions."""
    if edit.source.function_at(edit.first) is None:
        return None
    return SourceFile(edit.source.path, text_after(edit.source, [edit])).function_at(edit.first)


def _wasted(edit: SourceEdit) -> str:
    """Return a variable that the edited function sets or fills but no longer reads; empty if there is none."""
    old, new = edit.source.function_at(edit.first), _changed(edit)
    if old is None or new is None:
        return ""
    made, read = _made_and_read(new)
    return min((name for name in made - read if name in _made_and_read(old)[1]), default="")


def _made_and_read(function: FunctionNode) -> tuple[set[str], set[str]]:
    """Return the variables that a function sets, and the variables that it uses for more than storing items."""
    calls = [n.value for n in ast.walk(function) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
    holders = [c.func.value for c in calls if isinstance(c.func, ast.Attribute)]
    holders += [n.value for n in ast.walk(function) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    loads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return {*set_in(function)}, {n.id for n in loads if all(n is not h for h in holders)}


def _does(function: FunctionNode) -> str:
    return "\n".join(ast.dump(part) for part in (function.args, *function.body))


def _counts(trace: RunTrace, edit: SourceEdit) -> dict[_Line, int]:
    """Map each line, numbered as before the edit, to how often it ran; the edit's own lines are omitted."""
    counts: dict[_Line, int] = {}
    for traced in trace.lines:
        line = traced.line
        if traced.file == edit.source.path and line >= edit.first:
            line = max(edit.first, line - edit.growth) if line > edit.last + edit.growth else edit.first
        if not _is_in((traced.file, line), edit):
            counts[traced.file, line] = counts.get((traced.file, line), 0) + traced.count
    return counts


def _is_in(key: _Line, edit: SourceEdit) -> bool:
    return key[0] == edit.source.path and edit.first <= key[1] <= edit.last


def _beyond(places: Sequence[FramePlace]) -> Iterator[_Line]:
    """Yield the lines after the frames' current lines, which run now because nothing fails any more."""
    for place in places:
        for statement in _after(place.scope, place.frame.line) if place.scope else ():
            yield from ((place.frame.path, line) for line in lines_of(statement))


def _after(holder: ast.AST, line: int) -> Iterator[ast.stmt]:
    """Yield the statements that follow a line in its own block and in the enclosing blocks."""
    for block in body_fields(holder):
        for index, statement in enumerate(block):
            if line in lines_of(statement):
                yield from block[index + 1 :]
                yield from _after(statement, line)


def _by_scope(
    case: StopSnapshot, lost: list[_Line], now: set[_Line], more: set[_Line]
) -> Iterator[tuple[str, list[int]]]:
    """Yield the lines that each function no longer runs, if it still runs and runs no other lines more often."""
    found: dict[tuple[str, ScopeNode | None], list[int]] = defaultdict(list)
    for path, line in lost:
        source = case.sources.read(path)
        if source:
            found[path, source.scope_at(line)].append(line)
    for (path, scope), lines in found.items():
        source = case.sources.read(path)
        if source and _ran(source, scope, now) and not _ran(source, scope, more):
            yield path, sorted(lines)


def _ran(source: SourceFile, scope: ScopeNode | None, lines: set[_Line]) -> bool:
    return any(path == source.path and source.scope_at(line) is scope for path, line in lines)
