"""Defines kinds of small source changes, with the likelihood of each kind, and writes syntax nodes as text.

Lines are 1-based, columns are 0-based UTF-8 byte offsets, as in `ast`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dap_ai.agent.source.indexing import nodes_below, once_per_node
from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import last_line
from dap_ai.debuggees.python.analysis.syntax.nodes import COMPREHENSIONS, calls_in, read_in, set_in

MAX_NAMES = 8
MAX_STRING = 40


class SourceChange(NamedTuple):
    """A replacement of a text range by other text."""

    kind: str
    first: int
    column: int
    last: int
    end_column: int
    text: str


def in_place(kind: str, node: ast.expr | ast.stmt, text: str) -> SourceChange:
    """Return a change that replaces a node's text."""
    return SourceChange(kind, node.lineno, node.col_offset, last_line(node), node.end_col_offset or 0, text)


def line_change(kind: str, line: int, text: str, lines: Sequence[str]) -> SourceChange:
    """Return a change that replaces a whole line."""
    return SourceChange(kind, line, 0, line, len(lines[line - 1].encode()), text)


PRIOR = {
    "comparison": 0.9, "other comparison": 0.7, "odd comparison": 0.45, "inversion": 0.6, "flip": 0.7,
    "lower bound": 0.9, "bound": 0.85, "number": 0.85, "value": 0.5, "extremum": 0.88, "largest": 0.6,
    "operator": 0.9, "operands": 0.7, "accumulate": 0.85, "overwrite": 0.45, "logic": 0.8, "negation": 0.7,
    "unused name": 0.95, "name": 0.55, "index name": 0.8, "attribute": 0.75, "arguments": 0.8, "key": 0.65,
    "index": 0.6, "text": 0.65, "convert": 0.55, "copy": 0.6, "list": 0.8, "once": 0.85,
    "return out of loop": 0.85, "start out of loop": 0.85, "keep": 0.85, "return": 0.6, "jump": 0.6, "indent": 0.6,
    "order": 0.5, "missing": 0.6, "remove": 0.4,
}  # fmt: skip
"""Kind of change -> how likely a change of this kind is the right fix, 0..1."""

BINARY: dict[type[ast.operator], list[str]] = {
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


IDLE = {("*", "1"), ("/", "1"), ("//", "1"), ("**", "1"), ("+", "0"), ("-", "0")}
"""(operator, right operand) pairs without effect, which nobody would write."""


_FUNCTIONS = FunctionNode | ast.Lambda
_SCOPES = _FUNCTIONS | COMPREHENSIONS | ast.ClassDef | ast.Module


class _Binding(NamedTuple):
    """A place where a name gets a value."""

    scope: ast.AST
    """The scope in which the name is known."""
    at: ast.AST | None
    """The node that binds the name for later lines; None if the name is bound in the whole scope."""


class Scopes:
    """Finds the names that a function can use at a node, as replacements for one another."""

    def __init__(self, tree: ast.Module) -> None:
        nodes = [tree, *nodes_below(tree)]
        self.parents: dict[ast.AST, ast.AST] = {c: p for p in nodes for c in ast.iter_child_nodes(p)}
        self.tree = tree
        texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        self._bound: dict[ast.AST, dict[str, list[_Binding]]] = {}
        self.strings = {text for text in texts if len(text) < MAX_STRING and "\n" not in text}

    def function(self, node: ast.AST) -> ast.AST:
        """Return the function around a node, else the module."""
        return next((n for n in (node, *self.above(node)) if isinstance(n, FunctionNode)), self.tree)

    def loop(self, node: ast.AST) -> ast.AST | None:
        """Return the innermost loop around a node, or None."""
        return next((n for n in self.above(node) if isinstance(n, ast.For | ast.While)), None)

    def names(self, node: ast.AST, *, after: bool = False) -> list[str]:
        """Return the names, except called names, that the surrounding function has bound at or `after` a node."""
        function = self.function(node)
        if function not in self._bound:
            self._bound[function] = self._bindings(function)
        bound = self._bound[function]
        above, line = set(self.above(node)), getattr(node, "lineno", 0)
        if after:
            line = (getattr(node, "end_lineno", None) or line) + 1
        return [name for name in _data_names(function) if any(self._reaches(b, line, above) for b in bound[name])]

    def _bindings(self, function: ast.AST) -> dict[str, list[_Binding]]:
        found: dict[str, list[_Binding]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.arg):
                holder = next(each for each in self.above(node) if isinstance(each, _FUNCTIONS))
                found.setdefault(node.arg, []).append(_Binding(holder, None))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                holder = next((each for each in self.above(node) if isinstance(each, _SCOPES)), self.tree)
                at = None if isinstance(holder, COMPREHENSIONS) else node
                found.setdefault(node.id, []).append(_Binding(holder, at))
        return found

    def _reaches(self, binding: _Binding, line: int, above: set[ast.AST]) -> bool:
        """Whether a binding can run before a line: it is above the line, or one loop contains both of them."""
        if binding.scope not in above:
            return False
        at = binding.at
        if at is None or getattr(at, "lineno", 0) < line:
            return True
        return any(isinstance(each, ast.For | ast.While) and each in above for each in self.above(at))

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes that contain a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def read(self, node: ast.AST) -> set[str]:
        """Return the names that the function around a node reads."""
        return _names_read(self.function(node))

    def attributes(self, node: ast.AST, name: str) -> list[str]:
        """Return the attributes, except called methods, of `self` in the node's class or another name in the file."""
        around = (n for n in (node, *self.above(node)) if isinstance(n, ast.ClassDef) and name == "self")
        return _data_attributes(next(around, self.tree)).get(name, [])[:MAX_NAMES]


@once_per_node
def _data_names(holder: ast.AST) -> list[str]:
    called = {call.func.id for call in calls_in(holder) if isinstance(call.func, ast.Name)}
    bound = [n.arg for n in ast.walk(holder) if isinstance(n, ast.arg)] + set_in(holder)
    return [n for n in dict.fromkeys(bound) if n not in called][:MAX_NAMES]


@once_per_node
def _names_read(holder: ast.AST) -> set[str]:
    return {*read_in(holder)}


@once_per_node
def _data_attributes(holder: ast.AST) -> dict[str, list[str]]:
    """Map each name to the attributes that code reads or sets on it, in order, without called attributes."""
    nodes = nodes_below(holder)
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    found: dict[str, dict[str, None]] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and id(node) not in called:
            found.setdefault(node.value.id, {})[node.attr] = None
    return {name: list(attributes) for name, attributes in found.items()}


def operand_text(node: ast.expr) -> str:
    """Return the expression's text as an operand of a comparison, in parentheses if needed."""
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, ast.BoolOp | ast.Compare | ast.IfExp | ast.Lambda | ast.NamedExpr) else text


def factor_text(node: ast.expr) -> str:
    """Return the expression's text as an operand of arithmetic, in parentheses if needed."""
    text = ast.unparse(node)
    simple = ast.Name | ast.Constant | ast.Call | ast.Attribute | ast.Subscript | ast.List | ast.Dict | ast.JoinedStr
    return text if isinstance(node, simple) else f"({text})"


def near_texts(node: ast.expr) -> tuple[str, str]:
    """Return the texts of an expression plus 1 and minus 1, simplified: `n` and `n - 2` for `n - 1`."""
    base, known = node, 0
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=ast.Constant(value=int() as value)):
            base, known = left, value if isinstance(op, ast.Add) else -value
        case ast.Constant(value=int() as value):
            return str(value + 1), str(value - 1)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return str(1 - value), str(-1 - value)
        case _:
            pass
    return _moved(base, known + 1), _moved(base, known - 1)


def _moved(base: ast.expr, by: int) -> str:
    sign = ast.Add() if by > 0 else ast.Sub()
    return ast.unparse(ast.BinOp(base, sign, ast.Constant(abs(by)))) if by else operand_text(base)


def sign_text(op: ast.operator | ast.cmpop) -> str:
    """Return the operator's source text."""
    one, two = ast.Name("a", ast.Load()), ast.Name("b", ast.Load())
    return ast.unparse(ast.Compare(one, [op], [two]) if isinstance(op, ast.cmpop) else ast.BinOp(one, op, two))[2:-2]
