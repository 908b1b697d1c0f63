"""Who binds a name, and which function a call reaches: questions to source text and to what was read of frames."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dap_ai.agent.source import (
    FunctionNode,
    ScopeNode,
    SourceFile,
    Sources,
    header_expressions,
    is_user_path,
    own_statements,
)
from dap_ai.agent.stack import Place

MUTATORS = frozenset(
    [
        "append",
        "extend",
        "insert",
        "remove",
        "pop",
        "clear",
        "sort",
        "reverse",
        "add",
        "discard",
        "update",
        "setdefault",
        "popitem",
        "appendleft",
        "popleft",
    ]
)


@dataclass(frozen=True, eq=False)
class Scope:
    """A function or module of the user, with the live frame that runs it, if one does."""

    source: SourceFile
    node: ScopeNode
    place: Place | None = field(default=None)

    @property
    def name(self) -> str:
        """`Account.withdraw`, `main`, or the module's name."""
        if isinstance(self.node, ast.Module):
            return Path(self.source.path).stem
        owner = self.source.owners.get(self.node)
        return f"{owner.name}.{self.node.name}" if owner else self.node.name

    @property
    def owner(self) -> ast.ClassDef | None:
        """The class whose method it is."""
        return self.source.owners.get(self.node)

    @property
    def parameters(self) -> list[ast.arg]:
        """Its parameters in order, `self` included."""
        if isinstance(self.node, ast.Module):
            return []
        a = self.node.args
        return [
            *a.posonlyargs,
            *a.args,
            *([a.vararg] if a.vararg else []),
            *a.kwonlyargs,
            *([a.kwarg] if a.kwarg else []),
        ]

    def statements(self) -> list[ast.stmt]:
        """Its own statements in order."""
        return list(own_statements(self.node))

    def key(self) -> tuple[str, int]:
        """What tells two scopes apart."""
        return self.source.path, 0 if isinstance(self.node, ast.Module) else self.node.lineno


def target_names(target: ast.AST) -> Iterator[str]:
    """Plain names that an assignment target binds."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id


def bindings(statement: ast.stmt) -> dict[str, ast.expr | None]:
    """Names that the statement binds, each with the expression its value comes from. All binding forms."""
    bound: dict[str, ast.expr | None] = {}
    match statement:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                _bind(target, value, bound)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            _bind(target, value, bound)
        case ast.AugAssign(target=target):
            for name in target_names(target):
                bound[name] = ast.BinOp(ast.Name(name, ast.Load()), statement.op, statement.value)
        case ast.For(target=target, iter=iterable) | ast.AsyncFor(target=target, iter=iterable):
            _bind(target, iterable, bound)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if item.optional_vars:
                    _bind(item.optional_vars, item.context_expr, bound)
        case ast.Try(handlers=handlers):
            bound.update({h.name: h.type for h in handlers if h.name})
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            bound.update({(a.asname or a.name).partition(".")[0]: None for a in names})
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            bound[name] = None
        case ast.Match(subject=subject, cases=cases):
            for node in (n for case in cases for n in ast.walk(case.pattern)):
                if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
                    bound[node.name] = subject
        case _:
            pass
    if not isinstance(statement, FunctionNode | ast.ClassDef):
        bound.update(_walrus(statement))
    return bound


def _bind(target: ast.expr, value: ast.expr, bound: dict[str, ast.expr | None]) -> None:
    match target, value:
        case ast.Tuple(elts=ones) | ast.List(elts=ones), ast.Tuple(elts=parts) | ast.List(elts=parts) if len(
            ones
        ) == len(parts) and not any(isinstance(one, ast.Starred) for one in ones):
            for one, part in zip(ones, parts, strict=True):
                _bind(one, part, bound)
            return
        case _:
            pass
    bound.update(dict.fromkeys(target_names(target), value))


def _walrus(statement: ast.stmt) -> dict[str, ast.expr | None]:
    found: dict[str, ast.expr | None] = {}
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            for node in ast.walk(child):
                if isinstance(node, ast.NamedExpr):
                    found[node.target.id] = node.value
    return found


def mutations(statement: ast.stmt) -> Iterator[tuple[str, str, list[ast.expr]]]:
    """(root name, text of the changed place, expressions put in) of stores into containers and attributes.

    Calls that change what they are called on count wherever they stand: `first = queue.popleft()`.
    """
    match statement:
        case ast.Assign(targets=targets, value=value):
            stored: list[tuple[ast.expr, list[ast.expr]]] = [(t, [value]) for t in targets]
        case ast.AugAssign(target=target, value=value):
            stored = [(target, [value])]
        case ast.AnnAssign(target=target, value=value) if value is not None:
            stored = [(target, [value])]
        case ast.Delete(targets=targets):
            stored = [(t, []) for t in targets]
        case _:
            stored = []
    yield from _mutating_calls(statement)
    for target, values in stored:
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        for part in parts:
            root = root_name(part)
            if root and isinstance(part, ast.Subscript | ast.Attribute):
                index = [part.slice] if isinstance(part, ast.Subscript) else []
                yield root, ast.unparse(part), [*values, *index]


def _mutating_calls(statement: ast.stmt) -> Iterator[tuple[str, str, list[ast.expr]]]:
    for node in (n for root in header_expressions(statement) for n in ast.walk(root)):
        match node:
            case ast.Call(func=ast.Attribute(value=holder, attr=name), args=args) if name in MUTATORS:
                root = root_name(holder)
                if root:
                    yield root, ast.unparse(holder), list(args)
            case _:
                pass


def root_name(node: ast.expr) -> str | None:
    """`a` of `a.b[c].d`; None where it does not begin with a name."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def aliases(scope: Scope, name: str) -> set[str]:
    """The name, and those bound to what it names or holds."""
    found = {name}
    for statement in scope.statements():
        for bound, value in bindings(statement).items():
            holder = value.func if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else value
            if holder and root_name(holder) in found:
                found.add(bound)
    return found


def control_tests(scope: ScopeNode, line: int) -> list[tuple[ast.stmt, ast.expr]]:
    """The `if`, `while` and `for` around a line within the scope, innermost first, each with what decides it."""
    around: list[tuple[ast.stmt, ast.expr]] = []
    for statement in own_statements(scope):
        if statement.lineno < line <= (statement.end_lineno or statement.lineno):
            match statement:
                case ast.If(test=test) | ast.While(test=test):
                    around.append((statement, test))
                case ast.For(iter=iterable):
                    around.append((statement, iterable))
                case _:
                    pass
    return around[::-1]


def enclosing_loop(scope: ScopeNode, line: int) -> ast.For | ast.While | None:
    """The innermost loop around a line within the scope."""
    return next((s for s, _ in control_tests(scope, line) if isinstance(s, ast.For | ast.While)), None)


@dataclass
class Resolver:
    """Finds the functions that calls reach: by live values where a frame knows them, else by name in source."""

    sources: Sources
    places: list[Place]
    known_files: list[str] = field(default_factory=list[str])

    def file(self, path: str) -> SourceFile | None:
        """A file of the user, remembered for look-ups by name."""
        found = (
            self.sources.read(path) if is_user_path(path) or any(p.frame.path == path for p in self.places) else None
        )
        if found and path not in self.known_files:
            self.known_files.append(path)
        return found

    def callees(self, call: ast.Call, scope: Scope) -> list[Scope]:
        """The user's functions that this call may run."""
        return self.functions(call.func, scope)

    def functions(self, func: ast.expr, scope: Scope) -> list[Scope]:
        """The user's functions that an expression names: exact where a live value tells, else by name."""
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

    def _at(self, source: SourceFile, line: int) -> list[Scope]:
        function = source.function_starting(line)
        if function:
            return [Scope(source, function)]
        return [s for cls in source.classes if _starts(cls, line) for s in self._constructor(source, cls)]

    def _constructor(self, source: SourceFile, cls: ast.ClassDef) -> list[Scope]:
        wanted = ("__init__", "__new__", "__post_init__")
        return [Scope(source, f) for f in cls.body if isinstance(f, FunctionNode) and f.name in wanted]

    def _by_name(self, name: str, scope: Scope) -> list[Scope]:
        source = scope.source
        for nested in ast.walk(scope.node):
            if isinstance(nested, FunctionNode) and nested.name == name and nested is not scope.node:
                return [Scope(source, nested)]
        tree = source.tree
        for statement in tree.body if tree else []:
            if isinstance(statement, FunctionNode) and statement.name == name:
                return [Scope(source, statement)]
            if isinstance(statement, ast.ClassDef) and statement.name == name:
                return self._constructor(source, statement)
        for statement in ast.walk(tree) if tree else ():
            if isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    if (alias.asname or alias.name) == name:
                        return self._imported(statement, alias.name, source)
        return []

    def _imported(self, statement: ast.ImportFrom, name: str, source: SourceFile) -> list[Scope]:
        module = self.module_file(source.path, statement.module or "", statement.level)
        if module is None or module is source:
            return []
        return self._by_name(name, Scope(module, module.tree)) if module.tree else []

    def module_file(self, path: str, module: str, level: int = 0) -> SourceFile | None:
        """The user's file of an imported module, looked up beside the importing one and its parents."""
        parts = [p for p in module.split(".") if p]
        folder = Path(path).parent
        for _ in range(max(0, level - 1)):
            folder = folder.parent
        for base in [folder] if level else [folder, *list(folder.parents)[:3]]:
            for candidate in (base.joinpath(*parts).with_suffix(".py"), base.joinpath(*parts, "__init__.py")):
                if parts and candidate.name != ".py" and (found := self.file(str(candidate))):
                    return found
        return None

    def _by_attribute(self, func: ast.Attribute, scope: Scope) -> list[Scope]:
        root = root_name(func.value)
        if root and isinstance(func.value, ast.Name):
            for statement in ast.walk(scope.source.tree) if scope.source.tree else ():
                if isinstance(statement, ast.Import):
                    for alias in statement.names:
                        if (alias.asname or alias.name) == root:
                            module = self.module_file(scope.source.path, alias.name)
                            tree = module.tree if module else None
                            return self._by_name(func.attr, Scope(module, tree)) if module and tree else []
        if root in ("self", "cls") and scope.owner:
            own = [f for f in scope.owner.body if isinstance(f, FunctionNode) and f.name == func.attr]
            if own:
                return [Scope(scope.source, own[0])]
        return self.methods(func.attr)

    def methods(self, name: str) -> list[Scope]:
        """All methods of this name in the files seen so far."""
        found: list[Scope] = []
        for path in self.known_files:
            source = self.sources.read(path)
            if source:
                found += [Scope(source, f) for f in source.owners if isinstance(f, FunctionNode) and f.name == name]
        return found[:3]

    def getters(self, attribute: str) -> list[Scope]:
        """The properties of this name in the files seen so far."""
        return [s for s in self.methods(attribute) if isinstance(s.node, FunctionNode) and _is_getter(s.node)]

    def writers(self, attribute: str) -> Iterator[tuple[Scope, ast.stmt, list[ast.expr]]]:
        """Statements that write an attribute of this name, or change what it holds, in the files seen so far."""
        for path in self.known_files:
            source = self.sources.read(path)
            for function in source.functions if source else []:
                scope = Scope(source, function, self._live(source, function))  # pyright: ignore[reportArgumentType] source is bound in this loop
                for statement in own_statements(function):
                    for _, text, values in mutations(statement):
                        if f".{attribute}" in text and text.split("[")[0].endswith(f".{attribute}"):
                            yield scope, statement, values

    def _live(self, source: SourceFile | None, node: ScopeNode) -> Place | None:
        return next((p for p in self.places if p.source is source and p.scope is node), None)

    def of_place(self, place: Place) -> Scope | None:
        """The scope that a frame runs."""
        if place.source is None or place.scope is None:
            return None
        self.file(place.source.path)
        return Scope(place.source, place.scope, place)


def _is_getter(function: FunctionNode) -> bool:
    return any(ast.unparse(d).endswith("property") for d in function.decorator_list)


def _starts(cls: ast.ClassDef, line: int) -> bool:
    return min([cls.lineno, *(d.lineno for d in cls.decorator_list)]) <= line <= cls.lineno


def argument_for(call: ast.Call, callee: Scope, parameter: str) -> ast.expr | None:
    """The argument expression that a call binds to a parameter; None where it takes its default."""
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    names = [p.arg for p in callee.parameters]
    method = bool(callee.owner) and bool(names) and names[0] in ("self", "cls")
    positions = names[1:] if method else names
    if parameter in positions:
        index = positions.index(parameter)
        plain = call.args[: index + 1]
        if index < len(call.args) and not any(isinstance(a, ast.Starred) for a in plain):
            return call.args[index]
    if method and parameter == names[0] and isinstance(call.func, ast.Attribute):
        return call.func.value
    return None
