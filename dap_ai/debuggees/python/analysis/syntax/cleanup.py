"""Which lines run after an exception has been raised: of `finally`, `except`, `with`, and of a test's tear-down."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from dap_ai.agent.case.stack import Case, Place
from dap_ai.agent.source.source import FunctionNode, SourceFile
from dap_ai.agent.source.statements import last_line

_TEARS_DOWN = frozenset({
    "tearDown", "asyncTearDown", "tearDownClass", "tearDownModule", "teardown", "teardown_method", "teardown_function",
    "teardown_class", "teardown_module",
})  # fmt: skip
_EXITS = frozenset({"__exit__", "__aexit__"})
_LOOPS = ast.For | ast.AsyncFor | ast.While


class Cleanup:
    """Of one failure. What a loop brings round again, or what is called more than once, has run before, too."""

    def __init__(self, case: Case) -> None:
        self._places = case.places if case.exception else []
        self._spots: set[tuple[str, int]] | None = None

    def holds(self, path: str, line: int) -> bool:
        """Whether the line's first run was after the failure, as far as the source tells."""
        if self._spots is None:
            self._spots = {(path, line) for path, block in self._blocks() for line in _lines(block)}
        return (path, line) in self._spots

    def _blocks(self) -> Iterator[tuple[str, Sequence[ast.stmt]]]:
        sources = {p.source.path: p.source for p in self._places if p.source and p.source.tree}
        in_loop = False
        for place in self._places:
            in_loop = in_loop or any(isinstance(node, _LOOPS) for node in _enclosing(place))
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


def _enclosing(place: Place) -> list[ast.stmt]:
    """The statements of the frame's function that hold its line, outermost first."""
    scope, line = place.scope, place.frame.line
    inside = (n for n in ast.walk(scope) if isinstance(n, ast.stmt)) if scope else ()
    found = [n for n in inside if n is not scope and n.lineno < line <= last_line(n)]
    return [] if any(isinstance(n, FunctionNode) for n in found) else found


def _after(node: ast.stmt, line: int) -> Iterator[Sequence[ast.stmt]]:
    """The blocks of a `try` that run once its statement at this line has raised."""
    if not isinstance(node, ast.Try):
        return
    if not _holds(node.finalbody, line):
        yield node.finalbody
    if _holds(node.body, line):
        yield from (handler.body for handler in node.handlers)


def _holds(block: Sequence[ast.stmt], line: int) -> bool:
    return bool(block) and block[0].lineno <= line <= last_line(block[-1])


def _of_manager(made: ast.expr, sources: Iterable[SourceFile]) -> Iterator[tuple[str, Sequence[ast.stmt]]]:
    """What a context manager runs when it is left, where its function or class is called by its plain name."""
    function = made.func if isinstance(made, ast.Call) else None
    name = getattr(function, "attr", "") or getattr(function, "id", "")
    for source in sources if name else ():
        for found in source.functions:
            owner = source.owners.get(found)
            if found.name == name:
                yield source.path, list(_after_yield(found.body))
            elif owner is not None and owner.name == name and found.name in _EXITS:
                yield source.path, found.body


def _after_yield(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a generator behind its only `yield`; none where it has several."""
    at = [n.lineno for s in body for n in ast.walk(s) if isinstance(n, ast.Yield)]
    if len(at) == 1:
        for statement in body:
            yield from (n for n in ast.walk(statement) if isinstance(n, ast.stmt) and n.lineno > at[0])


def _lines(block: Iterable[ast.stmt]) -> Iterator[int]:
    for statement in block:
        yield from range(statement.lineno, last_line(statement) + 1)
