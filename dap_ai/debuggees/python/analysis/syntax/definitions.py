"""Which statements bind a name, change what it holds, and decide whether a line is reached. Source text only."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dap_ai.agent.case.stack import Place
from dap_ai.agent.source.indexing import once_per_node
from dap_ai.agent.source.source import FunctionNode, ScopeNode, SourceFile
from dap_ai.agent.source.statements import body_fields, first_line, header_nodes, last_line, own_statements

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


LEAVES = ast.Return | ast.Continue | ast.Break | ast.Raise
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_DECLARATIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom


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
    def called_as(self) -> str:
        """The name by which it is called: of a constructor that of its class; empty of a module."""
        own = getattr(self.node, "name", "")
        return self.owner.name if own == "__init__" and self.owner else own

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

    @property
    def first_line(self) -> int:
        """Of its code, as the interpreter counts: that of the first decorator; 0 of a module."""
        return 0 if isinstance(self.node, ast.Module) else first_line(self.node)

    def statements(self) -> Sequence[ast.stmt]:
        """Its own statements in order."""
        return own_statements(self.node)

    def key(self) -> tuple[str, int]:
        """What tells two scopes apart."""
        return self.source.path, 0 if isinstance(self.node, ast.Module) else self.node.lineno


def target_names(target: ast.AST) -> Iterator[str]:
    """Plain names that an assignment target binds."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id


@once_per_node
def bindings(statement: ast.stmt) -> Mapping[str, ast.expr | None]:
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


@once_per_node
def mutations(statement: ast.stmt) -> Sequence[tuple[str, str, list[ast.expr]]]:
    """(root name, text of the changed place, expressions put in) of stores into containers and attributes.

    Calls that change what they are called on count wherever they stand: `first = queue.popleft()`.
    """
    return tuple(_mutations(statement))


def _mutations(statement: ast.stmt) -> Iterator[tuple[str, str, list[ast.expr]]]:
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
    for node in header_nodes(statement):
        match node:
            case ast.Call(func=ast.Attribute(value=holder, attr=name), args=args) if name in MUTATORS:
                root = root_name(holder)
                if root:
                    yield root, ast.unparse(holder), list(args)
            case _:
                pass


def root_name(node: ast.AST) -> str | None:
    """`a` of `a.b[c].d`; None where it does not begin with a name."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def called_name(call: ast.Call) -> str:
    """The last name of what is called: `walk` of `self.walk(x)`; empty: it has none."""
    return getattr(call.func, "id", "") or getattr(call.func, "attr", "")


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


def guards(scope: ast.AST, statement: ast.stmt) -> list[ast.If]:
    """The `if`s before a statement, in its blocks, that lead away: by `return`, `continue`, `break` or `raise`."""
    return [n for n in _before(scope, statement) if isinstance(n, ast.If) and isinstance(n.body[-1], LEAVES)]


def _before(holder: ast.AST, statement: ast.stmt) -> Iterator[ast.stmt]:
    for block in body_fields(holder):
        for index, each in enumerate(block):
            if each.lineno <= statement.lineno <= last_line(each):
                yield from block[:index]
                if each is not statement and not isinstance(each, FunctionNode):
                    yield from _before(each, statement)


def enclosing_loop(scope: ScopeNode, line: int) -> ast.For | ast.While | None:
    """The innermost loop around a line within the scope."""
    return next((s for s, _ in control_tests(scope, line) if isinstance(s, ast.For | ast.While)), None)


def reaching(name: str, scope: Scope, line: int) -> list[tuple[ast.stmt, ast.expr | None]]:
    """The statements whose binding of a name a line may see, nearest first; around its loop come last."""
    made = (s for s in scope.statements() if not isinstance(s, _DECLARATIONS))
    bound = [(s, b[name]) for s in made if name in (b := bindings(s))]
    before = [pair for pair in bound if pair[0].lineno < line][::-1]
    loop = enclosing_loop(scope.node, line)
    around = [p for p in bound if loop and loop.lineno <= p[0].lineno <= (loop.end_lineno or 0)]
    later = [p for p in around if p[0].lineno >= line]
    kept: list[tuple[ast.stmt, ast.expr | None]] = []
    for pair in before:
        kept.append(pair)
        if _kills(pair[0], scope, line):
            break
    return kept + later


def is_always_bound(name: str, scope: Scope, line: int) -> bool:
    """Whether, however the line is reached, a statement of the scope has bound the name."""
    return any(_kills(statement, scope, line) for statement, _ in reaching(name, scope, line))


def _kills(statement: ast.stmt, scope: Scope, line: int) -> bool:
    if isinstance(statement, ast.AugAssign | ast.For | ast.With | ast.Try):
        return False
    outside = [test for test, _ in control_tests(scope.node, line)]
    return all(test in outside for test, _ in control_tests(scope.node, statement.lineno))
