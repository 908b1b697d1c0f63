"""Finds the statements that are certain to have run when the program stopped, from its frames and source alone.

If a frame is at a line, the statements before it in its block and in the enclosing blocks have run. Calls are followed
if it is certain which function they ran. Whether a branch or a loop body ran is uncertain.
"""

from __future__ import annotations

import ast
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping

from dap_ai.agent.case.stop_snapshot import FramePlace, StopSnapshot
from dap_ai.agent.source.indexing import once_per_node
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import bindings, header_nodes, last_line, own_statements
from dap_ai.debuggees.python.analysis.syntax.certain_statements import (
    LEAVES_FUNCTION,
    LEAVES_ROUND,
    RunStatement,
    all_of,
    calls_in,
    calls_of,
    in_full,
    until,
)
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, lines_of, parameters, yields
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver

Spot = tuple[str, int]

_MAX_SCOPES, _LONGEST_NAME = 200, 200


class Certain:
    """The statements that are certain to have run at one stop."""

    def __init__(self, case: StopSnapshot, resolver: Resolver, is_late: Callable[[str, int], bool]) -> None:
        """Prepare for one stop. `is_late(path, line)` returns whether the line is known to run only after the stop."""
        self._case = case
        self._is_late = is_late
        self._resolver = resolver
        self._statements: set[Spot] | None = None
        self._possible: set[Spot] = set()
        self._entered: set[Spot] = set()
        self._loaded: set[str] = set()
        self._scopes: list[FunctionScope] = []
        """The functions and modules that have run, with their frames."""
        self._todo: deque[tuple[FunctionScope, list[RunStatement]]] = deque()

    def had_run(self, path: str, line: int) -> bool:
        """Whether the line's statement has certainly run."""
        return self._spot(path, line) in self._found()

    def may_have_run(self, path: str, line: int) -> bool:
        """Whether the line may have run: its function was called, or may have been called and always runs the line."""
        self._found()
        source = self._case.sources.read(path)
        function = source.function_at(line) if source else None
        was_called = function is not None and (path, function.lineno) in self._entered
        return was_called or self._spot(path, line) in self._possible

    def _spot(self, path: str, line: int) -> Spot:
        """Return the (path, line) of the statement at the line."""
        source = self._case.sources.read(path)
        statement = source.statement_at(line) if source else None
        return path, statement.lineno if statement else line

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
        """Find the functions that executed functions mention and so may have called, directly or as a callback."""
        todo, known = deque(self._scopes), set(self._entered)
        named = _by_name(self._resolver.files())
        while todo and len(known) < _MAX_SCOPES:
            scope = todo.popleft()
            early = (s for s in scope.statements() if not self._is_late(scope.source.path, s.lineno))
            mentioned = {getattr(n, "id", getattr(n, "attr", "")) for s in early for n in header_nodes(s)}
            for source, node in (each for name in mentioned for each in named.get(name, ())):
                if (source.path, node.lineno) not in known:
                    known.add((source.path, node.lineno))
                    todo.append(FunctionScope(source, node))
                    runs = in_full(node.body, LEAVES_FUNCTION)
                    self._possible |= {(source.path, run.statement.lineno) for run in runs}

    def _stand(self, place: FramePlace) -> None:
        source, scope, line = place.source, place.scope, place.frame.line
        if source is None or scope is None or source.tree is None:
            return
        here = place.statement
        runs = [run for run in until(scope.body, line) if run.statement is not here]
        if here is not None and (place is not self._case.places[0] or self._case.exception):
            runs.append(RunStatement(here, _was_evaluated(self._case, place)))
        elif isinstance(here, ast.For) and _had_a_round(here, FunctionScope(source, scope, place)):
            runs += [RunStatement(here, ended=True)]
        if isinstance(scope, FunctionNode):
            self._entered.add((source.path, scope.lineno))
            self._load(source)
        elif place.frame.name == "<module>":
            self._loaded.add(source.path)
        own = FunctionScope(source, scope, place)
        self._todo.append((own, runs))
        for call in self._evaluated_for_the_call(place):
            self._call(call, own)

    def _evaluated_for_the_call(self, place: FramePlace) -> Iterator[ast.Call]:
        """Yield the calls in the arguments of the call that the frame is executing."""
        frames, nodes = self._case.frames, header_nodes(place.statement) if place.statement else ()
        inner = frames[frames.index(place.frame) - 1] if place.frame in frames[1:] else None
        stands = next((p for p in self._case.places if p.frame is inner), None)
        scope = self._resolver.of_place(stands) if stands else None
        calls = [n for n in nodes if isinstance(n, ast.Call) and scope and called_name(n) == scope.called_as]
        if len(calls) == 1:
            for part in [*calls[0].args, *(k.value for k in calls[0].keywords)]:
                yield from calls_in(part)

    def _load(self, source: SourceFile) -> None:
        """Add a file's module-level statements, which its import ran, unless a frame of the stop is running them."""
        is_on_stack = any(p.frame.path == source.path and p.frame.name == "<module>" for p in self._case.places)
        if source.path not in self._loaded and source.tree is not None and not is_on_stack:
            self._loaded.add(source.path)
            self._todo.append((FunctionScope(source, source.tree), list(all_of(source.tree.body))))

    def _follow(self, scope: FunctionScope, runs: list[RunStatement]) -> None:
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

    def _call(self, call: ast.Call, scope: FunctionScope) -> None:
        callee = self._callee(call.func, scope)
        if callee is not None and callee.key() not in self._entered:
            self._entered.add(callee.key())
            self._todo.append((callee, list(in_full(callee.node.body, LEAVES_FUNCTION))))

    def _callee(self, func: ast.expr, scope: FunctionScope) -> FunctionScope | None:
        """Return the function that a call ran, or None if uncertain."""
        match func:
            case ast.Name(id=name):
                found = self._named(name, scope)
            case ast.Attribute(value=holder, attr=name):
                found = self._method(holder, name, scope)
            case _:
                found = None
        node = found.node if found else None
        is_certain = isinstance(node, ast.FunctionDef) and _runs_when_called(node) and not self._is_replaced(node.name)
        return found if is_certain else None

    def _named(self, name: str, scope: FunctionScope) -> FunctionScope | None:
        source = scope.source
        if not isinstance(scope.node, ast.Module) and _is_local(name, scope):
            return None
        bound = [s for s in own_statements(source.tree) if name in bindings(s)] if source.tree else []
        if len(bound) != 1:
            return None
        match bound[0]:
            case ast.FunctionDef() as function:
                return FunctionScope(source, function)
            case ast.ClassDef(decorator_list=[], keywords=[]) as owner if not _methods(owner, "__new__"):
                return _own(source, owner, "__init__")
            case _:
                return None

    def _method(self, holder: ast.expr, name: str, scope: FunctionScope) -> FunctionScope | None:
        """Return the method that a call runs, found by the type of the object in the frame, or None."""
        value = scope.place.value(holder) if scope.place else None
        kind = value.type.rpartition(".")[2] if value and value.kind not in ("class", "module", "function") else ""
        owners = [(source, c) for source in self._resolver.files() for c in source.classes if c.name == kind]
        return _own(*owners[0], name) if len(owners) == 1 else None

    def _is_replaced(self, name: str) -> bool:
        """Whether a string in the files names the function, as `mock.patch` and `setattr` do to replace a function."""
        return any(source.tree and name in _last_names(source.tree) for source in self._resolver.files())


def _by_name(files: Iterable[SourceFile]) -> Mapping[str, list[tuple[SourceFile, FunctionNode]]]:
    """Map each name to the functions it may refer to; a class's name maps to the class's special methods."""
    named: dict[str, list[tuple[SourceFile, FunctionNode]]] = defaultdict(list)
    for source in files:
        for function in source.functions:
            owner = source.owners.get(function)
            name = owner.name if owner and function.name.startswith("__") else function.name
            named[name].append((source, function))
    return named


def _own(source: SourceFile, owner: ast.ClassDef, name: str) -> FunctionScope | None:
    found = [s for s in _methods(owner, name) if isinstance(s, ast.FunctionDef)]
    return FunctionScope(source, found[0]) if len(found) == 1 else None


def _methods(owner: ast.ClassDef, name: str) -> list[FunctionNode]:
    return [s for s in owner.body if isinstance(s, FunctionNode) and s.name == name]


def _runs_when_called(function: ast.FunctionDef) -> bool:
    """Whether a call runs the function's body: it has no decorator and is not a generator."""
    return not function.decorator_list and not yields(*own_statements(function))


def _is_local(name: str, scope: FunctionScope) -> bool:
    around = [f for f in scope.source.functions if getattr(scope.node, "lineno", 0) in lines_of(f)]
    return any(name in [p.arg for p in parameters(f)] for f in around) or any(
        name in bindings(s) for f in around for s in own_statements(f)
    )


@once_per_node
def _last_names(tree: ast.Module) -> frozenset[str]:
    """Return the last part of each dotted string in a module: `f` for "shop.f" and for f"{__name__}.f"."""
    texts = (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return frozenset(text.rpartition(".")[2] for text in texts if len(text) < _LONGEST_NAME)


def _had_a_round(loop: ast.For, scope: FunctionScope) -> bool:
    """Whether a finished loop's body ran: its target variable has a value that no other statement can have set."""
    place, target = scope.place, loop.target
    if place is not None and loop.lineno < place.frame.line <= last_line(loop):
        return False  # not finished: this may be its first round
    if place is None or not isinstance(target, ast.Name) or place.present(target.id) is None:
        return False
    others = (s for s in scope.statements() if s is not loop and target.id in bindings(s))
    return target.id not in [p.arg for p in scope.parameters] and not any(True for _ in others)


def _was_evaluated(case: StopSnapshot, place: FramePlace) -> bool:
    """Whether the failing statement evaluated all its expressions: true only for an `assert` that failed."""
    return (
        isinstance(place.statement, ast.Assert)
        and bool(case.frames)
        and place.frame is case.frames[0]
        and case.exception is not None
        and case.exception.type == "AssertionError"
    )
