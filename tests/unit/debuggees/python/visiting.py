"""What the inspector's tests share: frames with chosen names, and Nodes from source text."""

from __future__ import annotations

import ast
import base64
import sys
from typing import Any

import msgspec

from dap_ai.debuggees.python.inspector.frame_inspector import inspect
from dap_ai.protocol.contracts.inspection import ExpressionResult, Inspection, Value

_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_BINARY = {
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
_COMPARE = {
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
_COMPREHENSIONS = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict", ast.GeneratorExp: "gen"}


def frame_of(names: dict[str, Any]) -> Any:
    """A finished frame with these names; it refers to them until it is dropped."""
    kept: list[Any] = []
    exec("kept.append(sys._getframe())", {"kept": kept, "sys": sys}, names)  # noqa: S102  a frame needs code
    return kept.pop()


def visit(names: dict[str, Any], *nodes: Any, exc: BaseException | None = None, **query: Any) -> Inspection:
    """One visit to such a frame."""
    frame_query = {"frame_id": 1, "expressions": list(nodes)}
    plain = inspect([(1, frame_of(names), 1, None)], exc, {"frames": [frame_query], **query})
    return msgspec.convert(plain, Inspection)


def described(x: Any, **query: Any) -> Value:
    """The inspector's Value of an object."""
    (variable,) = visit({"x": x}, threads=False, **query).frames[0].locals
    return variable.value


def fact(source: str, names: dict[str, Any] | None = None, **query: Any) -> ExpressionResult:
    """The inspector's answer to an expression."""
    return visit(names or {}, node(source), threads=False, **query).frames[0].values[0]


def node(source: str) -> Any:
    """Source text in the Node language."""
    return _node(ast.parse(source, mode="eval").body)


def _node(tree: Any) -> Any:
    match tree:
        case ast.Constant(value=value):
            return _constant(value)
        case ast.Name(id=name):
            return ["n", name]
        case ast.Attribute(value=x, attr=name):
            return ["a", _node(x), name]
        case ast.Subscript(value=x, slice=index):
            return ["s", _node(x), _node(index)]
        case ast.Slice(lower=lower, upper=upper, step=step):
            return ["sl", *(None if part is None else _node(part) for part in (lower, upper, step))]
        case ast.UnaryOp(op=op, operand=x):
            return ["u", _UNARY[type(op)], _node(x)]
        case ast.BinOp(op=op, left=x, right=y):
            return ["o", _BINARY[type(op)], _node(x), _node(y)]
        case ast.BoolOp(op=op, values=values):
            return ["and" if isinstance(op, ast.And) else "or", [_node(x) for x in values]]
        case ast.Compare(left=x, ops=ops, comparators=others):
            return ["cmp", _node(x), [[_COMPARE[type(op)], _node(y)] for op, y in zip(ops, others, strict=True)]]
        case ast.IfExp(test=test, body=x, orelse=y):
            return ["if", _node(test), _node(x), _node(y)]
        case ast.Starred(value=x):
            return ["*", _node(x)]
        case ast.Call(func=f, args=args, keywords=keywords):
            return ["call", _node(f), [_node(x) for x in args], {k.arg: _node(k.value) for k in keywords}]
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            return [{ast.Tuple: "t", ast.List: "l", ast.Set: "S"}[type(tree)], [_node(x) for x in items]]
        case ast.Dict(keys=keys, values=values):
            return ["d", [[_node(k), _node(v)] for k, v in zip(keys, values, strict=True)]]
        case ast.JoinedStr(values=parts):
            return ["fs", [_part(part) for part in parts]]
        case ast.DictComp(key=key, value=value, generators=clauses):
            return ["comp", "dict", ["t", [_node(key), _node(value)]], [_clause(each) for each in clauses]]
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return ["comp", _COMPREHENSIONS[type(tree)], _node(tree.elt), [_clause(each) for each in tree.generators]]
        case _:
            return [type(tree).__name__]


def _clause(clause: ast.comprehension) -> Any:
    return [_node(clause.target), _node(clause.iter), [_node(test) for test in clause.ifs]]


def _part(part: Any) -> Any:
    if isinstance(part, ast.Constant):
        return ["c", part.value]
    conversion = "" if part.conversion == -1 else chr(part.conversion)
    spec = part.format_spec
    if spec is not None:
        spec = _part(spec.values[0]) if len(spec.values) == 1 else _node(spec)
    return ["fv", _node(part.value), conversion, spec]


def _constant(value: Any) -> Any:
    if isinstance(value, bytes):
        return ["b", base64.b64encode(value).decode()]
    if value is Ellipsis:
        return ["e"]
    if type(value) is int and value.bit_length() > 53:
        return ["i", str(value)]
    return ["c", value]
