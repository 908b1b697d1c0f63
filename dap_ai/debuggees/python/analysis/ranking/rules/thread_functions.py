"""Functions that certainly ran in a thread other than the main thread."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.source.indexing import FunctionNode
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, calls_in

_STARTERS = ("Thread", "Timer", "submit", "map", "run_in_executor", "to_thread", "start_new_thread")
_POOLED = ("submit", "map")
_DEPTH = 4


def run_by_threads(case: StopSnapshot) -> set[str]:
    """Return the names of functions on another thread's stack, or passed to a thread by a statement that has run."""
    sources = {place.source.path: place.source for place in case.places if place.source}
    found = {frame.name for thread in case.inspection.threads if not thread.current for frame in thread.frames}
    for place in case.places:
        scope = place.scope
        if place.source and isinstance(scope, FunctionNode | ast.Module):
            done = (s for s in _always(scope.body) if (s.end_lineno or s.lineno) < place.frame.line)
            found |= _given(done, list(sources.values()), _DEPTH)
    return _reached(found, list(sources.values()))


def _given(statements: Iterator[ast.stmt], sources: Sequence[SourceFile], depth: int) -> set[str]:
    """Return the functions that these statements, and the functions they call, pass to threads."""
    found: set[str] = set()
    for statement in statements:
        for call in calls_in(statement):
            name = called_name(call)
            if name in _STARTERS and (name not in _POOLED or isinstance(call.func, ast.Attribute)):
                given = [*call.args, *(k.value for k in call.keywords if k.arg in ("target", "function"))]
                found |= {getattr(each, "id", getattr(each, "attr", "")) for each in given} - {""}
            elif depth:
                for function in _functions(name, sources):
                    found |= _given(_always(function.body), sources, depth - 1)
    return found


def _reached(names: set[str], sources: Sequence[SourceFile]) -> set[str]:
    """Return the names of these functions and of all functions that they call, directly or indirectly."""
    found, left = set[str](), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [called_name(call) for function in _functions(name, sources) for call in calls_in(function)]
    return found


def _always(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the simple statements of a block that no condition controls."""
    for statement in block:
        if isinstance(statement, ast.For | ast.With | ast.AsyncWith | ast.Try):
            yield from _always(statement.body)
        elif not isinstance(statement, FunctionNode | ast.ClassDef | ast.If | ast.While | ast.Match):
            yield statement


def _functions(name: str, sources: Sequence[SourceFile]) -> Iterator[FunctionNode]:
    return (function for source in sources for function in source.functions if function.name == name)
