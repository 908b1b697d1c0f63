"""Checks: what of the program can be run again in a copy to see its failure again, from narrow to wide."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.case.stack import Case, Place
from dap_ai.agent.report.edits import shorten
from dap_ai.agent.source.source import SourceFile
from dap_ai.agent.source.statements import bindings, body_fields, last_line, mutations, root_name
from dap_ai.debuggees.python.analysis.record.check import BUILTINS, Check
from dap_ai.debuggees.python.analysis.record.enclosing import enclosing

MAX_CHECKS = 6

_LEAVES_LOOP = ast.Break | ast.Continue
_SUSPENDS = ast.Yield | ast.YieldFrom


def checks_of(case: Case) -> list[Check]:
    """The checks that may show the failure again, narrow before wide, the program's whole run last; at most six."""
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


def _in_frame(case: Case, place: Place) -> Iterator[Check]:
    """The statement the frame stands at; then from what makes its values, in its block and in the blocks around."""
    source, scope, statement = place.source, place.scope, place.statement
    if source is None or scope is None or statement is None or (place.facts and place.facts.cleaned):
        return  # cleanup has run there: its statements would run with other values
    seen: set[int] = set()
    for block, index in _blocks_around(scope, statement):
        start = _values_begin(block, index)
        for first, last in ((block[index], block[index]), (block[start], block[index])):
            key = first.lineno
            if isinstance(first, ast.Raise) and first is last:
                continue  # it fails whatever is edited
            if key in seen or not _can_run_alone(source, block[block.index(first) : index + 1]):
                continue
            seen.add(key)
            yield Check(place, source, first.lineno, last_line(last), _words(case, place, first.lineno, statement))


def _blocks_around(scope: ast.AST, statement: ast.stmt) -> list[tuple[list[ast.stmt], int]]:
    """The statement lists that hold the statement, its own first, each with the index of what holds it."""
    found: list[tuple[list[ast.stmt], int]] = []
    holder: ast.AST = scope
    while holder is not statement:
        for block in body_fields(holder):
            index = next((n for n, s in enumerate(block) if s.lineno <= statement.lineno <= last_line(s)), None)
            if index is not None:
                found.append((block, index))
                holder = block[index]
                break
        else:
            break
    found.reverse()
    return [*found[:1], *found[1:][-1:]]


def _values_begin(block: list[ast.stmt], index: int) -> int:
    """The index from which on every value that is used has been made in this block, as far as it is made here."""
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
    names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return names - BUILTINS


def _made(statement: ast.stmt) -> set[str]:
    """Names that the statement binds, or whose objects it may change."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
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
        return False  # it begins in the middle of a line
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, _SUSPENDS):
                return False
        if any(True for _ in _leaving(statement)):
            return False
    return True


def _leaving(statement: ast.stmt) -> Iterator[ast.stmt]:
    """`break` and `continue` of a loop that is not part of the statement."""
    if isinstance(statement, _LEAVES_LOOP):
        yield statement
    if isinstance(
        statement, ast.For | ast.AsyncFor | ast.While | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    ):
        return
    for block in body_fields(statement):
        for inner in block:
            yield from _leaving(inner)


def _words(case: Case, place: Place, first: int, statement: ast.stmt) -> str:
    name = shorten(place.frame.path, case.inspection.cwd)
    inside = f" in `{place.frame.name}`" if place.function else ""
    innermost = place is case.places[0]
    if first == statement.lineno:
        return f"the failing statement `{name}:{first}`" if innermost else f"the call at `{name}:{first}`{inside}"
    return f"the run of `{name}` lines {first} to {last_line(statement)}{inside}"
