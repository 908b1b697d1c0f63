"""Chooses checks: parts of a program that can be rerun in a copy to reproduce its failure, from narrow to wide."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import bindings, body_fields, last_line, mutations, root_name
from dap_ai.debuggees.python.analysis.record.enclosing import enclosing
from dap_ai.debuggees.python.analysis.record.failure_check import BUILTINS, FailureCheck
from dap_ai.debuggees.python.analysis.syntax.nodes import LOOPS, blocks_around, read_in, yields
from dap_ai.system.texts import code

MAX_CHECKS = 6


def checks_of(case: StopSnapshot) -> list[FailureCheck]:
    """Return at most six checks that may reproduce the failure, from the narrowest to the whole program."""
    whole = enclosing(case)
    inner, *outer = [list(_in_frame(case, place)) for place in case.places] or [[]]
    outer = [found for found in outer if found]
    around = [found[0] for found in outer]
    if outer and len(outer[-1]) > 1:
        around.append(outer[-1][-1])
    room = MAX_CHECKS - len(whole)
    kept = inner[: max(room // 2, room - len(around))]
    room -= len(kept)
    return [*kept, *(around if len(around) <= room else [*around[: room - 1], around[-1]]), *whole]


def _in_frame(case: StopSnapshot, place: FramePlace) -> Iterator[FailureCheck]:
    """Yield checks that run the frame's current statement alone, and checks that start where its values are made."""
    source, scope, statement = place.source, place.scope, place.statement
    if source is None or scope is None or statement is None or (place.facts and place.facts.cleaned):
        return  # cleanup ran there, so its statements would see other values
    seen: set[int] = set()
    way = blocks_around(scope, statement)
    for _, block, index in [*way[-1:], *way[:-1][:1]]:  # the innermost block, then the outermost
        start = _values_begin(block, index)
        for first, last in ((block[index], block[index]), (block[start], block[index])):
            key = first.lineno
            if isinstance(first, ast.Raise) and first is last:
                continue  # it fails whatever the edit
            if key in seen or not _can_run_alone(source, block[block.index(first) : index + 1]):
                continue
            seen.add(key)
            yield FailureCheck(
                place, source, first.lineno, last_line(last), _words(case, place, first.lineno, statement)
            )


def _values_begin(block: list[ast.stmt], index: int) -> int:
    """Return the index of the first statement in the block that makes values used by the statement at `index`."""
    start = index
    needed = _used(block[index])
    while True:
        makers = (n for n in range(start) if needed & _made(block[n]))
        first = next(makers, None)
        if first is None:
            return start
        for statement in block[first:start]:
            needed |= _used(statement)
        start = first


def _used(statement: ast.stmt) -> set[str]:
    return {*read_in(statement)} - BUILTINS


def _made(statement: ast.stmt) -> set[str]:
    """Return the names that the statement binds, and the names of objects that it may change."""
    if isinstance(statement, FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom):
        return set()
    made: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.stmt):
            made |= set(bindings(node)) | {root for root, _, _ in mutations(node)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            held = [call.func.value] if isinstance(call.func, ast.Attribute) else []
            made |= {root for part in [*held, *call.args] if (root := root_name(part))}
    return made


def _can_run_alone(source: SourceFile, statements: list[ast.stmt]) -> bool:
    first = statements[0]
    if source.line(first.lineno).encode()[: first.col_offset].strip():
        return False  # it starts in the middle of a line
    return not yields(*statements) and not any(map(_leaves_loop, statements))


def _leaves_loop(statement: ast.stmt) -> bool:
    """Whether the statement has a `break` or `continue` that affects a loop outside the statement."""
    if isinstance(statement, LOOPS | FunctionNode | ast.ClassDef):
        return False
    inner = (each for block in body_fields(statement) for each in block)
    return isinstance(statement, ast.Break | ast.Continue) or any(map(_leaves_loop, inner))


def _words(case: StopSnapshot, place: FramePlace, first: int, statement: ast.stmt) -> str:
    name = shorten(place.frame.path, case.inspection.cwd)
    inside = f" in {code(place.frame.name)}" if place.function else ""
    innermost = place is case.places[0]
    if first == statement.lineno:
        return (
            f"the failing statement {code(f'{name}:{first}')}"
            if innermost
            else f"the call at {code(f'{name}:{first}')}{inside}"
        )
    return f"the run of {code(name)} lines {first} to {last_line(statement)}{inside}"
