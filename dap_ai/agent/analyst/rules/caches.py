"""Kept results that live on after what they were made from has changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.analyst.definitions import Scope, control_tests, mutations
from dap_ai.agent.analyst.edits import Edit
from dap_ai.agent.analyst.findings import Finding, View
from dap_ai.agent.case.source import FunctionNode, own_statements


def stale(scope: Scope, view: View) -> Iterator[Finding]:  # noqa: ARG001  every rule has the same signature
    """A method that changes an attribute and leaves a cache of the same class as it was, which is filled from it."""
    owner, node = scope.owner, scope.node
    if owner is None or not isinstance(node, FunctionNode) or node.name == "__init__":
        return
    for cache, source in _caches(owner):
        for statement in own_statements(node):
            changed = next((text for _, text, _ in mutations(statement) if _attribute(text) == source), "")
            if changed and f"self.{cache}" not in ast.unparse(node):
                reason = f"changes `self.{source}`, while `self.{cache}` keeps what was computed from it before"
                edit = _forgetting(scope, statement, f"self.{cache}", changed)
                yield Finding(scope, statement.lineno, 0.6, reason, "stale cache", edit=edit)


def _caches(owner: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """(cache, attribute that it is filled from) of `if k not in self.cache: self.cache[k] = ... self.attribute ...`."""
    for function in (f for f in owner.body if isinstance(f, FunctionNode)):
        for statement in own_statements(function):
            match statement:
                case ast.Assign(targets=[ast.Subscript(value=ast.Attribute() as cache)], value=value):
                    tests = [ast.unparse(test) for _, test in control_tests(function, statement.lineno)]
                    if not any(f"not in {ast.unparse(cache)}" in test for test in tests):
                        continue
                    held = (n for n in ast.walk(value) if isinstance(n, ast.Attribute))
                    yield from ((cache.attr, n.attr) for n in held if _is_own(n) and n.attr != cache.attr)
                case _:
                    pass


def _is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _attribute(text: str) -> str:
    """`table` of `self.table[key]`."""
    return text.removeprefix("self.").partition("[")[0] if text.startswith("self.") else ""


def _forgetting(scope: Scope, statement: ast.stmt, cache: str, changed: str) -> Edit:
    last = statement.end_lineno or statement.lineno
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    key = ast.unparse(target.slice) if isinstance(target, ast.Subscript) and ast.unparse(target) == changed else ""
    forget = f"{cache}.pop({key}, None)" if key else f"{cache}.clear()"
    return Edit(scope.source, last, last, [scope.source.line(last), f"{' ' * statement.col_offset}{forget}"])


RULES = [stale]
