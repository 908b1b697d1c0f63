"""Calls and their names: arguments in another order, hidden functions, cache keys."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from dap_ai.agent.analyst.definitions import Scope, bindings
from dap_ai.agent.analyst.edits import Edit
from dap_ai.agent.analyst.findings import Finding, View, expressions, swap
from dap_ai.agent.analyst.weights import WEIGHTS
from dap_ai.agent.case.indexing import nodes_below
from dap_ai.agent.case.source import FunctionNode, last_line

_DATA = ast.Constant | ast.List | ast.Dict | ast.Set | ast.Tuple | ast.ListComp | ast.BinOp | ast.JoinedStr | ast.Call
_BUILTINS = frozenset(name for name in dir(builtins) if name.islower())


def argument_order(scope: Scope, view: View) -> Iterator[Finding]:
    """Arguments whose names are those of other parameters, unless the function is called in both orders."""
    written = {ast.unparse(node) for _, node in expressions(scope) if isinstance(node, ast.Call)}
    for _, node in expressions(scope):
        if not isinstance(node, ast.Call) or len(node.args) < 2 or node.keywords or _is_unbound(node):
            continue
        given = [_named(argument) for argument in node.args]
        for callee in view.resolver.callees(node, scope):
            names = [p.arg for p in callee.parameters if p.arg not in ("self", "cls")]
            places = {i: names.index(g) for i, g in enumerate(given) if g in names and names.index(g) < len(given)}
            moved = [i for i, place in places.items() if i != place and i < len(names)]
            itself = callee.key() == scope.key()  # what turns its own arguments round means it
            if len(moved) >= 2 and set(moved) == {places[i] for i in moved} and not itself:
                reason = f"the arguments are in another order than the parameters `({', '.join(names)})`"
                straight = _reordered(node, {i: places[i] for i in moved})
                if straight not in written:
                    edit = swap(scope.source, node, straight)
                    yield Finding(scope, node.lineno, WEIGHTS.likely, reason, "argument order", edit=edit)


def _is_unbound(call: ast.Call) -> bool:
    """`super().__init__(...)`, `Base.__init__(self, ...)`, `f(*args)`: whose parameters these are is not known."""
    func, first = call.func, call.args[0]
    is_special = isinstance(func, ast.Attribute) and (func.attr.startswith("__") or isinstance(func.value, ast.Call))
    is_own = isinstance(first, ast.Name) and first.id in ("self", "cls")
    return is_special or is_own or any(isinstance(argument, ast.Starred) for argument in call.args)


def _named(argument: ast.expr) -> str:
    """The name that an argument goes by: of `n`, `x.n` and `int(n)` it is `n`."""
    match argument:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=ast.Name(), args=[ast.Name(id=name)], keywords=[]):
            return name
        case _:
            return ""


def _reordered(call: ast.Call, moved: dict[int, int]) -> str:
    texts = [ast.unparse(argument) for argument in call.args]
    for old, new in moved.items():
        texts[new] = ast.unparse(call.args[old])
    return f"{ast.unparse(call.func)}({', '.join(texts)})"


def shadowed(scope: Scope, view: View) -> Iterator[Finding]:
    """The name of a builtin, or of a function of this module, that is bound to data and then called."""
    tree = scope.source.tree
    declared = {n.name for n in (tree.body if tree else []) if isinstance(n, FunctionNode | ast.ClassDef)}
    called = {n.func.id for n in nodes_below(scope.node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    uncalled = bool(view.case.exception and "not callable" in view.case.exception.message)
    for statement in scope.statements():
        if isinstance(statement, FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom):
            continue
        for name, value in bindings(statement).items():
            if name in called & (_BUILTINS | declared) and not _is_kept(scope, name, value):
                whose = "function" if name in declared else "builtin"
                reason = f"`{name}` hides the {whose} of that name"
                known = WEIGHTS.fair if isinstance(value, _DATA) else WEIGHTS.faint
                weight = WEIGHTS.sure if uncalled else known
                yield Finding(scope, statement.lineno, weight, reason, "shadowed", edit=_renamed(scope, name))


def _is_kept(scope: Scope, name: str, value: ast.expr | None) -> bool:
    """`open = open` and `name = name()` of a module, which are meant; a lambda is a function itself."""
    if value is None or isinstance(value, ast.Lambda):
        return value is not None
    return isinstance(scope.node, ast.Module) and name in _names(value)


def _renamed(scope: Scope, name: str) -> Edit | None:
    """The function with its own variable under another name, where it is not called."""
    node, source = scope.node, scope.source
    if not isinstance(node, FunctionNode) or name in [p.arg for p in scope.parameters]:
        return None
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    uses = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name and id(n) not in called]
    if any(isinstance(n, ast.JoinedStr) for n in ast.walk(node)) and _in_f_string(node, name):
        return None  # before Python 3.12 the positions inside of an f-string are not those of the file
    lines = [source.line(n).encode() for n in range(node.lineno, last_line(node) + 1)]
    for use in sorted(uses, key=lambda n: -n.col_offset):
        row = use.lineno - node.lineno
        end = use.col_offset + len(name.encode())
        lines[row] = lines[row][:end] + b"_" + lines[row][end:]
    return Edit(source, node.lineno, last_line(node), [line.decode(errors="replace") for line in lines])


def _in_f_string(node: ast.AST, name: str) -> bool:
    texts = (n for n in ast.walk(node) if isinstance(n, ast.JoinedStr))
    return any(isinstance(n, ast.Name) and n.id == name for text in texts for n in ast.walk(text))


def cache_key(scope: Scope, view: View) -> Iterator[Finding]:
    """A cache whose key leaves out a parameter that the value depends on."""
    node = scope.node
    if not isinstance(node, FunctionNode):
        return
    parameters = {p.arg for p in scope.parameters} - {"self", "cls"}
    tested = [
        (n.left, ast.unparse(n.comparators[0]))
        for _, n in expressions(scope)
        if isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.In | ast.NotIn) and _is_cache(n)
    ]
    for key, cache in tested:
        made = next((s for s in scope.statements() if isinstance(key, ast.Name) and key.id in bindings(s)), None)
        source = made if made is not None else key
        used = {n.id for n in ast.walk(source) if isinstance(n, ast.Name)}
        left_out = sorted(parameters & _stored(scope, cache) - used)
        if left_out and used & parameters:
            reason = f"the cache's key leaves out `{left_out[0]}`: another `{left_out[0]}` gets the same cached value"
            key_made = source.value if isinstance(source, ast.Assign) else key
            edit = swap(scope.source, key_made, _with_part(key_made, left_out[0]))
            yield Finding(scope, source.lineno, WEIGHTS.likely, reason, "cache key", edit=edit)


def _stored(scope: Scope, cache: str) -> set[str]:
    """The names that what is put into the cache is made of, through other names of the function too."""
    made = [(set(bindings(s)), s.value) for s in scope.statements() if isinstance(s, ast.Assign)]
    puts = [s for s in scope.statements() if isinstance(s, ast.Assign) and _is_item(s.targets[0], cache)]
    names, known = {n for s in puts for n in _names(s.value)}, set[str]()
    while names - known:
        known = set(names)
        names |= {n for bound, value in made if bound & known for n in _names(value)}
    return names


def _is_item(target: ast.expr, holder: str) -> bool:
    return isinstance(target, ast.Subscript) and ast.unparse(target.value) == holder


def _names(value: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}


def _is_cache(node: ast.Compare) -> bool:
    return bool(re.search(r"cache|memo|known|computed", ast.unparse(node.comparators[0]).casefold()))


def _with_part(key: ast.expr, name: str) -> str:
    """The key with one more part."""
    parts = [ast.unparse(e) for e in key.elts] if isinstance(key, ast.Tuple) else [ast.unparse(key)]
    return f"({', '.join([*parts, name])})"


RULES = [argument_order, shadowed, cache_key]
