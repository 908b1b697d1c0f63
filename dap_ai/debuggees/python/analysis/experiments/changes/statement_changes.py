"""Generates small changes to one statement: to the assigned value, to its position, or its removal."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dap_ai.agent.source.indexing import nodes_below, once_per_node
from dap_ai.agent.source.statements import body_fields
from dap_ai.debuggees.python.analysis.experiments.changes.change_kinds import (
    BINARY,
    Scopes,
    SourceChange,
    in_place,
    line_change,
)

_OF_IMMUTABLE = {
    "capitalize", "casefold", "format", "lower", "lstrip", "removeprefix", "removesuffix", "replace", "rstrip",
    "strip", "title", "upper", "zfill",
}  # fmt: skip
"""Names of methods without side effects: a call is only useful for its result."""

_TEXT_OR_CONTAINER = (
    ast.JoinedStr | ast.List | ast.Tuple | ast.Set | ast.Dict | ast.ListComp | ast.DictComp | ast.SetComp
)


def statement_changes(node: ast.stmt, scopes: Scopes, lines: list[str]) -> Iterator[SourceChange]:
    """Yield each small change to a statement."""
    parent = scopes.parents.get(node)
    siblings = next((b for b in (body_fields(parent) if parent else ()) if node in b), list[ast.stmt]())
    pad = " " * node.col_offset
    match node:
        case ast.AugAssign(target=target, op=op, value=value):
            for sign in BINARY.get(type(op), []):
                yield in_place("operator", node, f"{ast.unparse(target)} {sign}= {ast.unparse(value)}")
            yield in_place("overwrite", node, f"{ast.unparse(target)} = {ast.unparse(value)}")
        case ast.Assign(targets=[target], value=value) if isinstance(target, ast.Name | ast.Subscript | ast.Attribute):
            loop = isinstance(parent, ast.For | ast.While | ast.If)
            if loop or not isinstance(target, ast.Name):
                yield in_place("accumulate", node, f"{ast.unparse(target)} += {ast.unparse(value)}")
                for choice in ("max", "min") if _may_be_a_number(target, value) else ():
                    chosen = f"{choice}({ast.unparse(target)}, {ast.unparse(value)})"
                    yield in_place("largest", node, f"{ast.unparse(target)} = {chosen}")
            if isinstance(value, ast.Name | ast.Attribute | ast.Subscript):
                for made in (f"{ast.unparse(value)}.copy()", f"list({ast.unparse(value)})"):
                    yield in_place("copy", node, f"{ast.unparse(target)} = {made}")
            if isinstance(parent, ast.For | ast.While) and node in parent.body and _begins(value):
                head = lines[parent.lineno - 1 : node.lineno - 1]
                text = "\n".join([" " * parent.col_offset + lines[node.lineno - 1].strip(), *head])
                end = len(lines[node.lineno - 1].encode())
                yield SourceChange("start out of loop", parent.lineno, 0, node.lineno, end, text)
        case ast.Expr(value=ast.Call() as call) if holder := _holder(call, scopes.tree):
            yield in_place("keep", node, f"{ast.unparse(holder)} = {ast.unparse(call)}")
        case ast.Return(value=value):
            if isinstance(parent, ast.For | ast.While) and node.lineno == node.end_lineno:
                text = " " * parent.col_offset + lines[node.lineno - 1].strip()
                yield line_change("return out of loop", node.lineno, text, lines)
            if value is not None and not isinstance(value, ast.Constant):
                if isinstance(value, ast.Compare | ast.BoolOp | ast.Name):
                    yield in_place("negation", node, f"return not ({ast.unparse(value)})")
                if not isinstance(value, ast.Compare | ast.BoolOp):
                    yield in_place("convert", node, f"return -({ast.unparse(value)})")
            if isinstance(value, ast.Name | ast.Attribute):
                for made in (f"list({ast.unparse(value)})", f"{ast.unparse(value)}.copy()"):
                    yield in_place("copy", node, f"return {made}")
            if isinstance(value, ast.GeneratorExp):
                yield in_place("list", node, f"return [{ast.unparse(value)[1:-1]}]")
        case ast.For(iter=iterable) if not isinstance(iterable, ast.Call) or ast.unparse(iterable.func) != "range":
            yield in_place("copy", iterable, f"list({ast.unparse(iterable)})")
        case ast.Break():
            yield in_place("jump", node, "continue")
            yield in_place("jump", node, "pass")
        case ast.Continue():
            yield in_place("jump", node, "break")
            yield in_place("jump", node, "pass")
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return
        case ast.FunctionDef(body=body):
            last = body[-1]
            end = lines[(last.end_lineno or 1) - 1]
            if not isinstance(last, ast.Return | ast.Raise):
                for name in scopes.names(last, after=True):
                    text = f"{end}\n{' ' * body[0].col_offset}return {name}"
                    yield line_change("return", last.end_lineno or 1, text, lines)
            return
        case _:
            pass
    simple = node.lineno == node.end_lineno and isinstance(node, ast.Expr | ast.Assign | ast.AugAssign)
    if simple and siblings:
        position = siblings.index(node)
        before = siblings[position - 1] if position else None
        if isinstance(before, ast.For | ast.While | ast.If):
            text = " " * before.body[0].col_offset + lines[node.lineno - 1].strip()
            yield line_change("indent", node.lineno, text, lines)
        yield in_place("remove", node, "pass")
        if position + 1 < len(siblings):
            after = siblings[position + 1]
            is_below = after.lineno == after.end_lineno == node.lineno + 1
            if is_below and isinstance(after, ast.Expr | ast.Assign | ast.AugAssign | ast.Return):
                text = f"{lines[after.lineno - 1].strip()}\n{pad}{lines[node.lineno - 1].strip()}"
                end = lines[node.lineno]
                yield SourceChange("order", node.lineno, node.col_offset, after.lineno, len(end.encode()), text)
        if isinstance(parent, ast.For | ast.While | ast.If) and position == len(siblings) - 1 and position > 0:
            text = " " * parent.col_offset + lines[node.lineno - 1].strip()
            yield line_change("indent", node.lineno, text, lines)


def _may_be_a_number(target: ast.expr, value: ast.expr) -> bool:
    """Whether `max` or `min` may apply: the value is not text or a container, and reads no attribute of the target."""
    if isinstance(value, _TEXT_OR_CONTAINER):
        return False
    name = ast.unparse(target)
    return not any(isinstance(n, ast.Attribute) and ast.unparse(n.value) == name for n in ast.walk(value))


def _begins(value: ast.expr) -> bool:
    """Whether a value is a typical start value for counting or collecting."""
    match value:
        case ast.Constant() | ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name(id="set" | "dict" | "list"), args=[]):
            return True
        case _:
            return False


def _holder(call: ast.Call, tree: ast.Module) -> ast.expr | None:
    """Return the variable that may need a call's unused result: the call's object or its first argument; else None."""
    match call:
        case ast.Call(func=ast.Attribute(value=holder, attr=name)) if name in _OF_IMMUTABLE:
            pass
        case ast.Call(func=ast.Name(id=name), args=[holder, *_]) if name in _giving(tree):
            pass
        case _:
            return None
    return holder if isinstance(holder, ast.Name | ast.Attribute | ast.Subscript) else None


@once_per_node
def _giving(tree: ast.Module) -> set[str]:
    """Return the names of a file's functions that return a value."""
    functions = (node for node in nodes_below(tree) if isinstance(node, ast.FunctionDef))
    return {f.name for f in functions if any(isinstance(n, ast.Return) and n.value for n in nodes_below(f))}
