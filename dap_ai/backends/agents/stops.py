"""Where a run stops: lines of its document, kinds and tools, filters. Each takes a condition and a hit count."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from dap_ai.backends.agents.conditions import ConditionError, holds, parsed, value_of
from dap_ai.runs.analysis.facts import Analysis
from dap_ai.runs.model import Event

_HITS: Mapping[str, Callable[[int, int], bool]] = {
    ">=": operator.ge, ">": operator.gt, "==": operator.eq, "=": operator.eq, "<=": operator.le, "<": operator.lt,
    "%": lambda hits, n: n > 0 and hits % n == 0,
}  # fmt: skip
_INSERT = re.compile(r"\{([^{}]+)\}")
_HIT_TEXT = re.compile(r"\s*(>=|<=|==|=|>|<|%)?\s*(\d+)\s*")


@dataclass
class Stop:
    """One breakpoint."""

    ident: int
    matches: Callable[[Event], bool]
    condition: ast.expr | None = None
    hit: Callable[[int], bool] | None = None
    log: str = ""
    """Said instead of a stop; `{expression}` stands for its value."""
    reason: str = "breakpoint"
    text: str = ""
    hits: int = field(default=0, compare=False)

    def takes(self, event: Event) -> bool:
        """Whether the run stops here; counts the hit."""
        if not self.matches(event) or not holds(self.condition, event):
            return False
        self.hits += 1
        return self.hit is None or self.hit(self.hits)


def stop_from(ident: int, asked: Mapping[str, Any], matches: Callable[[Event], bool], reason: str) -> Stop:
    """A breakpoint with the condition, hit count and log message of a DAP breakpoint. Raises ConditionError."""
    condition = str(asked.get("condition") or "")
    return Stop(
        ident,
        matches,
        parsed(condition) if condition.strip() else None,
        _hit(str(asked.get("hitCondition") or "")),
        str(asked.get("logMessage") or ""),
        reason,
    )


def named(name: str) -> Callable[[Event], bool]:
    """What a function breakpoint's name matches: `tool:bash`, `tool:edit_*`, `llm`, `agent:reviewer`, a kind of event.

    Raises ConditionError.
    """
    kind, _, pattern = name.strip().partition(":")
    if kind == "tool" and pattern:
        return lambda event: event.kind == "call" and fnmatchcase(event.tool, pattern)
    if kind == "agent" and pattern:
        return lambda event: fnmatchcase(event.agent, pattern)
    if name.strip() == "llm":
        return lambda event: event.kind in ("query", "response")
    raise ConditionError("name `tool:PATTERN`, `agent:PATTERN` or `llm`")


def filters(analysis: Analysis) -> Mapping[str, tuple[str, Callable[[Event], bool]]]:
    """The exception filters of a run: label, and which events they stop at."""
    failed = {check.step for check in analysis.checks if check.ok is False}
    changed = {effect.step for effect in analysis.effects if effect.kind == "change"}
    shown = {pattern.steps[-1] for pattern in analysis.patterns if pattern.steps}

    return {
        "query": ("Before a query", lambda event: event.kind == "query"),
        "response": ("After a response", lambda event: event.kind == "response"),
        "call": ("Before a tool is called", lambda event: event.kind == "call"),
        "result": ("After a tool was called", lambda event: event.kind == "result"),
        "change": ("The workspace was changed", lambda event: event.kind == "result" and event.step in changed),
        "toolError": ("A tool failed", lambda event: event.kind == "result" and event.status == "error"),
        "apiError": ("An error of the model or the agent", lambda event: event.kind == "error"),
        "checkFailed": ("A check failed", lambda event: event.kind == "result" and event.step in failed),
        "pattern": (
            "Something that goes wrong in many runs",
            lambda event: event.kind == "result" and event.step in shown,
        ),
    }


def filled(text: str, event: Event) -> str:
    """A log message with its expressions' values."""
    return _INSERT.sub(lambda found: _inserted(found[1], event), text)


def _inserted(expression: str, event: Event) -> str:
    try:
        return str(value_of(parsed(expression), event))
    except ConditionError as error:
        return f"<{error}>"


DEFAULT_FILTERS = frozenset({"apiError", "pattern"})
LABELS: Mapping[str, str] = {name: label for name, (label, _) in filters(Analysis()).items()}


def _hit(text: str) -> Callable[[int], bool] | None:
    if not text.strip():
        return None
    found = _HIT_TEXT.fullmatch(text)
    if found is None:
        raise ConditionError("a hit count is a number, with >=, >, ==, <=, < or % before it if need be")
    compare, number = _HITS[found[1] or "=="], int(found[2])
    return lambda hits: compare(hits, number)
