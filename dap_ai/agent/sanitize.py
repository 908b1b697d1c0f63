"""Converts the text of an expression to a Node, the only form in which a debuggee accepts an expression.

protocol/contracts/inspection.py defines Nodes. The proxy parses the text; the debuggee never does. Any syntax that a
Node cannot express is refused by name: default deny.
"""

from __future__ import annotations

import ast
import base64
import math
from typing import NoReturn

from dap_ai.protocol.contracts.inspection import Node
from dap_ai.system.texts import code

MAX_EXPRESSION_CHARS = 4000
MAX_DEPTH = 60
_EXACT_INT_BITS = 53

_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.MatMult: "@",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_NAMES: dict[type[ast.AST], str] = {
    ast.Lambda: "lambda",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.NamedExpr: "the walrus `:=`",
    ast.Starred: "`*` outside a display or the arguments of a call",
}


class SyntaxRefused(ValueError):  # noqa: N818  a refusal by rule, not a bug
    """Raised for text that is not an expression or could change the program.

    The message names the refused syntax and what to do instead.
    """


def to_node(expression: str | ast.expr) -> Node:
    """Converts an expression, given as text or as a syntax tree, to a Node. Raises SyntaxRefused."""
    if isinstance(expression, str):
        expression = parse_expression(expression)
    return _node(expression, 0)


def parse_expression(text: str) -> ast.expr:
    """Parses one expression into a syntax tree. Raises SyntaxRefused."""
    if len(text) > MAX_EXPRESSION_CHARS:
        raise SyntaxRefused(f"the expression is longer than {MAX_EXPRESSION_CHARS} characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SyntaxRefused(f"not a Python expression: {getattr(error, 'msg', '') or error}") from error


def _refuse(node: ast.AST) -> NoReturn:
    name = _NAMES.get(type(node), type(node).__name__)
    raise SyntaxRefused(f"{name} is not read: write the value you want as a plain expression")


def _node(x: ast.expr, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise SyntaxRefused(f"the expression is nested deeper than {MAX_DEPTH}")
    below = depth + 1

    def many(items: list[ast.expr]) -> list[Node]:
        return [_item(item, below) for item in items]

    match x:
        case ast.Constant():
            return _constant(x)
        case ast.Name(id=name):
            return ["n", name]
        case ast.Attribute(value=value, attr=name):
            if name.startswith("__"):
                raise SyntaxRefused(f"the dunder attribute {code(name)} is not read: ask for a plain attribute")
            return ["a", _node(value, below), name]
        case ast.Subscript(value=value, slice=index):
            return ["s", _node(value, below), _index(index, below)]
        case ast.UnaryOp(op=op, operand=operand):
            return ["u", _UNARY[type(op)], _node(operand, below)]
        case ast.BinOp(left=left, op=op, right=right):
            return ["o", _BINARY[type(op)], _node(left, below), _node(right, below)]
        case ast.BoolOp(op=op, values=values):
            return ["and" if isinstance(op, ast.And) else "or", many(values)]
        case ast.Compare(left=left, ops=ops, comparators=others):
            pairs = [[_COMPARE[type(op)], _node(y, below)] for op, y in zip(ops, others, strict=True)]
            return ["cmp", _node(left, below), pairs]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ["if", _node(test, below), _node(body, below), _node(orelse, below)]
        case ast.Call():
            return _call(x, below)
        case ast.Tuple(elts=items):
            return ["t", many(items)]
        case ast.List(elts=items):
            return ["l", many(items)]
        case ast.Set(elts=items):
            return ["S", many(items)]
        case ast.Dict(keys=keys, values=values):
            if None in keys:
                raise SyntaxRefused("`**` in a dict display is not read: name the dicts one by one")
            return ["d", [[_node(k, below), _node(v, below)] for k, v in zip(keys, values, strict=True) if k]]
        case ast.JoinedStr(values=parts):
            return ["fs", [_part(part, below) for part in parts]]
        case ast.ListComp(elt=item, generators=fors):
            return ["comp", "list", _node(item, below), _fors(fors, below)]
        case ast.SetComp(elt=item, generators=fors):
            return ["comp", "set", _node(item, below), _fors(fors, below)]
        case ast.GeneratorExp(elt=item, generators=fors):
            return ["comp", "gen", _node(item, below), _fors(fors, below)]
        case ast.DictComp(key=key, value=value, generators=fors):
            return ["comp", "dict", ["t", [_node(key, below), _node(value, below)]], _fors(fors, below)]
        case _:
            _refuse(x)


def _item(x: ast.expr, depth: int) -> Node:
    return ["*", _node(x.value, depth)] if isinstance(x, ast.Starred) else _node(x, depth)


def _constant(x: ast.Constant) -> Node:
    value = x.value
    if value is Ellipsis:
        return ["e"]
    if isinstance(value, bytes):
        return ["b", base64.b64encode(value).decode("ascii")]
    if isinstance(value, int) and value.bit_length() > _EXACT_INT_BITS:
        if value.bit_length() > 4 * MAX_EXPRESSION_CHARS:
            raise SyntaxRefused("an integer constant of this size is not read")
        return ["i", str(value)]
    if isinstance(value, float) and not math.isfinite(value):
        return ["f", repr(value)]
    if isinstance(value, str) and not value.isascii() and value != value.encode(errors="replace").decode():
        raise SyntaxRefused("a string constant with a lone surrogate cannot be written down")
    if isinstance(value, complex):
        raise SyntaxRefused("a complex constant is not read: ask for its real and imaginary parts")
    return ["c", value]


def _index(x: ast.expr, depth: int) -> Node:
    if not isinstance(x, ast.Slice):
        if isinstance(x, ast.Tuple) and any(isinstance(item, ast.Slice) for item in x.elts):
            return ["t", [_index(item, depth) for item in x.elts]]
        return _node(x, depth)
    return ["sl", *(None if part is None else _node(part, depth) for part in (x.lower, x.upper, x.step))]


def _call(x: ast.Call, depth: int) -> Node:
    arguments = [_item(item, depth) for item in x.args]
    keywords: dict[str, Node] = {}
    for keyword in x.keywords:
        if keyword.arg is None:
            raise SyntaxRefused("`**` in a call is not read: write the keyword arguments one by one")
        keywords[keyword.arg] = _node(keyword.value, depth)
    return ["call", _node(x.func, depth), arguments, keywords]


def _part(x: ast.expr, depth: int) -> Node:
    if isinstance(x, ast.Constant):
        return _constant(x)
    if not isinstance(x, ast.FormattedValue):
        _refuse(x)
    conversion = "" if x.conversion < 0 else chr(x.conversion)
    return ["fv", _node(x.value, depth), conversion, _format_spec(x.format_spec, depth)]


def _format_spec(x: ast.expr | None, depth: int) -> Node | None:
    if x is None:
        return None
    parts = x.values if isinstance(x, ast.JoinedStr) else [x]
    if len(parts) == 1:
        return _part(parts[0], depth)
    return ["fs", [_part(part, depth) for part in parts]]


def _fors(fors: list[ast.comprehension], depth: int) -> list[Node]:
    clauses: list[Node] = []
    for clause in fors:
        if clause.is_async:
            raise SyntaxRefused("an asynchronous comprehension is not read")
        conditions = [_node(test, depth) for test in clause.ifs]
        clauses.append([_target(clause.target), _node(clause.iter, depth), conditions])
    return clauses


def _target(x: ast.expr) -> Node:
    if isinstance(x, ast.Name):
        return ["n", x.id]
    if isinstance(x, ast.Tuple | ast.List):
        return ["t", [_target(item) for item in x.elts]]
    raise SyntaxRefused("a comprehension may bind plain names only")
