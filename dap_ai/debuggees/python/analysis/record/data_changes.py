"""Detects fixes that only change or omit data, so that a pass proves nothing.

Compares only the source texts before and after the edits. Input data is in module-level code and in functions without
parameters: in lists and dicts, in arguments of the file's own functions, and in names set once. A single value with an
upper-case name is a setting, which may be the mistake, so a change of it does not count.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.source_edits import SourceEdit
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import nodes_in, root_name, target_names
from dap_ai.debuggees.python.analysis.record.narrowing import narrowed
from dap_ai.debuggees.python.analysis.syntax.nodes import READS, called_name, calls_in, is_call, is_none, parsed
from dap_ai.system.texts import code

_LEAVING_OUT = frozenset({
    "dropna", "drop_duplicates", "filter", "compress", "notna", "notnull",
    "nansum", "nanmean", "nanmax", "nanmin", "nanmedian", "nanstd", "nanvar", "nanprod",
})  # fmt: skip
_FILLING_IN = frozenset({"fillna", "nan_to_num", "ffill", "bfill", "interpolate", "combine_first"})
_OPTIONS = {
    "skipna": (True,),
    "dropna": (True,),
    "strict": (False,),
    "errors": ("ignore", "coerce", "replace"),
    "on_bad_lines": ("skip", "warn"),
    "error_bad_lines": (False,),
    "ignore_errors": (True,),
}
"""Keyword arguments that make a call omit or replace bad data."""
_DISPLAY = ast.List | ast.Tuple | ast.Set | ast.Dict
_MAX_CODE = 60


class _Marks(NamedTuple):
    """The expressions of a source text that provide, filter or replace data, counted by kind."""

    leaving_out: Counter[str]
    filters: Counter[str]
    """Conditions of comprehensions, and conditions under which a loop's iteration ends early."""
    filling_in: Counter[str]
    given: Counter[str]
    """Literals that are input data."""


def changes_data(edits: Sequence[SourceEdit]) -> str:
    """Return a clause on how the edits change data, such as: data is left out (`dropna()`); empty if they do not."""
    for source, old, new in _both(edits):
        functions = {function.name for function in source.functions}
        if told := _compared(_marks(old, functions), _marks(new, functions)):
            return told
    return ""


def shifted(edits: Sequence[SourceEdit]) -> str:
    """Return a clause on an argument that the edits increase or decrease by a constant; empty if there is none."""
    for _, old, new in _both(edits):
        if more := Counter(_shifts(new)) - Counter(_shifts(old)):
            return f"data on its way is changed ({code(_first(more))})"
    return ""


def _both(edits: Sequence[SourceEdit]) -> Iterator[tuple[SourceFile, ast.Module, ast.Module]]:
    """Yield (file, old tree, new tree) for each edited file, reduced to its edited parts."""
    for source in {edit.source.path: edit.source for edit in edits}.values():
        try:
            old, new = map(parsed, narrowed(source, edits))
        except ValueError:  # the edits cannot be applied
            continue
        if old and new:
            yield source, old, new


def _shifts(tree: ast.Module) -> Iterator[str]:
    """Yield call arguments such as `n + 1` and `n - 1`, where `n` is a parameter or loop variable of the caller."""
    for function in (node for node in ast.walk(tree) if isinstance(node, FunctionNode)):
        names = _handed_in(function)
        for call in calls_in(function):
            if called_name(call) not in ("range", function.name):
                yield from (ast.unparse(each) for each in call.args if _is_shift(each, names))


def _is_shift(node: ast.expr, names: set[str]) -> bool:
    match node:
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add() | ast.Sub(), right=ast.Constant(value=int())):
            return name in names
        case _:
            return False


def _compared(old: _Marks, new: _Marks) -> str:
    if more := new.leaving_out - old.leaving_out:
        return f"data is left out ({code(_first(more))})"
    if new.filters.total() > old.filters.total():
        return f"data is left out ({code(f'if {_first(new.filters - old.filters)}')})"
    if more := new.filling_in - old.filling_in:
        return f"a fixed value takes the place of data ({code(_first(more))})"
    lost, more = old.given - new.given, new.given - old.given
    if lost or more:
        shown = " becomes ".join(code(_first(each)) for each in (lost, more) if each)
        return f"data that the program is given is changed ({shown})"
    return ""


def _first(texts: Counter[str]) -> str:
    return cut(next(iter(texts), ""), _MAX_CODE)


def _marks(tree: ast.Module, functions: set[str]) -> _Marks:
    nodes = list(ast.walk(tree))
    left = Counter(text for node in nodes if isinstance(node, ast.Call) for text in _left_out_by(node))
    left.update(text for node in nodes for text in _choosing(node))
    filters = Counter(text for node in nodes for text in _filters(node))
    filled = Counter(text for node in nodes for text in _filled_by(node))
    filled.update(text for node in nodes if isinstance(node, FunctionNode) for text in _overwritten(node))
    return _Marks(left, filters, filled, Counter(_given(tree, functions)))


def _left_out_by(call: ast.Call) -> Iterator[str]:
    if called_name(call) in _LEAVING_OUT:
        yield f"{called_name(call)}()"
    for keyword in call.keywords:
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        wanted = _OPTIONS.get(keyword.arg or "", ())
        if any(value is each or (isinstance(each, str) and value == each) for each in wanted):
            yield f"{keyword.arg}={value!r}"


def _filters(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.comprehension):
        yield from map(ast.unparse, node.ifs)
    if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Continue | ast.Break):
        yield ast.unparse(node.test)
    if isinstance(node, ast.ExceptHandler) and isinstance(node.body[-1], ast.Continue | ast.Pass):
        yield "..."


def _choosing(node: ast.AST) -> Iterator[str]:
    """Yield a conditional that switches a filter on or off: `[x for x in xs if x] if skip else xs`."""
    if isinstance(node, ast.IfExp) and _has_filter(node.body, node.orelse):
        yield ast.unparse(node)
    if isinstance(node, ast.If) and _has_filter(*node.body):
        yield ast.unparse(node.test)


def _has_filter(*nodes: ast.AST) -> bool:
    return any(isinstance(n, ast.comprehension) and n.ifs for n in nodes_in(*nodes))


def _filled_by(node: ast.AST) -> Iterator[str]:
    """Yield defaults for missing data: `x or 0`, `0 if x is None else x`, `xs.fillna(0)`."""
    match node:
        case ast.BoolOp(op=ast.Or(), values=[*_, ast.Constant(value=int() | float() | str())]):
            yield ast.unparse(node)
        case (
            ast.IfExp(body=ast.Constant(value=value), orelse=place)
            | ast.IfExp(body=place, orelse=ast.Constant(value=value))
        ) if isinstance(value, int | float | str) and isinstance(place, READS):
            yield ast.unparse(node)
        case ast.Call() if called_name(node) in _FILLING_IN:
            yield f"{called_name(node)}()"
        case _:
            pass


def _overwritten(function: FunctionNode) -> Iterator[str]:
    """Yield assignments of a literal to a parameter, a loop variable, or a part of its value."""
    names = _handed_in(function)
    made = (n for n in ast.walk(function) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant))
    for node in (n for n in made if len(n.targets) == 1 and not is_none(n.value)):
        if root_name(node.targets[0]) in names:
            yield ast.unparse(node)


def _handed_in(function: FunctionNode) -> set[str]:
    """Return the function's parameters and loop variables, without variables of loops over `range` or `enumerate`."""
    parameters = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.AsyncFor)]
    real = (loop for loop in loops if not is_call(loop.iter, "range", "enumerate", "count"))
    return parameters - {"self", "cls"} | {name for loop in real for name in target_names(loop.target)}


def _given(tree: ast.Module, functions: set[str]) -> Iterator[str]:
    """Yield the literals that are input data. `functions`: names of the file's own functions."""
    for scope in (tree, *(node for node in ast.walk(tree) if _has_no_input(node))):
        nodes = list(_own_nodes(scope))
        stores = Counter(n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
        repeated = {id(side) for n in nodes if isinstance(n, ast.BinOp) for side in (n.left, n.right)}
        for node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if stores[name] == 1 and not name.isupper():
                    yield from _literal(value)
                case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() if id(node) not in repeated:
                    yield from (text for child in ast.iter_child_nodes(node) for text in _literal(child))
                case ast.Call(func=ast.Name(id=name)) if name in functions:
                    values = (*node.args, *(keyword.value for keyword in node.keywords))
                    yield from (text for value in values for text in _literal(value))
                case _:
                    pass


def _literal(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        yield ast.unparse(node)
    elif isinstance(node, ast.Constant):
        yield repr(node.value)


def _has_no_input(node: ast.AST) -> bool:
    return isinstance(node, FunctionNode) and not any(isinstance(n, ast.arg) for n in ast.walk(node.args))


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module or function, without those of nested functions and classes."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, FunctionNode | ast.ClassDef | ast.Lambda):
            yield child
            yield from _own_nodes(child)
