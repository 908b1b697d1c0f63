"""Parts of Python statements: blocks, headers, lines, and the names that they bind. Lines are 1-based."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from dap_ai.agent.source.indexing import FunctionNode, once_per_node

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
"""Names of methods that change the object on which they are called."""


def body_fields(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yields the blocks of a compound statement (body, else, finally, handlers, cases)."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
    for name in ("handlers", "cases"):
        for part in getattr(node, name, ()):
            yield part.body


@once_per_node
def own_statements(scope: ast.AST) -> Sequence[ast.stmt]:
    """Returns the statements of a function or module in order. Skips those of nested functions and classes."""
    return tuple(_own_statements(scope))


def _own_statements(scope: ast.AST) -> Iterator[ast.stmt]:
    for block in body_fields(scope):
        for statement in block:
            yield statement
            if not isinstance(statement, FunctionNode | ast.ClassDef):
                yield from _own_statements(statement)


def header_expressions(statement: ast.stmt) -> list[ast.expr]:
    """Returns the expressions that a statement evaluates before its body: for an `if`, its test."""
    match statement:
        case ast.If(test=test) | ast.While(test=test):
            return [test]
        case ast.For(iter=iterable, target=target) | ast.AsyncFor(iter=iterable, target=target):
            return [iterable, target]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return [item.context_expr for item in items]
        case ast.Match(subject=subject):
            return [subject]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [d for d in statement.args.kw_defaults if d is not None]
            return [*statement.decorator_list, *statement.args.defaults, *defaults]
        case ast.ClassDef():
            return [*statement.decorator_list, *statement.bases]
        case ast.Try():
            return []
        case _:
            return [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr)]


@once_per_node
def header_nodes(statement: ast.stmt) -> Sequence[ast.AST]:
    """Returns all nodes of the expressions that a statement evaluates before its body."""
    return tuple(node for root in header_expressions(statement) for node in ast.walk(root))


def last_line(node: ast.stmt | ast.expr) -> int:
    """Returns the line on which a node ends."""
    return node.end_lineno or node.lineno


def first_line(node: FunctionNode | ast.ClassDef) -> int:
    """Returns the line of a function's or class's first decorator, else its own line.

    The interpreter counts this as the first line.
    """
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


@once_per_node
def bindings(statement: ast.stmt) -> Mapping[str, ast.expr | None]:
    """Maps the names that a statement binds to the expressions of their values, or to None for an import or `def`."""
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


def target_names(target: ast.AST) -> Iterator[str]:
    """Yields the plain names in an assignment target."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id


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
    """Returns (root name, changed place, stored expressions) for each store into a container or attribute.

    Includes calls that change their object, anywhere in the statement: `first = queue.popleft()`.
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
    """Returns the first name of an expression: `a` for `a.b[c].d`. None if the expression begins otherwise."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def nodes_in(*roots: ast.AST | None) -> list[ast.AST]:
    """Returns all nodes of these trees, tree by tree, outer ones first."""
    return [node for root in roots if root for node in ast.walk(root)]


def names_in(*roots: ast.AST | None) -> list[str]:
    """Returns the distinct names in these trees, in order."""
    return list(dict.fromkeys(n.id for n in nodes_in(*roots) if isinstance(n, ast.Name)))
