"""Conditions and types: comparisons that cannot hold, floats compared exactly, text where a number is meant."""

# ruff: noqa: ARG001  every rule has the same signature
from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from itertools import pairwise

from dap_ai.agent.analyst.definitions import Scope, bindings
from dap_ai.agent.analyst.facts import near_key
from dap_ai.agent.analyst.findings import Claim, Finding, View, expressions, is_call, swap
from dap_ai.agent.case.indexing import once_per_node


def float_equality(scope: Scope, view: View) -> Iterator[Finding]:
    """`==` between floats that differ by rounding only."""
    for statement, node in expressions(scope):
        match node:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                one, other = (_number(side, statement, scope, view) for side in (left, right))
            case _:
                continue
        if one is not None and other is not None and one != other and math.isclose(one, other, rel_tol=1e-9):
            edit = swap(scope.source, node, f"abs({ast.unparse(left)} - {ast.unparse(right)}) < 1e-9")
            reason = f"floats are compared exactly: {one!r} and {other!r} differ by rounding only"
            yield Finding(scope, node.lineno, 0.85, reason, "float equality", edit=edit)


def _number(side: ast.expr, statement: ast.stmt, scope: Scope, view: View) -> float | None:
    """The value of one side of a comparison at the failing line."""
    if isinstance(side, ast.Constant):
        return side.value if isinstance(side.value, float) else None
    if scope.place is None or statement is not scope.place.statement:
        return None
    value = scope.place.value(side)
    try:
        return float(value.text) if value else None
    except ValueError:
        return None


def identity(scope: Scope, view: View) -> Iterator[Finding]:
    """`is` with a literal, `x == x`, and `a or 'b'` where a comparison was meant."""
    for _, node in expressions(scope):
        if isinstance(node, ast.Compare):
            other = node.comparators[0]
            if (
                isinstance(node.ops[0], ast.Is | ast.IsNot)
                and isinstance(other, ast.Constant)
                and isinstance(other.value, str | int | float)
                and not isinstance(other.value, bool)
            ):
                yield Finding(
                    scope, node.lineno, 0.6, f"`is` compares identity, not value: `{ast.unparse(node)}`", "identity"
                )
            if ast.dump(node.left) == ast.dump(other) and not _is_nan_check(node) and not _calls(node):
                yield Finding(
                    scope, node.lineno, 0.7, f"`{ast.unparse(node)}` compares a value with itself", "condition"
                )
        match node:
            case ast.BoolOp(op=ast.Or(), values=[ast.Compare(), *rest]):
                always = any(isinstance(v, ast.Constant) and v.value for v in rest)
            case _:
                always = False
        if always:
            yield Finding(
                scope,
                node.lineno,
                0.8,
                f"`{ast.unparse(node)}` is always true: only the first part compares",
                "condition",
            )


def _is_nan_check(node: ast.Compare) -> bool:
    """`x != x`, which holds for nan alone."""
    return isinstance(node.left, ast.Name) and isinstance(node.ops[0], ast.NotEq)


def _calls(node: ast.expr) -> bool:
    """Whether it may differ from one time to the next."""
    return any(isinstance(n, ast.Call | ast.Await | ast.NamedExpr) for n in ast.walk(node))


def _gave_no_text(scope: Scope, statement: ast.For | ast.Assign) -> bool:
    """Whether what the name has got is known, and is neither text nor something that may hold some."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    value = scope.place.value(target.id) if scope.place and isinstance(target, ast.Name) else None
    return value is not None and value.kind in ("none", "bool", "int", "float", "complex", "bytes", "function")


def unconverted(scope: Scope, view: View) -> Iterator[Finding]:
    """Text from outside (csv, input, split, environ) that is used as a number."""
    error = view.case.exception
    mixed = bool(error and error.type == "TypeError" and "str" in error.message) or any(
        "(`str`)" in s for s in view.diagnosis.sentences
    )
    if not mixed:
        return
    for statement, node in expressions(scope):
        outside = is_call(node, "DictReader", "reader", "input", "split", "getenv", "get")
        if outside and isinstance(statement, ast.For | ast.Assign) and not _gave_no_text(scope, statement):
            weight = 0.75 if is_call(node, "DictReader", "reader", "input") else 0.4
            yield Finding(
                scope,
                node.lineno,
                weight * 0.8,
                f"`{ast.unparse(node)}` returns text: a number needs `int(...)` or `float(...)`",
                "text as number",
            )
        if isinstance(statement, ast.Assign) and node is statement.value and is_call(node, "int", "float"):
            target = statement.targets[0]
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                yield Finding(
                    scope,
                    statement.lineno,
                    0.8,
                    f"only `{ast.unparse(target)}` is made a number here; the other fields stay text",
                    "text as number",
                )


def defaults(scope: Scope, view: View) -> Iterator[Finding]:
    """`d.get(k)` whose None is used without a check."""
    none = any("`None`" in s for s in view.diagnosis.sentences)
    for statement, node in expressions(scope):
        if (
            isinstance(node, ast.Call)
            and is_call(node, "get")
            and len(node.args) == 1
            and isinstance(node.func, ast.Attribute)
            and none
        ):
            missing = _missing_key(scope, node.func.value, node.args[0])
            reason = missing or f"`{ast.unparse(node)}` returns `None` for a missing key"
            weight = 0.8 if missing else _in_slice(scope, node, view)
            yield Finding(scope, node.lineno, weight, reason, "get without default", claims=_none(statement, node))
        if is_call(node, "match", "search", "fullmatch") and none and isinstance(statement, ast.Assign | ast.Return):
            reason = f"`{ast.unparse(node)}` returns `None` where nothing matches"
            weight = _in_slice(scope, node, view)
            yield Finding(scope, node.lineno, weight, reason, "no match", claims=_none(statement, node))


def _in_slice(scope: Scope, node: ast.expr, view: View) -> float:
    """How sure it is that the failing value came from here."""
    return 0.6 if any(s.line == node.lineno and s.scope.key() == scope.key() for s in view.slice.steps) else 0.4


def _none(statement: ast.stmt, node: ast.expr) -> list[Claim]:
    """That what is assigned there is None."""
    is_whole = isinstance(statement, ast.Assign) and statement.value is node
    return [Claim(name, "none") for name in bindings(statement)] if is_whole else []


def _missing_key(scope: Scope, holder: ast.expr, key: ast.expr) -> str:
    """Which key is not there, where the frame is live and both values were read."""
    found, wanted = (scope.place.value(holder), scope.place.value(key)) if scope.place else (None, None)
    if found is None or wanted is None or found.keys is None or found.truncated or wanted.text in found.keys:
        return ""
    closest = near_key(wanted.text, found.keys)
    reason = f"`{ast.unparse(holder)}` has no key `{wanted.text}`, so `get` returns `None`"
    return f"{reason}; {closest}" if closest else reason


def repeated_branch(scope: Scope, view: View) -> Iterator[Finding]:
    """Two branches with one test, or one body; a branch that an earlier test already took."""
    for statement in scope.statements():
        if not isinstance(statement, ast.If):
            continue
        tests, bodies, branch = [statement], [statement.body], statement
        while len(branch.orelse) == 1 and isinstance(branch.orelse[0], ast.If):
            branch = branch.orelse[0]
            tests.append(branch)
            bodies.append(branch.body)
        seen: set[str] = set()
        for one in tests:
            text = ast.unparse(one.test)
            if text in seen and not _calls(one.test):
                yield Finding(
                    scope,
                    one.lineno,
                    0.6,
                    f"`{text}` was already tested above: this branch is never taken",
                    "condition",
                )
            seen.add(text)
        for earlier, later in pairwise(tests):
            if _covers(earlier.test, later.test):
                one, other = ast.unparse(earlier.test), ast.unparse(later.test)
                reason = f"`{one}` takes everything that `{other}` in line {later.lineno} should"
                yield Finding(scope, earlier.lineno, 0.6, reason, "condition")


def _covers(one: ast.expr, other: ast.expr) -> bool:
    """Whether `x > 1` stands before `x > 10`: the second can never be reached."""
    match one, other:
        case ast.Compare(left=a, ops=[op], comparators=[ast.Constant(value=int() | float() as x)]), ast.Compare(
            left=b, ops=[same], comparators=[ast.Constant(value=int() | float() as y)]
        ):
            if ast.dump(a) != ast.dump(b) or type(op) is not type(same):
                return False
            return (isinstance(op, ast.Gt | ast.GtE) and x <= y) or (isinstance(op, ast.Lt | ast.LtE) and x >= y)
        case _:
            return False


def boundary(scope: Scope, view: View) -> Iterator[Finding]:
    """A comparison with a constant that stands among the data as well."""
    for statement, node in expressions(scope):
        match node:
            case ast.Compare(
                ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()], comparators=[ast.Constant(value=limit)]
            ):
                pass
            case _:
                continue
        in_check = isinstance(statement, ast.Assert) or type(limit) not in (int, float) or limit in (0, 1)
        if not in_check and limit in _data(scope.source.index.tree):
            reason = (
                f"`{ast.unparse(node)}` decides about {limit}, which is among the data: is it meant to be in or out?"
            )
            yield Finding(scope, node.lineno, 0.4, reason, "boundary")


def mixed_logic(scope: Scope, view: View) -> Iterator[Finding]:
    """`a or b and c` without parentheses, which means `a or (b and c)`."""
    for _, node in expressions(scope):
        match node:
            case ast.BoolOp(op=ast.Or(), values=[*firsts, ast.BoolOp(op=ast.And(), values=[inner, *rest]) as last]):
                if _is_in_parentheses(scope, last):
                    continue
                first = ast.unparse(ast.BoolOp(ast.Or(), [*firsts, inner]))
                others = [f"({ast.unparse(r)})" if isinstance(r, ast.BoolOp) else ast.unparse(r) for r in rest]
                reason = "`and` binds before `or`: this means `... or (... and ...)`"
                edit = swap(scope.source, node, " and ".join([f"({first})", *others]))
                yield Finding(scope, node.lineno, 0.45, reason, "mixed logic", edit=edit)
            case _:
                pass


def _is_in_parentheses(scope: Scope, node: ast.expr) -> bool:
    before = scope.source.line(node.lineno).encode()[: node.col_offset]
    return before.rstrip().endswith(b"(")


@once_per_node
def _data(tree: ast.Module) -> set[object]:
    """Constants of a source that are not compared with."""
    limits = {id(c) for n in ast.walk(tree) if isinstance(n, ast.Compare) for c in n.comparators}
    constants = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in limits)
    return {n.value for n in constants if type(n.value) in (int, float)}


RULES = [mixed_logic, boundary, float_equality, identity, unconverted, defaults, repeated_branch]
