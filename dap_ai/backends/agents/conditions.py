"""Conditions and expressions over an event: Python's syntax, of which nothing but reading, comparing and counting runs.

"rm -rf" in args.command        usage.total > 50_000        tool == "bash" and status == "error"
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from dap_ai.runs.model import Event

MAX_CHARS = 2000
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
FIELDS = ("kind", "agent", "cycle", "step", "index", "at_s", "took_s", "text", "reasoning", "tool", "args", "status",
          "exit_code", "usage", "call_id")  # fmt: skip
"""What a name can be."""


class ConditionError(ValueError):
    """It is no expression over an event, or has no value for this one; the text says why."""


def parsed(text: str) -> ast.expr:
    """The expression. Raises ConditionError."""
    if len(text) > MAX_CHARS:
        raise ConditionError(f"it is longer than {MAX_CHARS} characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConditionError(f"not an expression: {getattr(error, 'msg', '') or error}") from error


def fields_of(event: Event) -> dict[str, Any]:
    """What the names of an expression stand for."""
    usage = event.usage
    tokens = [n for n in (usage.input_tokens, usage.output_tokens) if n is not None] if usage else []
    return {
        "kind": event.kind,
        "agent": event.agent,
        "cycle": event.cycle,
        "step": event.step,
        "index": event.index,
        "at_s": event.at_s,
        "took_s": event.took_s,
        "text": event.text,
        "reasoning": event.reasoning,
        "tool": event.tool,
        "args": dict(event.arguments or {}),
        "status": event.status,
        "exit_code": event.exit_code,
        "call_id": event.call_id,
        "usage": {
            "input": usage.input_tokens if usage else None,
            "cached": usage.cached_tokens if usage else None,
            "output": usage.output_tokens if usage else None,
            "cost": usage.cost_usd if usage else None,
            "total": sum(tokens) if tokens else None,
        },
    }


def value_of(expression: ast.expr, event: Event, more: Mapping[str, Any] | None = None) -> Any:
    """What an expression is for an event; `more` are further names. Raises ConditionError."""
    try:
        return _value(expression, fields_of(event) | dict(more or {}))
    except ConditionError:
        raise
    except (TypeError, LookupError, ValueError, RecursionError, OverflowError) as error:
        raise ConditionError(f"{type(error).__name__}: {error}") from error


def holds(expression: ast.expr | None, event: Event) -> bool:
    """Whether a condition is true of an event; without one, it is. What has no value there is not."""
    if expression is None:
        return True
    try:
        return bool(value_of(expression, event))
    except ConditionError:
        return False


def _value(node: ast.expr, fields: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            if name not in fields:
                raise ConditionError(f"there is no `{name}`: an event has {', '.join(FIELDS)}")
            return fields[name]
        case ast.Attribute(value=inner, attr=name):
            return _member(_value(inner, fields), name)
        case ast.Subscript(value=inner, slice=index):
            return _value(inner, fields)[_value(index, fields)]
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _compared(_value(left, fields), ops, [_value(other, fields) for other in others])
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(value, fields) for value in values)
        case ast.BoolOp(values=values):
            return any(_value(value, fields) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, fields)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, fields)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, fields) for item in items]
        case ast.Call(func=ast.Name(id="len"), args=[inner], keywords=[]):
            return len(_value(inner, fields))
        case _:
            raise ConditionError("only fields, comparisons, `and`, `or`, `not`, `in` and `len` are read here")


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        found = cast("Mapping[str, Any]", value)
        return found.get(name)
    raise ConditionError(f"what stands before `.{name}` has no names")


def _compared(left: Any, ops: Sequence[ast.cmpop], others: Sequence[Any]) -> bool:
    for op, other in zip(ops, others, strict=True):
        compare = _COMPARISONS.get(type(op))
        if compare is None:
            raise ConditionError("`is` is not read here: use ==")
        if not compare(left, other):
            return False
        left = other
    return True
