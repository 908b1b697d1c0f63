"""Finds what a statement changes in place: stores into containers and attributes, and calls known to change a value.

A call of an unknown method counts as a change if its result is dropped and not displayed by the cell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.statements import MUTATORS, mutations, root_name

_ALSO_CHANGE = MUTATORS | {
    "fit", "partial_fit", "seed", "write", "writelines", "backward", "step", "zero_grad", "load_state_dict",
    "resize", "fill", "put", "itemset", "set_index", "rotate", "intersection_update", "difference_update",
}  # fmt: skip
_ONLY_WITH_INPLACE = frozenset(["set_index"])
_SHOW = frozenset([
    "head", "tail", "info", "describe", "show", "plot", "hist", "print", "display", "savefig", "sample",
    "value_counts", "to_csv", "to_parquet", "to_json", "close", "flush", "read", "keys", "values", "items",
])  # fmt: skip
_CHANGES_FIRST = frozenset(["shuffle", "heapify", "heappush", "heappop", "insort", "setattr", "delattr", "next"])
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


class InPlaceChanges:
    """Knows which parameters the functions and methods of the cells change in place."""

    def __init__(self) -> None:
        self._changed: dict[str, set[int]] = {}
        self._methods: dict[str, bool] = {}
        self._modules: set[str] = set()

    def learn(self, node: ast.stmt) -> None:
        """Records an executed statement's function, class or import; a later definition replaces an earlier one."""
        if isinstance(node, _FUNCTIONS):
            self._changed[node.name] = self._parameters(node)
        if isinstance(node, ast.ClassDef):
            for method in (m for m in node.body if isinstance(m, _FUNCTIONS)):
                self._methods[method.name] = 0 in self._parameters(method)
        if isinstance(node, ast.Import):
            self._modules |= {(a.asname or a.name).partition(".")[0] for a in node.names}

    def _parameters(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
        names = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
        changed = {c for s in inner_statements(function) for c in changes_of(s, self)}
        return {index for index, name in enumerate(names) if name in changed}

    def by_call(self, call: ast.Call, *, is_dropped: bool) -> Iterator[str | None]:
        """Yields names whose values a call changes. `is_dropped`: the call's result is not used."""
        match call.func:
            case ast.Name(id=name):
                which = {0} if name in _CHANGES_FIRST else self._changed.get(name, set())
            case ast.Attribute(value=holder, attr=name):
                which = {0} if name in _CHANGES_FIRST else set[int]()
                root = root_name(holder)
                if root not in self._modules and self._by_method(name, call, is_dropped=is_dropped):
                    yield root
            case _:
                return
        for index, argument in enumerate(call.args):
            if index in which:
                yield root_name(argument)

    def _by_method(self, name: str, call: ast.Call, *, is_dropped: bool) -> bool:
        if name in self._methods:
            return self._methods[name]
        if any(k.arg == "inplace" and isinstance(k.value, ast.Constant) and k.value.value for k in call.keywords):
            return True
        if name in _ONLY_WITH_INPLACE:
            return False
        return name in _ALSO_CHANGE or (is_dropped and name not in _SHOW)


def changes_of(statement: ast.stmt, known: InPlaceChanges, *, is_last: bool = False) -> set[str]:
    """Returns names whose values a statement changes; of a compound statement, only the header counts."""
    found: set[str | None] = {root for root, _, _ in mutations(statement)}
    dropped = statement.value if isinstance(statement, ast.Expr) and not is_last else None
    for call in _calls(statement):
        found |= set(known.by_call(call, is_dropped=call is dropped))
    return {name for name in found if name}


def inner_statements(node: ast.stmt) -> Iterator[ast.stmt]:
    """Yields the statement and all statements nested in it, including those of functions."""
    yield from (n for n in ast.walk(node) if isinstance(n, ast.stmt))


def _calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """Yields the calls in the statement itself, not in statements nested in it."""
    queue: list[ast.AST] = [statement]
    while queue:
        node = queue.pop()
        queue += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
        if isinstance(node, ast.Call):
            yield node
