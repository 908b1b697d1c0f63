"""Small changes of a source text: what a person mistypes. Stdlib only; pure.

Lines are 1-based, columns 0-based UTF-8 bytes, as `ast` has them.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

MAX_NAMES = 8


class Mutant(NamedTuple):
    """Replace a range of the text."""

    kind: str
    first: int
    column: int
    last: int
    end_column: int
    text: str


PRIOR = {
    "rule": 1.0,
    "comparison": 0.9,
    "operator": 0.9,
    "extremum": 0.88,
    "number": 0.85,
    "bound": 0.85,
    "return out of loop": 0.85,
    "unused name": 0.95,
    "name": 0.5,
    "logic": 0.8,
    "attribute": 0.75,
    "negation": 0.7,
    "other comparison": 0.7,
    "operands": 0.7,
    "arguments": 0.8,
    "key": 0.65,
    "index": 0.6,
    "odd comparison": 0.45,
    "text": 0.65,
    "jump": 0.6,
    "copy": 0.6,
    "return": 0.6,
    "convert": 0.55,
    "indent": 0.6,
    "value": 0.5,
    "order": 0.5,
    "remove": 0.4,
}
"""How likely each kind of change is the one that was meant."""

_COMPARE: dict[type[ast.cmpop], list[tuple[str, str]]] = {
    ast.Lt: [("<=", "comparison"), (">", "comparison"), (">=", "other comparison")],
    ast.LtE: [("<", "comparison"), (">=", "comparison"), (">", "other comparison")],
    ast.Gt: [(">=", "comparison"), ("<", "comparison"), ("<=", "other comparison")],
    ast.GtE: [(">", "comparison"), ("<=", "comparison"), ("<", "other comparison")],
    ast.Eq: [("!=", "comparison"), ("<=", "odd comparison"), (">=", "odd comparison")],
    ast.NotEq: [("==", "comparison")],
    ast.In: [("not in", "comparison")],
    ast.NotIn: [("in", "comparison")],
    ast.Is: [("is not", "comparison"), ("==", "other comparison")],
    ast.IsNot: [("is", "comparison")],
}
_SIGN: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_BINARY: dict[type[ast.operator], list[str]] = {
    ast.Add: ["-", "*"],
    ast.Sub: ["+"],
    ast.Mult: ["/", "+", "**", "//"],
    ast.Div: ["*", "//"],
    ast.FloorDiv: ["/", "%", "*"],
    ast.Mod: ["//", "/"],
    ast.Pow: ["*"],
    ast.BitAnd: ["|", "^"],
    ast.BitOr: ["&", "^"],
    ast.BitXor: ["|", "&"],
    ast.LShift: [">>"],
    ast.RShift: ["<<"],
}
_OTHER = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "append": "extend",
    "extend": "append",
    "floor": "ceil",
    "ceil": "floor",
    "lower": "upper",
    "upper": "lower",
    "startswith": "endswith",
    "endswith": "startswith",
    "keys": "values",
    "values": "keys",
    "union": "intersection",
    "intersection": "union",
    "popleft": "pop",
    "lstrip": "rstrip",
    "rstrip": "lstrip",
    "bisect_left": "bisect_right",
    "bisect_right": "bisect_left",
    "rfind": "find",
    "find": "rfind",
}


class Scopes:
    """Names that stand in a function, for replacement by one another."""

    def __init__(self, tree: ast.Module) -> None:
        self.parents: dict[ast.AST, ast.AST] = {c: p for p in ast.walk(tree) for c in ast.iter_child_nodes(p)}
        self.tree = tree
        self.strings = {
            n.value
            for n in ast.walk(tree)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value.isidentifier()
        }

    def function(self, node: ast.AST) -> ast.AST:
        """The function around a node, else the module."""
        while node in self.parents and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node = self.parents[node]
        return node

    def names(self, node: ast.AST) -> list[str]:
        """Data names of the function around a node."""
        holder = self.function(node)
        called = {n.func.id for n in ast.walk(holder) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        bound = [n.arg for n in ast.walk(holder) if isinstance(n, ast.arg)]
        bound += [n.id for n in ast.walk(holder) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        return [n for n in dict.fromkeys(bound) if n not in called][:MAX_NAMES]

    def read(self, node: ast.AST) -> set[str]:
        """Names that the function around a node reads."""
        nodes = ast.walk(self.function(node))
        return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}

    def attributes(self, node: ast.AST) -> list[str]:
        """Attributes of `self` in the class around a node."""
        while node in self.parents and not isinstance(node, ast.ClassDef):
            node = self.parents[node]
        own = [
            n.attr
            for n in ast.walk(node)
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "self"
        ]
        return list(dict.fromkeys(own))


def mutants(text: str, tree: ast.Module, lines: set[int]) -> Iterator[tuple[int, Mutant]]:
    """(line, change) of every small change in these lines."""
    scopes = Scopes(tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if line not in lines or _in_assertion(node, scopes):
            continue
        if isinstance(node, ast.expr):
            for kind, new in _expression(node, scopes):
                made = _swap(kind, node, new)
                if made:
                    yield line, made
        elif isinstance(node, ast.stmt):
            for made in _statement(node, scopes, text.split("\n")):
                yield line, made


def _in_assertion(node: ast.AST, scopes: Scopes) -> bool:
    while node in scopes.parents:
        if isinstance(node, ast.Assert | ast.Raise | ast.JoinedStr):
            return True
        node = scopes.parents[node]
    return False


def _swap(kind: str, node: ast.expr | ast.stmt, new: str) -> Mutant | None:
    if node.end_lineno is None or node.end_col_offset is None:
        return None
    return Mutant(kind, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, new)


def _expression(node: ast.expr, scopes: Scopes) -> Iterator[tuple[str, str]]:
    parent = scopes.parents.get(node)
    text = ast.unparse(node)
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            one, two = _operand(left), _operand(right)
            for sign, kind in _COMPARE.get(type(op), []):
                yield kind, f"{one} {sign} {two}"
            if isinstance(op, ast.Eq | ast.NotEq) and not isinstance(right, ast.Constant):
                for call in (".lower()", ".strip()", ".strip().lower()"):
                    yield (
                        "text",
                        f"{one.removesuffix('.lower()')}{call} {_SIGN[type(op)]} {two.removesuffix('.lower()')}{call}",
                    )
            if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                sign = _SIGN[type(op)]
                yield "bound", f"{one} {sign} {two} - 1"
                yield "bound", f"{one} {sign} {two} + 1"
                yield "convert", f"abs({one}) {sign} {two}"
        case ast.Compare(left=left, ops=ops, comparators=rights):
            for index, op in enumerate(ops):
                for sign, kind in _COMPARE.get(type(op), []):
                    signs = [_SIGN[type(o)] for o in ops]
                    signs[index] = sign
                    yield (
                        kind,
                        _operand(left) + "".join(f" {s} {_operand(r)}" for s, r in zip(signs, rights, strict=True)),
                    )
        case ast.BinOp(left=left, op=op, right=right):
            one, two = _factor(left), _factor(right)
            for sign in _BINARY.get(type(op), []):
                yield "operator", f"{one} {sign} {two}"
            if isinstance(op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow):
                yield "operands", f"{two} {_sign(op)} {one}"
            if isinstance(op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv):
                yield "bound" if isinstance(right, ast.Constant) else "remove", one
            if isinstance(left, ast.BinOp) and not isinstance(op, ast.Mult) and isinstance(left.op, ast.Add | ast.Sub):
                yield "operator", f"{_factor(left.left)} {_sign(left.op)} ({_factor(left.right)} {_sign(op)} {two})"
            if (
                isinstance(op, ast.Add | ast.Sub)
                and isinstance(right, ast.BinOp)
                and isinstance(right.op, ast.Mult | ast.Div | ast.FloorDiv)
            ):
                yield "operator", f"({one} {_sign(op)} {_factor(right.left)}) {_sign(right.op)} {_factor(right.right)}"
            for convert in ("int", "float", "str"):
                yield "convert", f"{one} {_sign(op)} {convert}({ast.unparse(right)})"
                yield "convert", f"{convert}({ast.unparse(left)}) {_sign(op)} {two}"
        case ast.BoolOp(op=op, values=values):
            word = " or " if isinstance(op, ast.And) else " and "
            yield "logic", word.join(_operand(v) for v in values)
            for value in values:
                rest = [v for v in values if v is not value]
                yield "remove", (" and " if isinstance(op, ast.And) else " or ").join(_operand(v) for v in rest)
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
                    yield "name", name
            yield small, str(value + 1)
            yield small, str(value - 1) if value else "-1"
            for other in {0, 1} - {value, value + 1, value - 1}:
                yield "value", str(other)
        case ast.Constant(value=float() as value):
            for other in (1 - value, value * 10, value / 10, value * 100, value / 100, -value):
                yield "value", repr(round(other, 12))
        case ast.Constant(value=str() as value) if value.isidentifier() and isinstance(
            parent, ast.Subscript | ast.Call | ast.Compare
        ):
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
            if isinstance(value, ast.Name) and value.id == "self" and not called:
                for other in scopes.attributes(node):
                    if other != attr:
                        yield "attribute", f"self.{other}"
        case ast.Subscript(value=value, slice=index, ctx=ast.Load()):
            yield from _subscript(value, index)
        case ast.Call():
            yield from _call(node)
        case ast.Tuple(elts=elts) if len(elts) in (2, 3) and not any(isinstance(e, ast.Starred) for e in elts):
            texts = [ast.unparse(e) for e in elts]
            for index in range(len(texts) - 1):
                turned = [*texts]
                turned[index], turned[index + 1] = turned[index + 1], turned[index]
                yield "arguments", _tuple(turned, node)
            if isinstance(node.ctx, ast.Load):
                for index, element in enumerate(texts):
                    yield "convert", _tuple([*texts[:index], f"int({element})", *texts[index + 1 :]], node)
                for name in scopes.names(node):
                    if name not in texts:
                        yield "key", _tuple([*texts, name], node)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "negation", f"{_operand(orelse)} if {ast.unparse(test)} else {_operand(body)}"
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
        for bound, other in ((f"{high} + 1", low), (f"{high} - 1", low)):
            if high:
                yield "bound", f"{holder}[{other}:{bound}{tail}]"
        for bound in (f"{low} + 1", f"{low} - 1"):
            if low:
                yield "bound", f"{holder}[{bound}:{high}{tail}]"
        if not low and not high:
            yield "bound", f"{holder}[1:{tail}]"
        if step:
            yield "bound", f"{holder}[{low}:{high}]"
    elif not isinstance(index, ast.Constant | ast.Tuple | ast.JoinedStr):
        text = ast.unparse(index)
        yield "index", f"{holder}[{text} - 1]"
        yield "index", f"{holder}[{text} + 1]"


def _call(node: ast.Call) -> Iterator[tuple[str, str]]:
    func = ast.unparse(node.func)
    given = [ast.unparse(a) for a in node.args]
    named = [f"{k.arg}={ast.unparse(k.value)}" if k.arg else f"**{ast.unparse(k.value)}" for k in node.keywords]
    if func == "range":
        for index, text in enumerate(given):
            for moved in (f"{text} + 1", f"{text} - 1"):
                yield "bound", f"range({', '.join([*given[:index], moved, *given[index + 1 :]])})"
        if len(given) == 1:
            yield "bound", f"range(1, {given[0]})"
            yield "bound", f"range(1, {given[0]} + 1)"
        return
    if len(given) >= 2 and not any(isinstance(a, ast.Starred) for a in node.args):
        for index in range(len(given) - 1):
            turned = [*given]
            turned[index], turned[index + 1] = turned[index + 1], turned[index]
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
    if func == "int" and len(given) == 1:
        yield "convert", f"round({given[0]})"
    if func in ("min", "max", "sum") and len(given) == 1 and not named:
        yield "convert", f"{func}({given[0]}, default=0)" if func != "sum" else f"len({given[0]})"
    for index, argument in enumerate(node.args):
        if isinstance(argument, ast.Name | ast.Attribute | ast.Subscript) and func not in (
            "len",
            "print",
            "range",
            "isinstance",
        ):
            for made in (f"int({given[index]})", f"float({given[index]})"):
                yield "convert", f"{func}({', '.join([*given[:index], made, *given[index + 1 :], *named])})"
            for made in (f"list({given[index]})", f"{given[index]}.copy()"):
                yield "copy", f"{func}({', '.join([*given[:index], made, *given[index + 1 :], *named])})"
            for made in (f"{given[index]} + 1", f"{given[index]} - 1"):
                yield "value", f"{func}({', '.join([*given[:index], made, *given[index + 1 :], *named])})"


def _statement(node: ast.stmt, scopes: Scopes, lines: list[str]) -> Iterator[Mutant]:
    parent = scopes.parents.get(node)
    siblings = next((b for b in _bodies(parent) if node in b), list[ast.stmt]())
    pad = " " * node.col_offset
    match node:
        case ast.AugAssign(target=target, op=op, value=value):
            for sign in _BINARY.get(type(op), []):
                yield _must("operator", node, f"{ast.unparse(target)} {sign}= {ast.unparse(value)}")
            yield _must("operator", node, f"{ast.unparse(target)} = {ast.unparse(value)}")
        case ast.Assign(targets=[target], value=value) if isinstance(target, ast.Name | ast.Subscript | ast.Attribute):
            loop = isinstance(parent, ast.For | ast.While | ast.If)
            if loop or isinstance(target, ast.Attribute):
                yield _must("operator", node, f"{ast.unparse(target)} += {ast.unparse(value)}")
            if isinstance(value, ast.Name | ast.Attribute | ast.Subscript):
                for made in (f"{ast.unparse(value)}.copy()", f"list({ast.unparse(value)})"):
                    yield _must("copy", node, f"{ast.unparse(target)} = {made}")
        case ast.Return(value=value):
            if isinstance(parent, ast.For | ast.While) and node.lineno == node.end_lineno:
                text = " " * parent.col_offset + lines[node.lineno - 1].strip()
                yield Mutant(
                    "return out of loop", node.lineno, 0, node.lineno, len(lines[node.lineno - 1].encode()), text
                )
            if value is not None and not isinstance(value, ast.Constant):
                yield _must("negation", node, f"return not ({ast.unparse(value)})")
                if not isinstance(value, ast.Compare | ast.BoolOp):
                    yield _must("convert", node, f"return -({ast.unparse(value)})")
                    yield _must("value", node, f"return {_operand(value)} + 1")
                    yield _must("value", node, f"return {_operand(value)} - 1")
        case ast.Break():
            yield _must("jump", node, "continue")
            yield _must("jump", node, "pass")
        case ast.Continue():
            yield _must("jump", node, "break")
            yield _must("jump", node, "pass")
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            return
        case ast.FunctionDef(body=body):
            last = body[-1]
            end = lines[(last.end_lineno or 1) - 1]
            if not isinstance(last, ast.Return | ast.Raise):
                for name in scopes.names(last):
                    text = f"{end}\n{' ' * body[0].col_offset}return {name}"
                    yield Mutant("return", last.end_lineno or 1, 0, last.end_lineno or 1, len(end.encode()), text)
            return
        case _:
            pass
    simple = node.lineno == node.end_lineno and isinstance(node, ast.Expr | ast.Assign | ast.AugAssign)
    if simple and siblings:
        position = siblings.index(node)
        yield _must("remove", node, "pass")
        if position + 1 < len(siblings):
            after = siblings[position + 1]
            if (
                isinstance(after, ast.Expr | ast.Assign | ast.AugAssign | ast.Return)
                and after.lineno == after.end_lineno == node.lineno + 1
            ):
                text = f"{lines[after.lineno - 1].strip()}\n{pad}{lines[node.lineno - 1].strip()}"
                yield Mutant(
                    "order", node.lineno, node.col_offset, after.lineno, len(lines[after.lineno - 1].encode()), text
                )
        if isinstance(parent, ast.For | ast.While | ast.If) and position == len(siblings) - 1 and position > 0:
            text = " " * parent.col_offset + lines[node.lineno - 1].strip()
            yield Mutant("indent", node.lineno, 0, node.lineno, len(lines[node.lineno - 1].encode()), text)


def _must(kind: str, node: ast.stmt, new: str) -> Mutant:
    return Mutant(kind, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0, new)


def _bodies(node: ast.AST | None) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block: Any = getattr(node, name, None)
        if isinstance(block, list):
            yield cast("list[ast.stmt]", block)


def _operand(node: ast.expr) -> str:
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, ast.BoolOp | ast.Compare | ast.IfExp | ast.Lambda | ast.NamedExpr) else text


def _factor(node: ast.expr) -> str:
    text = ast.unparse(node)
    simple = ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript | ast.List | ast.Dict | ast.JoinedStr
    return text if isinstance(node, simple) else f"({text})"


def _sign(op: ast.operator) -> str:
    return ast.unparse(ast.BinOp(ast.Name("a", ast.Load()), op, ast.Name("b", ast.Load()))).split()[1]


def apply(text: str, mutant: Mutant) -> str:
    """The text with the change."""
    lines = text.split("\n")
    before = lines[mutant.first - 1].encode()[: mutant.column].decode()
    after = lines[mutant.last - 1].encode()[mutant.end_column :].decode()
    lines[mutant.first - 1 : mutant.last] = [before + mutant.text + after]
    return "\n".join(lines)
