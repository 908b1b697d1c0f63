"""Names against what the code does: the operator, the arguments, the parameters that nobody uses."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dap_ai.agent.analyst.definitions import Scope, bindings
from dap_ai.agent.analyst.findings import Finding, View, expressions, is_call, is_stub, swap
from dap_ai.agent.case.indexing import nodes_below
from dap_ai.agent.case.source import FunctionNode

_ADD = re.compile(r"(^|_)(add|sum|total|plus|deposit|increase|increment|count)(_|s?$)")
_SUBTRACT = re.compile(r"(^|_)(sub|subtract|diff|difference|withdraw|decrease|decrement|minus|remaining)(_|s?$)")
_DEDUCTED = re.compile(
    r"discount|fee|refund|deduct|rebate|tax|cost|expense|spent|paid|loss|used|sold|taken|offset|start"
)
"""What is rightly taken from a total."""
_LEAST = re.compile(
    r"(?<![a-z])(min|minimum|least|lowest|shortest|smallest|cheapest|earliest|fewest|nearest|closest|fastest)(?![a-z])"
)
_GREATEST = re.compile(
    r"(?<![a-z])(max|maximum|greatest|largest|longest|highest|biggest|latest|most|farthest|furthest|top)(?![a-z])"
)
_SIGNS: dict[type[ast.cmpop], str] = {ast.GtE: ">=", ast.Gt: ">", ast.LtE: "<=", ast.Lt: "<"}
_MULTIPLY = re.compile(r"(^|_)(mul|multiply|product|factorial|area|volume|scale)(_|s?$)")
_MEAN = re.compile(r"(^|_)(mean|average|avg|ratio|rate|per)(_|s?$)")


def unused(scope: Scope, view: View) -> Iterator[Finding]:
    """A parameter or local that is never read: something else was used in its place."""
    node = scope.node
    if not isinstance(node, FunctionNode) or is_stub(node):
        return
    read = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    names = {n.id for n in read}
    for parameter in scope.parameters:
        if parameter.arg not in names and parameter.arg not in ("self", "cls") and not parameter.arg.startswith("_"):
            vararg = parameter in (node.args.vararg, node.args.kwarg)
            if not vararg:
                yield Finding(scope, node.lineno, 0.4, f"parameter `{parameter.arg}` is never used", "unused")
    for statement in scope.statements():
        bound = bindings(statement)
        for name in bound:
            if (
                name in names
                or name.startswith("_")
                or isinstance(statement, ast.AugAssign | FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom)
            ):
                continue
            if isinstance(statement, ast.For):
                yield Finding(
                    scope, statement.lineno, 0.35, f"loop variable `{name}` is never used in the loop", "unused"
                )
                continue
            if any(name in ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.Nonlocal | ast.Global)):
                continue
            yield Finding(scope, statement.lineno, 0.35, f"`{name}` is computed here and never used", "unused")
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                yield from _instead(scope, statement, name, statement.value)


def _instead(scope: Scope, statement: ast.stmt, name: str, value: ast.expr) -> Iterator[Finding]:
    """The line after, that uses what the unused value was made of."""
    if is_call(value, "len", "id", "type", "hash") or isinstance(value, ast.Compare):
        return  # what tells of a thing does not stand for it, nor does a part of it
    parts = {id(n.value) for n in ast.walk(value) if isinstance(n, ast.Attribute | ast.Subscript) and not _is_slice(n)}
    made_of = {n.id for n in ast.walk(value) if isinstance(n, ast.Name) and id(n) not in parts}
    for other, node in expressions(scope):
        if other.lineno <= statement.lineno or not isinstance(node, ast.Name) or node.id not in made_of:
            continue
        if isinstance(node.ctx, ast.Load) and not _is_called(other, node):
            reason = f"uses `{node.id}`, while `{name}`, made from it in line {statement.lineno}, is never used"
            yield Finding(scope, other.lineno, 0.8, reason, "wrong variable", edit=swap(scope.source, node, name))
            return


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def _is_called(statement: ast.stmt, name: ast.Name) -> bool:
    return any(isinstance(n, ast.Call) and n.func is name for n in ast.walk(statement))


def operator(scope: Scope, view: View) -> Iterator[Finding]:
    """An operator that contradicts the name of the function or of what it assigns."""
    own = getattr(scope.node, "name", "")
    for statement, node in _operations(scope):
        op = node.op
        target = statement.target if isinstance(statement, ast.AugAssign) else None
        named = " ".join([own, *bindings(statement), getattr(target, "attr", "")])
        words = re.findall(r"\w+", named)
        if (
            isinstance(op, ast.Sub)
            and any(_ADD.search(w) for w in words)
            and not any(_SUBTRACT.search(w) for w in words)
        ):
            right = node.right if isinstance(node, ast.BinOp) else node.value
            if not isinstance(right, ast.Constant) and not _DEDUCTED.search(ast.unparse(right).lower()):
                yield _operator(scope, node, "-", "+", words)
        elif (
            isinstance(op, ast.Add)
            and any(_SUBTRACT.search(w) for w in words)
            and not any(_ADD.search(w) for w in words)
        ):
            yield _operator(scope, node, "+", "-", words)
        elif isinstance(op, ast.Add) and any(_MULTIPLY.search(w) for w in words):
            yield _operator(scope, node, "+", "*", words)
        elif isinstance(op, ast.FloorDiv) and any(_MEAN.search(w) for w in words):
            yield _operator(scope, node, "//", "/", words)


def _operations(scope: Scope) -> Iterator[tuple[ast.stmt, ast.BinOp | ast.AugAssign]]:
    for statement in scope.statements():
        if isinstance(statement, ast.AugAssign):
            yield statement, statement
    for statement, node in expressions(scope):
        # An operation inside a larger one serves another purpose than the name tells: `total = a * (1 - b)`.
        if isinstance(node, ast.BinOp) and getattr(statement, "value", None) is node:
            yield statement, node


def _operator(scope: Scope, node: ast.BinOp | ast.AugAssign, have: str, want: str, words: list[str]) -> Finding:
    text = ast.unparse(node)
    new = f"{ast.unparse(node.left)} {want} {ast.unparse(node.right)}" if isinstance(node, ast.BinOp) else ""
    edit = swap(scope.source, node, new or text.replace(f" {have}= ", f" {want}= ", 1))
    reason = f"`{have}` in `{text}` does not fit the name `{' '.join(words) or scope.name}`"
    return Finding(scope, node.lineno, 0.55, reason, "wrong operator", edit=edit)


def direction(scope: Scope, view: View) -> Iterator[Finding]:
    """`if x > best: best = x` in what should find the least, and the other way round."""
    own = getattr(scope.node, "name", "")
    for statement in scope.statements():
        if not isinstance(statement, ast.If):
            continue
        for test in ast.walk(statement.test):
            if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
                continue
            kept = _kept(statement, test)
            op = test.ops[0]
            if not kept or not isinstance(op, ast.Gt | ast.GtE | ast.Lt | ast.LtE):
                continue
            greatest = isinstance(op, ast.Gt | ast.GtE) == (kept == "right")
            words = f"{own} {ast.unparse(test.comparators[0] if kept == 'right' else test.left)}".lower()
            if _LEAST.search(words) if greatest else _GREATEST.search(words):
                turned = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
                have = _SIGNS[type(op)]
                text = f"{ast.unparse(test.left)} {turned[have]} {ast.unparse(test.comparators[0])}"
                reason = f"`{ast.unparse(test)}` keeps the {'greatest' if greatest else 'least'}, against the name"
                edit = swap(scope.source, test, text)
                yield Finding(scope, test.lineno, 0.85, reason, "inverted comparison", edit=edit)


def _kept(statement: ast.If, test: ast.Compare) -> str:
    """Which side of the test the body overwrites with the other: `right`, `left` or neither."""
    left, right = ast.unparse(test.left), ast.unparse(test.comparators[0])
    for inner in statement.body:
        if isinstance(inner, ast.Assign) and len(inner.targets) == 1:
            pair = (ast.unparse(inner.targets[0]), ast.unparse(inner.value))
            if pair in ((right, left), (left, right)):
                return "right" if pair == (right, left) else "left"
    return ""


def mean_without_division(scope: Scope, view: View) -> Iterator[Finding]:
    """`mean` and `average` that never divide."""
    own = getattr(scope.node, "name", "")
    if set(own.split("_")) & {"mean", "average", "avg"} and not any(map(_divides, nodes_below(scope.node))):
        for statement in scope.statements():
            if isinstance(statement, ast.Return):
                yield Finding(scope, statement.lineno, 0.6, f"`{own}` never divides", "wrong operator")


def _divides(node: ast.AST) -> bool:
    return isinstance(node, ast.Div | ast.FloorDiv) or is_call(node, "mean", "fmean", "average", "median")


def extremum(scope: Scope, view: View) -> Iterator[Finding]:
    """`min` in a function named max, and the other way round."""
    own = set(getattr(scope.node, "name", "").split("_"))
    pairs = [
        ({"max", "maximum", "largest", "highest", "longest", "latest", "best", "strongest"}, "min", "max"),
        ({"min", "minimum", "smallest", "lowest", "shortest", "cheapest", "earliest"}, "max", "min"),
    ]
    for words, have, want in pairs:
        for _, node in expressions(scope):
            if words & own and isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == have:
                yield Finding(
                    scope,
                    node.lineno,
                    0.55,
                    f"`{have}(...)` in `{scope.name}`: is `{want}` meant?",
                    "wrong operator",
                    edit=swap(scope.source, node.func, want),
                )


RULES = [unused, operator, direction, mean_without_division, extremum]
