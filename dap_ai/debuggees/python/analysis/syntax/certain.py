"""Which statements are certain to have run when the program stopped, by its frames and its source alone.

Where a frame is at a line, the statements before it in its block and in the blocks around it have run. Calls are
followed where it is certain which function they ran. Whether a branch or a loop's body ran is not certain.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dap_ai.agent.case.stack import Case, Place
from dap_ai.agent.source.indexing import once_per_node
from dap_ai.agent.source.source import FunctionNode, SourceFile
from dap_ai.agent.source.statements import bindings, header_nodes, last_line
from dap_ai.debuggees.python.analysis.syntax.definitions import Scope, called_name
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver
from dap_ai.debuggees.python.analysis.syntax.statements_run import (
    LEAVES_FUNCTION,
    LEAVES_ROUND,
    Run,
    all_of,
    calls_in,
    calls_of,
    in_full,
    until,
)

Spot = tuple[str, int]

_MAX_SCOPES, _LONGEST_NAME = 200, 200
_YIELDS = ast.Yield | ast.YieldFrom


class Certain:
    """The statements that are certain to have run at one stop."""

    def __init__(self, case: Case, resolver: Resolver, is_late: Callable[[str, int], bool]) -> None:
        """`is_late(path, line)`: whether a line is known to run only after the stop."""
        self._case = case
        self._is_late = is_late
        self._resolver = resolver
        self._statements: set[Spot] | None = None
        self._possible: set[Spot] = set()
        self._entered: set[Spot] = set()
        self._loaded: set[str] = set()
        self._scopes: list[Scope] = []
        """The functions and modules that have run, with their frames."""
        self._todo: deque[tuple[Scope, list[Run]]] = deque()

    def had_run(self, path: str, line: int) -> bool:
        """Whether the statement of a line has run."""
        source = self._case.sources.read(path)
        statement = source.statement_at(line) if source else None
        return (path, statement.lineno if statement else line) in self._found()

    def may_have_run(self, path: str, line: int) -> bool:
        """Whether the line's function was called; or may have been, and the line runs in every call of it."""
        self._found()
        source = self._case.sources.read(path)
        statement = source.statement_at(line) if source else None
        function = source.function_at(line) if source else None
        was_called = function is not None and (path, function.lineno) in self._entered
        return was_called or (path, statement.lineno if statement else line) in self._possible

    def _found(self) -> set[Spot]:
        if self._statements is None:
            self._statements = set()
            for place in self._case.places:
                self._stand(place)
            while self._todo and len(self._entered) < _MAX_SCOPES:
                self._follow(*self._todo.popleft())
            self._look_further()
        return self._statements

    def _look_further(self) -> None:
        """Finds functions that those which ran may have called: any that they name, since a callback may run later."""
        todo, known = deque(self._scopes), set(self._entered)
        named = _by_name(self._resolver.files())
        while todo and len(known) < _MAX_SCOPES:
            scope = todo.popleft()
            early = (s for s in scope.statements() if not self._is_late(scope.source.path, s.lineno))
            mentioned = {name for s in early for n in header_nodes(s) if (name := _mentioned(n))}
            for source, node in (each for name in mentioned for each in named.get(name, ())):
                if (source.path, node.lineno) not in known:
                    known.add((source.path, node.lineno))
                    todo.append(Scope(source, node))
                    runs = in_full(node.body, LEAVES_FUNCTION)
                    self._possible |= {(source.path, run.statement.lineno) for run in runs}

    def _stand(self, place: Place) -> None:
        source, scope, line = place.source, place.scope, place.frame.line
        if source is None or scope is None or source.tree is None:
            return
        here = place.statement
        runs = [run for run in until(scope.body, line) if run.statement is not here]
        if here is not None and (place is not self._case.places[0] or self._case.exception):
            runs.append(Run(here, _was_evaluated(self._case, place)))
        elif isinstance(here, ast.For) and _had_a_round(here, Scope(source, scope, place)):
            runs += [Run(here, ended=True)]
        if isinstance(scope, FunctionNode):
            self._entered.add((source.path, scope.lineno))
            self._load(source)
        elif place.frame.name == "<module>":
            self._loaded.add(source.path)
        own = Scope(source, scope, place)
        self._todo.append((own, runs))
        for call in self._evaluated_for_the_call(place):
            self._call(call, own)

    def _evaluated_for_the_call(self, place: Place) -> Iterator[ast.Call]:
        """The calls that computed the arguments of the call in which a frame stands."""
        frames, nodes = self._case.frames, header_nodes(place.statement) if place.statement else ()
        inner = frames[frames.index(place.frame) - 1] if place.frame in frames[1:] else None
        stands = next((p for p in self._case.places if p.frame is inner), None)
        scope = self._resolver.of_place(stands) if stands else None
        calls = [n for n in nodes if isinstance(n, ast.Call) and scope and called_name(n) == scope.called_as]
        if len(calls) == 1:
            for part in [*calls[0].args, *(k.value for k in calls[0].keywords)]:
                yield from calls_in(part)

    def _load(self, source: SourceFile) -> None:
        """Follows the module level of a file, unless a frame of the stack is there: it ran when it was imported."""
        is_on_stack = any(p.frame.path == source.path and p.frame.name == "<module>" for p in self._case.places)
        if source.path not in self._loaded and source.tree is not None and not is_on_stack:
            self._loaded.add(source.path)
            self._todo.append((Scope(source, source.tree), list(all_of(source.tree.body))))

    def _follow(self, scope: Scope, runs: list[Run]) -> None:
        found, path = self._found(), scope.source.path
        self._scopes.append(scope)
        for statement, ended in runs:
            found.add((path, statement.lineno))
            if isinstance(statement, ast.For) and ended and _had_a_round(statement, scope):
                self._todo.append((scope, list(in_full(statement.body, LEAVES_ROUND))))
            if isinstance(statement, ast.Import | ast.ImportFrom) and ended:
                self._import(scope.source, statement)
            for call in calls_of(statement) if ended else ():
                self._call(call, scope)

    def _import(self, source: SourceFile, statement: ast.Import | ast.ImportFrom) -> None:
        is_from = isinstance(statement, ast.ImportFrom)
        names = [(statement.module or "", statement.level)] if is_from else [(a.name, 0) for a in statement.names]
        for name, level in names:
            module = self._resolver.module_file(source.path, name, level)
            if module is not None:
                self._load(module)

    def _call(self, call: ast.Call, scope: Scope) -> None:
        callee = self._callee(call.func, scope)
        if callee is not None and callee.spot not in self._entered:
            self._entered.add(callee.spot)
            self._todo.append((Scope(callee.source, callee.node), list(in_full(callee.node.body, LEAVES_FUNCTION))))

    def _callee(self, func: ast.expr, scope: Scope) -> _Function | None:
        """The function that a call ran; None: it is not certain which."""
        match func:
            case ast.Name(id=name):
                found = self._named(name, scope)
            case ast.Attribute(value=holder, attr=name):
                found = self._method(holder, name, scope)
            case _:
                found = None
        return found if found and _runs_when_called(found.node) and not self._is_replaced(found.node.name) else None

    def _named(self, name: str, scope: Scope) -> _Function | None:
        source = scope.source
        if not isinstance(scope.node, ast.Module) and _is_local(name, scope):
            return None
        bound = [s for s in _module_statements(source) if name in bindings(s)]
        if len(bound) != 1:
            return None
        match bound[0]:
            case ast.FunctionDef() as function:
                return _Function(source, function)
            case ast.ClassDef(decorator_list=[], keywords=[]) as owner if not _defines(owner, "__new__"):
                return _own(source, owner, "__init__")
            case _:
                return None

    def _method(self, holder: ast.expr, name: str, scope: Scope) -> _Function | None:
        """The method that a call runs, found by the type of its object in the frame."""
        value = scope.place.value(holder) if scope.place else None
        kind = value.type.rpartition(".")[2] if value and value.kind not in ("class", "module", "function") else ""
        owners = [(source, c) for source in self._resolver.files() for c in source.classes if c.name == kind]
        return _own(*owners[0], name) if len(owners) == 1 else None

    def _is_replaced(self, name: str) -> bool:
        """Whether a string names the function, as calls of `mock.patch` and `setattr` do."""
        return any(name in _dotted(source) for source in self._resolver.files())


class _Function(NamedTuple):
    source: SourceFile
    node: ast.FunctionDef

    @property
    def spot(self) -> Spot:
        return self.source.path, self.node.lineno


def _by_name(files: Iterable[SourceFile]) -> Mapping[str, list[tuple[SourceFile, FunctionNode]]]:
    """The functions that each name may mean; a class's name stands for its special methods, too."""
    named: dict[str, list[tuple[SourceFile, FunctionNode]]] = {}
    for source in files:
        for function in source.functions:
            owner = source.owners.get(function)
            name = owner.name if owner and function.name.startswith("__") else function.name
            named.setdefault(name, []).append((source, function))
    return named


def _mentioned(node: ast.AST) -> str:
    """The name or attribute that a node is; empty: neither."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _own(source: SourceFile, owner: ast.ClassDef, name: str) -> _Function | None:
    found = [s for s in owner.body if isinstance(s, ast.FunctionDef) and s.name == name]
    return _Function(source, found[0]) if len(found) == 1 else None


def _defines(owner: ast.ClassDef, name: str) -> bool:
    return any(isinstance(s, FunctionNode) and s.name == name for s in owner.body)


def _runs_when_called(function: ast.FunctionDef) -> bool:
    """Whether a call runs the function's body: it has no decorator and is not a generator."""
    own = [n for s in Scope(SourceFile("", ""), function).statements() for n in ast.walk(s)]
    return not function.decorator_list and not any(isinstance(n, _YIELDS) for n in own)


def _is_local(name: str, scope: Scope) -> bool:
    around = [f for f in scope.source.functions if f.lineno <= getattr(scope.node, "lineno", 0) <= last_line(f)]
    scopes = [Scope(scope.source, f) for f in around]
    return any(
        name in [p.arg for p in each.parameters] or any(name in bindings(s) for s in each.statements())
        for each in scopes
    )


def _module_statements(source: SourceFile) -> Sequence[ast.stmt]:
    return Scope(source, source.tree).statements() if source.tree else ()


def _dotted(source: SourceFile) -> frozenset[str]:
    return _last_names(source.tree) if source.tree else frozenset()


@once_per_node
def _last_names(tree: ast.Module) -> frozenset[str]:
    """The last part of each dotted string in a module: `f` of "shop.f", and of f"{__name__}.f"."""
    texts = (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return frozenset(text.rpartition(".")[2] for text in texts if len(text) < _LONGEST_NAME)


def _had_a_round(loop: ast.For, scope: Scope) -> bool:
    """Whether the body of a loop that has ended ran: its target has a value, and nothing else can have set it."""
    place, target = scope.place, loop.target
    if place is not None and loop.lineno < place.frame.line <= last_line(loop):
        return False  # it has not ended: this may be its first round
    if place is None or not isinstance(target, ast.Name) or place.present(target.id) is None:
        return False
    others = (s for s in scope.statements() if s is not loop and target.id in bindings(s))
    return target.id not in [p.arg for p in scope.parameters] and not any(True for _ in others)


def _was_evaluated(case: Case, place: Place) -> bool:
    """Whether the failing statement evaluated all of its expressions: it is an assertion that did not hold."""
    return (
        isinstance(place.statement, ast.Assert)
        and bool(case.frames)
        and place.frame is case.frames[0]
        and case.exception is not None
        and case.exception.type == "AssertionError"
    )
