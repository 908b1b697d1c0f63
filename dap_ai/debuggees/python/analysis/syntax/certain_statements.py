"""Finds the statements of a block that ran whatever the values were: up to a line, or to the block's end."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from types import UnionType
from typing import NamedTuple

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import body_fields, header_expressions, last_line
from dap_ai.debuggees.python.analysis.syntax.nodes import COMPREHENSIONS, is_within

LEAVES_FUNCTION = ast.Return
LEAVES_ROUND = ast.Return | ast.Break | ast.Continue


class RunStatement(NamedTuple):
    """A statement, or a compound statement's header, that ran. `ended`: False if only its start is certain."""

    statement: ast.stmt
    ended: bool


def until(block: Sequence[ast.stmt], line: int) -> Iterator[RunStatement]:
    """Yield the statements of a block and its inner blocks that certainly ran when a frame is at the line."""
    for statement in block:
        if last_line(statement) < line:
            yield from _whole(statement)
        elif statement.lineno <= line:
            yield RunStatement(
                statement, ended=True
            )  # its header was evaluated; the caller leaves out the frame's statement
            yield from _inside(statement, line)


def _inside(statement: ast.stmt, line: int) -> Iterator[RunStatement]:
    if isinstance(statement, FunctionNode):
        return
    if isinstance(statement, ast.Try):
        if is_within(line, statement.orelse):
            yield from all_of(statement.body)
        elif not is_within(line, statement.body):
            yield RunStatement(statement.body[0], ended=False)
    for block in body_fields(statement):
        if is_within(line, block):
            yield from until(block, line)


def all_of(block: Sequence[ast.stmt]) -> Iterator[RunStatement]:
    """Yield the statements that certainly ran in a block that ran to its end."""
    for statement in block:
        yield from _whole(statement)


def _whole(statement: ast.stmt) -> Iterator[RunStatement]:
    """Yield a statement that ran to its end, and the inner statements that certainly ran."""
    yield RunStatement(statement, ended=True)
    match statement:
        case ast.With(body=body) | ast.AsyncWith(body=body):
            yield RunStatement(body[0], ended=False)  # an exception may have ended it
        case ast.Try(body=body, finalbody=finalbody):
            yield RunStatement(body[0], ended=False)
            yield from all_of(finalbody)
        case ast.ClassDef(body=body):
            yield from all_of(body)
        case _:
            pass


def in_full(body: Sequence[ast.stmt], leaves: type[ast.stmt] | UnionType) -> Iterator[RunStatement]:
    """Yield the statements that certainly ran in a function that returned, or in a loop body that ran at least once."""
    for statement in body:
        yield from _whole(statement)
        if any(isinstance(n, leaves) for n in ast.walk(statement)):
            return


def calls_of(statement: ast.stmt) -> Iterator[ast.Call]:
    """Yield the calls that a statement makes each time it runs, whatever the values are."""
    roots = [statement.test] if isinstance(statement, ast.Assert) else header_expressions(statement)
    for root in roots:
        yield from calls_in(root)


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that an expression makes each time it is evaluated, whatever the values are."""
    if isinstance(node, ast.Call):
        yield node
    match node:
        case ast.Lambda():
            parts: Sequence[ast.AST] = ()
        case ast.BoolOp(values=values):
            parts = values[:1]
        case ast.IfExp(test=test):
            parts = [test]
        case ast.Compare(left=left, comparators=comparators):
            parts = [left, comparators[0]]
        case _ if isinstance(node, COMPREHENSIONS):
            parts = [node.generators[0].iter]
        case _:
            parts = list(ast.iter_child_nodes(node))
    for part in parts:
        yield from calls_in(part)
