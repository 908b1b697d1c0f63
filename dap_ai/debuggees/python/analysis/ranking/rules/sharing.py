"""Shared objects: mutable defaults, repeated lists, class attributes; containers changed by their own loop."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import MUTATORS, bindings, mutations, names_in, own_statements
from dap_ai.debuggees.python.analysis.ranking.suspected_mistakes import (
    RuleContext,
    SourceEdit,
    SuspectedMistake,
    expressions,
    swap,
)
from dap_ai.debuggees.python.analysis.ranking.weights import WEIGHTS
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, can_repeat, defaults, is_call
from dap_ai.system.texts import code

REPEATED = "aliasing"
_TAKERS = ("remove", "pop", "clear", "discard", "popitem", "popleft")
_FRESH = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp


def mutable_default(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find mutable parameter defaults, shared by all calls, that the function stores or changes."""
    node = scope.node
    if not isinstance(node, FunctionNode):
        return
    for parameter, default in reversed(list(defaults(node))):
        if not _is_mutable(default) or parameter.arg in names_in(default):
            continue
        changed = any(root == parameter.arg for s in own_statements(node) for root, _, _ in mutations(s))
        kept = any(
            isinstance(s, ast.Assign | ast.Return) and isinstance(s.value, ast.Name) and s.value.id == parameter.arg
            for s in own_statements(node)
        )
        if changed or kept:
            reason = (
                f"the default {code(f'{parameter.arg}={ast.unparse(default)}')} is made once and shared by every call"
            )
            weight = WEIGHTS.sure if changed or _changed_later(scope, parameter.arg) else WEIGHTS.possible
            edit = _none_default(scope, parameter, default)
            yield SuspectedMistake(scope, default.lineno, weight, reason, "mutable default", edit=edit)


def _changed_later(scope: FunctionScope, name: str) -> bool:
    """Whether the parameter is returned, or the attribute that stores it is changed in this file."""
    kept = [s for s in scope.statements() if isinstance(getattr(s, "value", None), ast.Name)]
    attributes = {
        t.attr
        for s in kept
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Name) and s.value.id == name
        for t in s.targets
        if isinstance(t, ast.Attribute)
    }
    returned = any(isinstance(s, ast.Return) and ast.unparse(s.value or s) == name for s in kept)
    changed = ((s, text) for f in scope.source.functions for s in own_statements(f) for _, text, _ in mutations(s))
    texts = [text for s, text in changed if "[" in text or not isinstance(s, ast.Assign | ast.AnnAssign)]
    return returned or any(text.partition("[")[0].rpartition(".")[2] in attributes for text in texts)


def _none_default(scope: FunctionScope, parameter: ast.arg, default: ast.expr) -> SourceEdit | None:
    node = scope.node
    first = swap(scope.source, default, "None")
    if first is None or isinstance(node, ast.Module) or node.body[0].lineno != default.lineno + 1:
        return None
    pad = " " * node.body[0].col_offset
    first.lines += [f"{pad}if {parameter.arg} is None:", f"{pad}    {parameter.arg} = {ast.unparse(default)}"]
    return first


def class_default(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find a list or dict in a class body that methods change through `self`."""
    owner = scope.owner
    if owner is None:
        return
    for statement in owner.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, _FRESH):
            for name in bindings(statement):
                statements = (s for f in owner.body for s in own_statements(f))
                own = any(f"self.{name} =" in scope.source.line(s.lineno) for s in statements)
                shared = any(f"{each}.{name}" in scope.source.text for each in (owner.name, "cls"))
                changed = (text.partition("[")[0] for s in scope.statements() for _, text, _ in mutations(s))
                if not own and not shared and f"self.{name}" in changed:
                    reason = f"{code(name)} belongs to the class: all instances share one object"
                    yield SuspectedMistake(scope, statement.lineno, WEIGHTS.sure, reason, "class default")


def repeated(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find `[[0] * n] * m`: m references to one list."""
    for _, node in expressions(scope):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for part, count in ((node.left, node.right), (node.right, node.left)):
                if isinstance(part, ast.List) and any(_is_mutable(e) for e in part.elts):
                    text = f"[{ast.unparse(part)[1:-1]} for _ in range({ast.unparse(count)})]"
                    reason = f"{code(ast.unparse(node))} repeats one and the same object"
                    edit = swap(scope.source, node, text)
                    yield SuspectedMistake(scope, node.lineno, WEIGHTS.sure, reason, REPEATED, edit=edit)
        given = node.args if isinstance(node, ast.Call) and called_name(node) == "fromkeys" else []
        if len(given) == 2 and _is_mutable(given[1]):
            reason = f"{code(ast.unparse(node))} stores one and the same object under every key"
            yield SuspectedMistake(scope, node.lineno, WEIGHTS.sure, reason, REPEATED)


def _is_mutable(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_mutable(node.left) or _is_mutable(node.right)
    return isinstance(node, _FRESH) or ast.unparse(node) in ("list()", "dict()", "set()")


def changed_while_read(scope: FunctionScope, view: RuleContext) -> Iterator[SuspectedMistake]:
    """Find containers that a loop changes while it iterates over them."""
    for loop in scope.statements():
        if not isinstance(loop, ast.For):
            continue
        name = ast.unparse(loop.iter)
        for holder in (".items()", ".keys()", ".values()"):
            name = name.removesuffix(holder)
        name = name.removeprefix("enumerate(").removesuffix(")") if name.startswith("enumerate(") else name
        for statement in own_statements(loop):
            gone = statement.targets if isinstance(statement, ast.Delete) else []
            removal = any(isinstance(t, ast.Subscript) and ast.unparse(t.value) == name for t in gone)
            call = statement.value if isinstance(statement, ast.Expr) else None
            func = call.func if isinstance(call, ast.Call) else None
            method = isinstance(func, ast.Attribute) and func.attr in MUTATORS and ast.unparse(func.value) == name
            if (removal or method) and can_repeat(loop, statement):
                shrinks = removal or is_call(call, *_TAKERS)
                is_sure = shrinks or _is_resized(view)
                weight, there = (WEIGHTS.fair, WEIGHTS.possible) if is_sure else (WEIGHTS.possible, WEIGHTS.faint)
                what, skips = ("is made smaller", ": it may skip items") if shrinks else ("is changed", "")
                reason = f"{code(name)} {what} while the loop iterates over it{skips}"
                yield SuspectedMistake(scope, statement.lineno, weight, reason, "changed in loop")
                reason = f"this loop iterates over {code(name)} while its body changes it"
                edit = swap(scope.source, loop.iter, f"list({ast.unparse(loop.iter)})")
                yield SuspectedMistake(scope, loop.lineno, there, reason, "changed in loop", edit=edit)


def _is_resized(view: RuleContext) -> bool:
    error = view.case.exception
    return bool(error and "changed size during iteration" in error.message)


RULES = [mutable_default, class_default, repeated, changed_while_read]
