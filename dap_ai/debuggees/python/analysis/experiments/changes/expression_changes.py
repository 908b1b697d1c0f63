"""Generates small changes to one expression: to operators, bounds, names and arguments."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator

from dap_ai.debuggees.python.analysis.experiments.changes.change_kinds import (
    BINARY,
    IDLE,
    Scopes,
    factor_text,
    near_texts,
    operand_text,
    sign_text,
)

_COMPARE: dict[type[ast.cmpop], list[tuple[str, str]]] = {
    ast.Lt: [("<=", "comparison"), (">", "flip"), (">=", "other comparison")],
    ast.LtE: [("<", "comparison"), (">=", "flip"), (">", "other comparison")],
    ast.Gt: [(">=", "comparison"), ("<", "flip"), ("<=", "other comparison")],
    ast.GtE: [(">", "comparison"), ("<=", "flip"), ("<", "other comparison")],
    ast.Eq: [("!=", "inversion"), ("<=", "odd comparison"), (">=", "odd comparison")],
    ast.NotEq: [("==", "inversion")],
    ast.In: [("not in", "inversion")],
    ast.NotIn: [("in", "inversion")],
    ast.Is: [("is not", "inversion"), ("==", "other comparison")],
    ast.IsNot: [("is", "inversion")],
}
_PAIRS = (
    ("min", "max"), ("any", "all"), ("append", "extend"), ("floor", "ceil"), ("lower", "upper"), ("keys", "values"),
    ("startswith", "endswith"), ("union", "intersection"), ("lstrip", "rstrip"), ("bisect_left", "bisect_right"),
    ("find", "rfind"),
)  # fmt: skip
_OTHER = {"popleft": "pop", **dict(_PAIRS), **{two: one for one, two in _PAIRS}}
_OF_ARGUMENTS = (("convert", "int({})"), ("convert", "float({})"), ("copy", "list({})"), ("copy", "{}.copy()"))
"""(kind of change, format string) for each change to an argument."""


def expression_changes(node: ast.expr, scopes: Scopes) -> Iterator[tuple[str, str]]:
    """Yield (kind, new text) for each small change to an expression."""
    parent = scopes.parents.get(node)
    text = ast.unparse(node)
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            one, two = operand_text(left), operand_text(right)
            for other_sign, kind in _COMPARE.get(type(op), []):
                yield kind, f"{one} {other_sign} {two}"
            if isinstance(op, ast.Eq | ast.NotEq) and not isinstance(right, ast.Constant):
                sides = one.removesuffix(".lower()"), two.removesuffix(".lower()")
                for call in (".lower()", ".strip()", ".strip().lower()"):
                    yield "text", f"{sides[0]}{call} {sign_text(op)} {sides[1]}{call}"
            if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                order = sign_text(op)
                for near in reversed(near_texts(right)):
                    yield "bound", f"{one} {order} {near}"
                yield "convert", f"abs({one}) {order} {two}"
                if isinstance(op, ast.Lt | ast.LtE) and not isinstance(left, ast.Constant):
                    yield "lower bound", f"0 <= {one} {order} {two}"
        case ast.Compare(left=left, ops=ops, comparators=rights):
            for index, op in enumerate(ops):
                for other_sign, kind in _COMPARE.get(type(op), []):
                    signs = [sign_text(o) for o in ops]
                    signs[index] = other_sign
                    rest = (f" {sign} {operand_text(right)}" for sign, right in zip(signs, rights, strict=True))
                    yield kind, operand_text(left) + "".join(rest)
        case ast.BinOp(left=left, op=op, right=right):
            one, two = factor_text(left), factor_text(right)
            for new in BINARY.get(type(op), []):
                if (new, two) not in IDLE:
                    yield "operator", f"{one} {new} {two}"
            if isinstance(op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow):
                yield "operands", f"{two} {sign_text(op)} {one}"
            if isinstance(op, ast.Sub) and not isinstance(parent, ast.Call | ast.Slice):
                yield "convert", f"abs({text})"
            if isinstance(op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv):
                yield "bound" if isinstance(right, ast.Constant) else "remove", one
            if isinstance(left, ast.BinOp) and not isinstance(op, ast.Mult) and isinstance(left.op, ast.Add | ast.Sub):
                grouped = f"({factor_text(left.right)} {sign_text(op)} {two})"
                yield "operator", f"{factor_text(left.left)} {sign_text(left.op)} {grouped}"
            multiplies = isinstance(right, ast.BinOp) and isinstance(right.op, ast.Mult | ast.Div | ast.FloorDiv)
            if isinstance(op, ast.Add | ast.Sub) and isinstance(right, ast.BinOp) and multiplies:
                grouped = f"({one} {sign_text(op)} {factor_text(right.left)})"
                yield "operator", f"{grouped} {sign_text(right.op)} {factor_text(right.right)}"
            for convert in ("int", "float", "str"):
                yield "convert", f"{one} {sign_text(op)} {convert}({ast.unparse(right)})"
                yield "convert", f"{convert}({ast.unparse(left)}) {sign_text(op)} {two}"
        case ast.BoolOp(op=op, values=values):
            word = " or " if isinstance(op, ast.And) else " and "
            yield "logic", word.join(operand_text(v) for v in values)
            for value in values:
                rest = [v for v in values if v is not value]
                yield "remove", (" and " if isinstance(op, ast.And) else " or ").join(operand_text(v) for v in rest)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "negation", ast.unparse(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield "number", ast.unparse(operand)
        case ast.Constant(value=bool() as value):
            yield "logic", str(not value)
        case ast.Constant(value=int() as value) if not isinstance(parent, ast.FormattedValue):
            small = "number" if -2 <= value <= 3 and not isinstance(parent, ast.Assign) else "value"
            if isinstance(parent, ast.Subscript) and parent.slice is node:
                for name in scopes.names(node):
                    yield "index name", name
            others = [(small, value + 1), (small, value - 1), *(("value", n) for n in (0, 1) if abs(n - value) > 1)]
            sign = sign_text(parent.op) if isinstance(parent, ast.BinOp) and parent.right is node else ""
            yield from ((kind, str(other)) for kind, other in others if (sign, str(other)) not in IDLE)
        case ast.Constant(value=float() as value):
            for other in (1 - value, value * 10, value / 10, value * 100, value / 100, -value):
                yield "value", repr(round(other, 12))
        case ast.Constant(value=str() as value) if not isinstance(parent, ast.Expr):
            for other in difflib.get_close_matches(value, scopes.strings - {value}, 3, 0.5):
                yield "key", repr(other)
        case ast.Name(id=name, ctx=ast.Load()):
            called = isinstance(parent, ast.Call) and parent.func is node
            if called and name in _OTHER:
                yield "extremum", _OTHER[name]
            elif not called:
                for other in scopes.names(node):
                    if other != name:
                        yield "name" if other in scopes.read(node) else "unused name", other
        case ast.Attribute(value=value, attr=attr, ctx=ast.Load()):
            if attr in _OTHER:
                yield "extremum", f"{ast.unparse(value)}.{_OTHER[attr]}"
            called = isinstance(parent, ast.Call) and parent.func is node
            if isinstance(value, ast.Name) and not called:
                for other in scopes.attributes(node, value.id):
                    if other != attr:
                        yield "attribute", f"{value.id}.{other}"
        case ast.Subscript(value=value, slice=index, ctx=ast.Load()):
            yield from _subscript(value, index)
        case ast.Call():
            yield from _call(node)
        case ast.Tuple(elts=elts) if len(elts) in (2, 3) and not any(isinstance(e, ast.Starred) for e in elts):
            texts = [ast.unparse(e) for e in elts]
            for turned in _turned(texts):
                yield "arguments", _tuple(turned, node)
            if isinstance(node.ctx, ast.Load):
                for index, element in enumerate(texts):
                    yield "convert", _tuple(_with(texts, index, f"int({element})"), node)
                for name in scopes.names(node):
                    if name not in texts:
                        yield "key", _tuple([*texts, name], node)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "negation", f"{operand_text(orelse)} if {ast.unparse(test)} else {operand_text(body)}"
        case _:
            pass
    if (isinstance(parent, ast.If | ast.While | ast.IfExp) and parent.test is node) or (
        isinstance(parent, ast.comprehension) and node in parent.ifs
    ):
        if not isinstance(node, ast.UnaryOp | ast.Compare):
            yield "negation", f"not ({text})"
        for other in scopes.names(node)[:4]:
            if isinstance(node, ast.Name) and other != text:
                yield "logic", f"{text} and {other}"


def _turned(texts: list[str]) -> Iterator[list[str]]:
    """Yield copies of the list with two neighbours swapped, one copy for each pair of neighbours."""
    for at in range(len(texts) - 1):
        yield [*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]]


def _with(texts: list[str], index: int, text: str) -> list[str]:
    """Return a copy of the list with the text at `index` replaced."""
    return [*texts[:index], text, *texts[index + 1 :]]


def _tuple(texts: list[str], node: ast.Tuple) -> str:
    bare = node.elts and node.col_offset == node.elts[0].col_offset
    return ", ".join(texts) if bare else f"({', '.join(texts)})"


def _subscript(value: ast.expr, index: ast.expr) -> Iterator[tuple[str, str]]:
    holder = ast.unparse(value)
    if isinstance(index, ast.Slice):
        low, high, step = (ast.unparse(p) if p else "" for p in (index.lower, index.upper, index.step))
        tail = f":{step}" if step else ""
        for one, two in ((low, ""), ("", high), (high, low)):
            if (one, two) != (low, high):
                yield "bound", f"{holder}[{one}:{two}{tail}]"
        for bound in near_texts(index.upper) if index.upper else ():
            yield "bound", f"{holder}[{low}:{bound}{tail}]"
        for bound in near_texts(index.lower) if index.lower else ():
            yield "bound", f"{holder}[{bound}:{high}{tail}]"
        if not low and not high:
            yield "bound", f"{holder}[1:{tail}]"
        if step:
            yield "bound", f"{holder}[{low}:{high}]"
    elif not isinstance(index, ast.Constant | ast.Tuple | ast.JoinedStr):
        for near in reversed(near_texts(index)):
            yield "index", f"{holder}[{near}]"


def _call(node: ast.Call) -> Iterator[tuple[str, str]]:
    func = ast.unparse(node.func)
    given = [ast.unparse(a) for a in node.args]
    named = [f"{k.arg}={ast.unparse(k.value)}" if k.arg else f"**{ast.unparse(k.value)}" for k in node.keywords]
    if func == "range":
        for index, argument in enumerate(node.args):
            for moved in near_texts(argument):
                yield "bound", f"range({', '.join(_with(given, index, moved))})"
        if len(given) == 1:
            yield "bound", f"range(1, {given[0]})"
            yield "bound", f"range(1, {given[0]} + 1)"
        return
    for turned in _turned(given) if not any(isinstance(a, ast.Starred) for a in node.args) else ():
        yield "arguments", f"{func}({', '.join([*turned, *named])})"
    if func == "sorted" or func.endswith(".sort"):
        reverse = any(k.arg == "reverse" for k in node.keywords)
        rest = [n for n in named if not n.startswith("reverse=")]
        yield "extremum", f"{func}({', '.join([*given, *rest, *([] if reverse else ['reverse=True'])])})"
    if func in ("int", "round", "sorted", "set", "abs", "list", "reversed", "str", "float", "len") and given:
        yield "remove", given[0]
    if func.endswith(".pop") and not named:
        yield "index", f"{func}({'' if given else '0'})"
        if given:
            yield "index", f"{func}(-1)"
    if func.endswith(".popitem"):
        yield "index", f"{func}({'' if named else 'last=False'})"
    if func.endswith(".append") and len(given) == 1:
        yield "index", f"{func.removesuffix('append')}insert(0, {given[0]})"
    if func == "sum" and len(given) == 1:
        yield "convert", f"sum(set({given[0]}))"
    if func.endswith((".split", ".rsplit")) and len(given) == 1 and not named:
        yield "once", f"{func}({given[0]}, 1)"
    if func == "int" and len(given) == 1:
        yield "convert", f"round({given[0]})"
    if func in ("min", "max", "sum") and len(given) == 1 and not named:
        yield "convert", f"{func}({given[0]}, default=0)" if func != "sum" else f"len({given[0]})"
    for index, argument in enumerate(node.args) if func not in ("len", "print", "isinstance") else ():
        if isinstance(argument, ast.Name | ast.Attribute | ast.Subscript):
            made = [(kind, form.format(given[index])) for kind, form in _OF_ARGUMENTS]
            for kind, text in (*made, *(("value", near) for near in near_texts(argument))):
                yield kind, f"{func}({', '.join([*_with(given, index, text), *named])})"
