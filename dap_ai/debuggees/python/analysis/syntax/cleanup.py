"""Finds the lines that run after an exception: `finally` and `except` blocks, `with` exits, a test's tear-down."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import last_line, nodes_in
from dap_ai.debuggees.python.analysis.syntax.nodes import LOOPS, called_name, is_within, lines_of

_TEARS_DOWN = frozenset({
    "tearDown", "asyncTearDown", "tearDownClass", "tearDownModule", "teardown", "teardown_method", "teardown_function",
    "teardown_class", "teardown_module",
})  # fmt: skip
_EXITS = frozenset({"__exit__", "__aexit__"})


class Cleanup:
    """The code that cleans up after one failure. Such code may also have run before, in a loop or in another call."""

    def __init__(self, case: StopSnapshot) -> None:
        self._places = case.places if case.exception else []
        self._spots: set[tuple[str, int]] | None = None

    def holds(self, path: str, line: int) -> bool:
        """Whether the line is cleanup code, which first runs after the failure."""
        if self._spots is None:
            self._spots = {(path, line) for path, block in self._blocks() for s in block for line in lines_of(s)}
        return (path, line) in self._spots

    def _blocks(self) -> Iterator[tuple[str, Sequence[ast.stmt]]]:
        sources = {p.source.path: p.source for p in self._places if p.source and p.source.tree}
        in_loop = False
        for place in self._places:
            in_loop = in_loop or any(isinstance(node, LOOPS) for node in _enclosing(place))
            if in_loop:
                break
            for node in _enclosing(place):
                yield from ((place.frame.path, block) for block in _after(node, place.frame.line))
                for item in node.items if isinstance(node, ast.With | ast.AsyncWith) else ():
                    yield from _of_manager(item.context_expr, sources.values())
        stands = {p.function for p in self._places}
        for source in sources.values():
            for function in source.functions:
                if function not in stands and function.name in _TEARS_DOWN:
                    yield source.path, function.body
                elif function not in stands and any("fixture" in ast.unparse(d) for d in function.decorator_list):
                    yield source.path, list(_after_yield(function.body))


def _enclosing(place: FramePlace) -> list[ast.stmt]:
    """Return the statements of the frame's function that contain its line, outermost first."""
    scope, line = place.scope, place.frame.line
    inside = (n for n in ast.walk(scope) if isinstance(n, ast.stmt)) if scope else ()
    found = [n for n in inside if n is not scope and n.lineno < line <= last_line(n)]
    return [] if any(isinstance(n, FunctionNode) for n in found) else found


def _after(node: ast.stmt, line: int) -> Iterator[Sequence[ast.stmt]]:
    """Yield the blocks of a `try` that run after the statement at this line has raised an exception."""
    if not isinstance(node, ast.Try):
        return
    if not is_within(line, node.finalbody):
        yield node.finalbody
    if is_within(line, node.body):
        yield from (handler.body for handler in node.handlers)


def _of_manager(made: ast.expr, sources: Iterable[SourceFile]) -> Iterator[tuple[str, Sequence[ast.stmt]]]:
    """Yield the code that a context manager runs on exit, found by the name of its function or class."""
    name = called_name(made) if isinstance(made, ast.Call) else ""
    for source in sources if name else ():
        for found in source.functions:
            owner = source.owners.get(found)
            if found.name == name:
                yield source.path, list(_after_yield(found.body))
            elif owner is not None and owner.name == name and found.name in _EXITS:
                yield source.path, found.body


def _after_yield(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Return the statements after a generator's only `yield`; empty if the generator has several."""
    at = [n.lineno for n in nodes_in(*body) if isinstance(n, ast.Yield)]
    return (n for n in nodes_in(*body) if len(at) == 1 and isinstance(n, ast.stmt) and n.lineno > at[0])
