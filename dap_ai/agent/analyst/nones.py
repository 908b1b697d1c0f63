"""A None where a value was wanted: which expression of the failing line it is."""

from __future__ import annotations

import ast
from typing import cast

from dap_ai.agent.analyst.facts import Diagnosis
from dap_ai.agent.values import cut, literal


def blame(d: Diagnosis) -> bool:
    """Blame the expression that is None, the call that gave it, or the container that holds it; False: none is."""
    statement = d.place.statement
    pool = d.in_question
    if isinstance(statement, ast.For):
        pool.append(statement.iter)
    holders = {id(n.value) for n in pool if isinstance(n, ast.Attribute | ast.Subscript)}
    nones = [n for n in pool if (v := d.value(n)) and v.kind == "none" and not isinstance(n, ast.Constant)]
    nones.sort(key=lambda n: id(n) not in holders)
    if nones:
        text = ast.unparse(nones[0])
        d.say(f"`{text}` is `None`.")
        d.advice.append(
            f"Decide what `{cut(text, 60)}` being `None` means: give a value where it is made, refuse it there, "
            "or skip it here."
        )
        d.blame(nones[0])
        return True
    calls = [n.value for n in pool if isinstance(n, ast.Attribute | ast.Subscript) and isinstance(n.value, ast.Call)]
    if calls:
        d.say(f"`{ast.unparse(calls[0])}` gave `None`.")
        d.roots.append(calls[0])
        return True
    return _none_inside(d, pool)


def _none_inside(d: Diagnosis, pool: list[ast.expr]) -> bool:
    """Blames a container of the line that holds a `None`."""
    for node in pool:
        path = _path_to_none(literal(d.value(node)))
        if path:
            d.say(f"`{ast.unparse(node)}` holds a `None`: `{ast.unparse(node)}{path}`.")
            d.blame(node)
            return True
    return False


def _path_to_none(value: object) -> str:
    """`[3]['score']`: where in nested plain containers the first None is; empty if nowhere."""
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
