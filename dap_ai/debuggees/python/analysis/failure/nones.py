"""Finds the expression of the failing line that is an unexpected None."""

from __future__ import annotations

import ast
import re
from typing import cast

from dap_ai.agent.case.value_texts import cut, literal, show
from dap_ai.debuggees.python.analysis.failure.failure_evidence import Diagnosis
from dap_ai.debuggees.python.analysis.syntax.nodes import READS
from dap_ai.system.texts import code

_MAX_KEY = 40
_READS_ITEMS = frozenset({"sum", "min", "max", "sorted"})
_OF_OPERANDS = re.compile(r"unsupported operand|not supported between")


def blame(d: Diagnosis, message: str) -> bool:
    """Blame the expression that is None, the call that returned None, or the container of a None.

    Returns whether such an expression was found. `message`: the error's message.
    """
    statement = d.place.statement
    pool = d.in_question
    if isinstance(statement, ast.For):
        pool.append(statement.iter)
    holders = {id(n.value) for n in pool if isinstance(n, ast.Attribute | ast.Subscript)}
    nones = [n for n in pool if (v := d.value(n)) and v.kind == "none" and not isinstance(n, ast.Constant)]
    nones.sort(key=lambda n: id(n) not in holders)
    if nones:
        text = ast.unparse(nones[0])
        d.say(f"{code(text)} is `None`{_key_of(d, nones[0])}.")
        d.advice.append(
            f"Decide what {code(cut(text, 60))} being `None` means: set a value where it is made, reject "
            "it there, or skip it here."
        )
        d.blame(nones[0])
        return True
    calls = [holder for n in pool if isinstance(holder := _read_of(n, message), ast.Call)]
    if calls:
        d.say(f"{code(ast.unparse(calls[0]))} returned `None`.")
        d.roots.append(calls[0])
        return True
    return _none_inside(d, pool) or _none_among(d, pool, message)


def _key_of(d: Diagnosis, node: ast.expr) -> str:
    """Return the value of a subscript's key, as in ` for `code` = `'GB'``; empty if it is unknown or no name."""
    key = node.slice if isinstance(node, ast.Subscript) and isinstance(node.slice, READS) else None
    value = d.value(key) if key else None
    return f" for {code(ast.unparse(key))} = {code(show(value, _MAX_KEY))}" if key and value else ""


def _read_of(node: ast.expr, message: str) -> ast.expr | None:
    """Return the object that the node reads from, if the error message is about that read, else None."""
    match node:
        case ast.Attribute(value=holder, attr=name) if f"no attribute '{name}'" in message:
            return holder
        case ast.Subscript(value=holder) if "subscriptable" in message or "support item" in message:
            return holder
        case _:
            return None


def _none_among(d: Diagnosis, pool: list[ast.expr], message: str) -> bool:
    """Blame the items that the line's `sum`, `min`, `max` or `sorted` reads; return False for another error."""
    if not _OF_OPERANDS.search(message):
        return False
    calls = [n for n in pool if isinstance(n, ast.Call) and ast.unparse(n.func) in _READS_ITEMS and len(n.args) == 1]
    if len(calls) != 1:
        return False
    [call], [items] = calls, calls[0].args
    key = next((k.value for k in call.keywords if k.arg == "key"), None)
    item = code(ast.unparse(key.body)) if isinstance(key, ast.Lambda) else "An item"
    if isinstance(items, ast.GeneratorExp | ast.ListComp) and not key:
        item, items = code(ast.unparse(items.elt)), items.generators[0].iter
    name, verb = ast.unparse(call.func), "adds up" if ast.unparse(call.func) == "sum" else "compares"
    d.say(f"{item}, which {code(name)} {verb}, is `None` for one of {code(ast.unparse(items))}.")
    d.advice.append("Decide what a `None` there means: leave such items out, or set a value where they are made.")
    d.blame(items)
    return True


def _none_inside(d: Diagnosis, pool: list[ast.expr]) -> bool:
    """Blame a container in the line that contains a None; return whether there is such a container."""
    for node in pool:
        path = _path_to_none(literal(d.value(node)))
        if path:
            d.say(f"{code(ast.unparse(node))} holds a `None`: {code(f'{ast.unparse(node)}{path}')}.")
            d.blame(node)
            return True
    return False


def _path_to_none(value: object) -> str:
    """Return the path to the first None in nested plain containers, such as `[3]['score']`, or an empty string."""
    pairs: list[tuple[object, object]] = []
    if isinstance(value, dict):
        pairs = list(cast("dict[object, object]", value).items())
    elif isinstance(value, list | tuple):
        pairs = list(enumerate(cast("list[object]", value)))
    for key, inner in pairs:
        rest = "" if inner is None else _path_to_none(inner)
        if inner is None or rest:
            return f"[{key!r}]{rest}"
    return ""
