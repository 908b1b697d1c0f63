"""Evaluates conditions over an event: a subset of Python that can only read fields, compare and count.

"rm -rf" in args.command        usage.total > 50_000        tool == "bash" and status == "error"
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from dap_ai.debuggees.runs.adapter.run_facts import RunFacts, tokens_of
from dap_ai.debuggees.runs.run_model import Event
from dap_ai.system.texts import code

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


class ConditionError(ValueError):
    """The expression is invalid, or has no value for an event; the message says why."""


def _usage(event: Event, _: RunFacts) -> Mapping[str, Any]:
    usage = event.usage
    return {
        "input": usage.input_tokens if usage else None,
        "cached": usage.cached_tokens if usage else None,
        "output": usage.output_tokens if usage else None,
        "cost": usage.cost_usd if usage else None,
        "total": tokens_of(usage),
    }


def _spent(event: Event, facts: RunFacts) -> Mapping[str, Any]:
    tokens, cost = facts.spent.until(event.index)
    return {"tokens": tokens, "cost": cost}


def _run(_: Event, facts: RunFacts) -> Mapping[str, Any]:
    run = facts.run
    return {
        "path": facts.path, "against": facts.against, "format": run.format, "steps": run.steps, "task": run.task,
        "outcome": run.outcome.verdict, "workspace": run.workspace,
    }  # fmt: skip


def _effect(event: Event, facts: RunFacts) -> Any:
    effect = facts.effects.get(event.step)
    return effect.kind if effect else None


def _writes(event: Event, facts: RunFacts) -> Sequence[str]:
    effect = facts.effects.get(event.step)
    return [write.path for write in effect.writes] if effect else []


def _reads(event: Event, facts: RunFacts) -> Sequence[str]:
    effect = facts.effects.get(event.step)
    return list(effect.reads) if effect else []


def _check(event: Event, facts: RunFacts) -> bool | None:
    check = facts.checks.get(event.step)
    return check.ok if check else None


FIELDS: Mapping[str, Callable[[Event, RunFacts], Any]] = {
    "kind": lambda event, _: event.kind,
    "agent": lambda event, _: event.agent,
    "cycle": lambda event, _: event.cycle,
    "step": lambda event, _: event.step,
    "index": lambda event, _: event.index,
    "at_s": lambda event, _: event.at_s if event.at_s is None else round(event.at_s, 3),
    "took_s": lambda event, _: event.took_s if event.took_s is None else round(event.took_s, 3),
    "text": lambda event, _: event.text,
    "reasoning": lambda event, _: event.reasoning,
    "tool": lambda event, _: event.tool,
    "args": lambda event, _: dict(event.arguments or {}),
    "status": lambda event, _: event.status,
    "exit_code": lambda event, _: event.exit_code,
    "call_id": lambda event, _: event.call_id,
    "usage": _usage,
    "spent": _spent,
    "run": _run,
    "effect": _effect,
    "writes": _writes,
    "reads": _reads,
    "check": _check,
    "patterns": lambda event, facts: [pattern.name for pattern in facts.patterns_at(event)],
}
"""Names available in expressions; the last five are results of analysis for the event's step."""


def parsed(text: str) -> ast.expr:
    """Parse an expression and check its names. Raises ConditionError."""
    if len(text) > MAX_CHARS:
        raise ConditionError(f"it is longer than {MAX_CHARS} characters")
    try:
        expression = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConditionError(f"not an expression: {getattr(error, 'msg', '') or error}") from error
    for node in ast.walk(expression):
        if isinstance(node, ast.Name) and node.id not in FIELDS and node.id != "len":
            raise ConditionError(f"there is no {code(node.id)}: an event has {', '.join(FIELDS)}")
    return expression


def value_of(expression: ast.expr, event: Event, facts: RunFacts) -> Any:
    """Return an expression's value for an event. Raises ConditionError."""
    try:
        return _value(expression, event, facts)
    except ConditionError:
        raise
    except (TypeError, LookupError, ValueError, RecursionError, OverflowError) as error:
        raise ConditionError(f"{type(error).__name__}: {error}") from error


def holds(expression: ast.expr | None, event: Event, facts: RunFacts) -> bool:
    """Return whether a condition is true for an event; True without a condition, False if it has no value."""
    if expression is None:
        return True
    try:
        return bool(value_of(expression, event, facts))
    except ConditionError:
        return False


def _value(node: ast.expr, event: Event, facts: RunFacts) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in FIELDS:
            return FIELDS[name](event, facts)
        case ast.Attribute(value=inner, attr=name):
            return _member(_value(inner, event, facts), name)
        case ast.Subscript(value=inner, slice=index):
            return _value(inner, event, facts)[_value(index, event, facts)]
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _compared(_value(left, event, facts), ops, [_value(other, event, facts) for other in others])
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_value(value, event, facts) for value in values)
        case ast.BoolOp(values=values):
            return any(_value(value, event, facts) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, event, facts)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, event, facts)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, event, facts) for item in items]
        case ast.Call(func=ast.Name(id="len"), args=[inner], keywords=[]):
            return len(_value(inner, event, facts))
        case _:
            raise ConditionError("only fields, comparisons, `and`, `or`, `not`, `in` and `len` are read here")


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        found = cast("Mapping[str, Any]", value)
        return found.get(name)
    raise ConditionError(f"what stands before {code(f'.{name}')} has no names")


def _compared(left: Any, ops: Sequence[ast.cmpop], others: Sequence[Any]) -> bool:
    for op, other in zip(ops, others, strict=True):
        compare = _COMPARISONS.get(type(op))
        if compare is None:
            raise ConditionError("`is` is not read here: use ==")
        if not compare(left, other):
            return False
        left = other
    return True
