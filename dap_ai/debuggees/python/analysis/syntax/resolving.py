"""Finds the user functions that a call reaches and the arguments it passes, by live values or by name."""

from __future__ import annotations

import ast
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dap_ai.agent.case.stop_snapshot import FramePlace
from dap_ai.agent.source.source_file import FunctionNode, ScopeNode, SourceFile, Sources, is_user_path
from dap_ai.agent.source.statements import first_line, last_line, mutations, own_statements, root_name
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import calls_by
from dap_ai.protocol.contracts.inspection import Value

_NAMESPACES = ("class", "module", "function")


@dataclass
class Resolver:
    """Finds the user functions that calls reach: by live values if a frame has them, else by name in the source."""

    sources: Sources
    places: list[FramePlace]
    known_files: list[str] = field(default_factory=list[str])

    def file(self, path: str) -> SourceFile | None:
        """Return a user file and remember it for searches by name; None if the file is unreadable or not the user's."""
        is_own = is_user_path(path) or any(p.frame.path == path for p in self.places)
        found = self.sources.read(path) if is_own else None
        if found and path not in self.known_files:
            self.known_files.append(path)
        return found

    def callees(self, call: ast.Call, scope: FunctionScope) -> list[FunctionScope]:
        """Return the user functions that this call may run."""
        return self.functions(call.func, scope)

    def functions(self, func: ast.expr, scope: FunctionScope) -> list[FunctionScope]:
        """Return the user functions that an expression may refer to: by its live value if known, else by name."""
        value = scope.place.value(func) if scope.place else None
        if value and value.definition:
            source = self.file(value.definition.file)
            if source is None:
                return []
            return self._at(source, value.definition.line)
        if isinstance(func, ast.Name):
            return self._by_name(func.id, scope)
        if isinstance(func, ast.Attribute):
            return self._by_attribute(func, scope)
        return []

    def _at(self, source: SourceFile, line: int) -> list[FunctionScope]:
        function = source.function_starting(line)
        if function:
            return [FunctionScope(source, function)]
        starting = (cls for cls in source.classes if first_line(cls) <= line <= cls.lineno)
        return [s for cls in starting for s in self._constructor(source, cls)]

    def _constructor(self, source: SourceFile, cls: ast.ClassDef) -> list[FunctionScope]:
        wanted = ("__init__", "__new__", "__post_init__")
        return [FunctionScope(source, f) for f in cls.body if isinstance(f, FunctionNode) and f.name in wanted]

    def _by_name(self, name: str, scope: FunctionScope) -> list[FunctionScope]:
        source, index = scope.source, scope.source.index
        if nested := index.function_named(name, scope.node):
            return [FunctionScope(source, nested)]
        match index.top.get(name):
            case ast.ClassDef() as owner:
                return self._constructor(source, owner)
            case None:
                return self._imported(*index.imported[name], source) if name in index.imported else []
            case function:
                return [FunctionScope(source, function)]

    def _imported(self, statement: ast.ImportFrom, name: str, source: SourceFile) -> list[FunctionScope]:
        module = self.module_file(source.path, statement.module or "", statement.level)
        if module is None or module is source:
            return []
        return self._by_name(name, FunctionScope(module, module.tree)) if module.tree else []

    def module_file(self, path: str, module: str, level: int = 0) -> SourceFile | None:
        """Return the user file of an imported module, or None. Searches the importing file's folder and its parents."""
        parts = [p for p in module.split(".") if p]
        folder = Path(path).parent
        for _ in range(max(0, level - 1)):
            folder = folder.parent
        for base in [folder] if level else [folder, *list(folder.parents)[:3]]:
            for candidate in (base.joinpath(*parts).with_suffix(".py"), base.joinpath(*parts, "__init__.py")):
                if parts and candidate.name != ".py" and (found := self.file(str(candidate))):
                    return found
        return None

    def _by_attribute(self, func: ast.Attribute, scope: FunctionScope) -> list[FunctionScope]:
        root = root_name(func.value)
        if root and isinstance(func.value, ast.Name):
            name = scope.source.index.modules.get(root)
            if name is not None:
                module = self.module_file(scope.source.path, name)
                return self._by_name(func.attr, FunctionScope(module, module.tree)) if module and module.tree else []
        if root in ("self", "cls") and scope.owner:
            own = [f for f in scope.owner.body if isinstance(f, FunctionNode) and f.name == func.attr]
            if own:
                return [FunctionScope(scope.source, own[0])]
        held = scope.place.value(func.value) if scope.place else None
        return [] if held and _is_of_python(held) else self.methods(func.attr)

    def files(self) -> Iterator[SourceFile]:
        """Return the user files that `file` has returned so far."""
        return (source for path in self.known_files if (source := self.sources.read(path)))

    def methods(self, name: str) -> list[FunctionScope]:
        """Return the first three methods of this name in the user files read so far."""
        owned = ((source, f) for source in self.files() for f in source.owners)
        return [FunctionScope(source, f) for source, f in owned if isinstance(f, FunctionNode) and f.name == name][:3]

    def getters(self, attribute: str, holder: Value | None = None) -> list[FunctionScope]:
        """Return the properties of this name in the files read so far; empty if `holder` cannot have properties."""
        if holder and (holder.kind in _NAMESPACES or _is_of_python(holder)):
            return []
        return [s for s in self.methods(attribute) if isinstance(s.node, FunctionNode) and is_getter(s.node)]

    def writers(self, attribute: str) -> Iterator[tuple[FunctionScope, ast.stmt, list[ast.expr]]]:
        """Yield (scope, statement, values) for each statement that sets or changes an attribute of this name."""
        for source in self.files():
            for function in source.functions if attribute in source.text else []:
                if not source.holds(attribute, function):
                    continue
                scope = FunctionScope(source, function, self._live(source, function))
                for statement in own_statements(function):
                    if not source.holds(attribute, statement):
                        continue
                    for _, text, values in mutations(statement):
                        if f".{attribute}" in text and text.split("[")[0].endswith(f".{attribute}"):
                            yield scope, statement, values

    def caller(self, place: FramePlace | None) -> FunctionScope | None:
        """Return the scope of a frame's caller; None if the frame is the outermost one or not part of the stop."""
        outer = self.places[self.places.index(place) + 1 :] if place in self.places else []
        return self.of_place(outer[0]) if outer else None

    def around(self, scope: FunctionScope) -> list[FunctionScope]:
        """Return the functions around a scope, outermost first, then the module; empty for a module."""
        source, node = scope.source, scope.node
        if source.tree is None or isinstance(node, ast.Module):
            return []
        outer = [f for f in source.functions if f is not node and f.lineno < node.lineno <= last_line(f)]
        return [
            *(FunctionScope(source, f) for f in outer),
            FunctionScope(source, source.tree, self._live(source, source.tree)),
        ]

    def _live(self, source: SourceFile, node: ScopeNode) -> FramePlace | None:
        return next((p for p in self.places if p.source is source and p.scope is node), None)

    def of_place(self, place: FramePlace) -> FunctionScope | None:
        """Return the scope that a frame runs, or None if the frame has no source."""
        if place.source is None or place.scope is None:
            return None
        self.file(place.source.path)
        return FunctionScope(place.source, place.scope, place)


def _is_of_python(value: Value) -> bool:
    """Whether an object's exact type is a builtin or in the standard library, so that no method is the user's."""
    package = value.type.partition(".")[0] if "." in value.type else "builtins"
    return value.kind not in _NAMESPACES and package in sys.stdlib_module_names


def is_getter(function: FunctionNode) -> bool:
    """Whether the function is a property getter, which an attribute access calls."""
    return any(ast.unparse(d).endswith("property") for d in function.decorator_list)


def argument_for(call: ast.Call, callee: FunctionScope, parameter: str) -> ast.expr | None:
    """Return the argument expression that a call passes for a parameter; None if the call passes no argument."""
    names = [p.arg for p in callee.parameters]
    method = bool(callee.owner) and bool(names) and names[0] in ("self", "cls")
    positions = names[1:] if method else names
    given = argument_at(call, parameter, positions.index(parameter) if parameter in positions else len(call.args))
    if given is None and method and parameter == names[0] and isinstance(call.func, ast.Attribute):
        return call.func.value
    return given


def argument_at(call: ast.Call, name: str, position: int) -> ast.expr | None:
    """Return the argument expression with this name or 0-based position; None if the call has no such argument."""
    given = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    plain = call.args[: position + 1]
    has_it = given is None and len(plain) > position and not any(isinstance(a, ast.Starred) for a in plain)
    return plain[position] if has_it else given


def reach(
    resolver: Resolver, start: list[FunctionScope], max_scopes: int = 40
) -> dict[tuple[str, int], tuple[FunctionScope, int]]:
    """Return the `start` functions and all that they may call, directly or indirectly, with their distance in calls."""
    found = {scope.key(): (scope, 0) for scope in start}
    todo = deque((scope, 0) for scope in start)
    while todo and len(found) < max_scopes:
        scope, distance = todo.popleft()
        for callee in (c for call in calls_by(*scope.statements()) for c in resolver.callees(call, scope)):
            if callee.key() not in found:
                found[callee.key()] = (callee, distance + 1)
                todo.append((callee, distance + 1))
    return found
