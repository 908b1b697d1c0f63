"""Breakpoints of any kind, with condition, hit count and log message."""

from __future__ import annotations

import ast
import operator
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, get_args

from dap_ai.debuggees.runs.adapter.request_arguments import RequestArguments
from dap_ai.debuggees.runs.adapter.run_facts import RunFacts
from dap_ai.debuggees.runs.adapter.stopping.event_conditions import ConditionError, holds, parsed, value_of
from dap_ai.debuggees.runs.adapter.stopping.exception_filters import Test
from dap_ai.debuggees.runs.analysis.analysis_model import EffectKind
from dap_ai.debuggees.runs.run_model import Event, EventKind
from dap_ai.protocol.contracts.comparisons import COMPARE

_HITS: Mapping[str, Callable[[int, int], bool]] = {
    **COMPARE,
    "=": operator.eq,
    "%": lambda hits, n: n > 0 and hits % n == 0,
}
_INSERT = re.compile(r"\{([^{}]+)\}")
_HIT_TEXT = re.compile(r"\s*(>=|<=|==|=|>|<|%)?\s*(\d{1,12})\s*")
_KINDS = frozenset(get_args(EventKind))
_EFFECTS = frozenset(get_args(EffectKind))


@dataclass
class RunBreakpoint:
    """One breakpoint. Hits count from the run's beginning, so that moves forward and backward count the same hits."""

    ident: int
    matches: Test
    condition: ast.expr | None = None
    hit: Callable[[int], bool] | None = None
    log: str = ""
    """Message to print instead of stopping; each `{expression}` in the message is replaced by its value."""
    reason: str = "breakpoint"
    filter: str = ""
    """Name of the exception filter; empty for other breakpoints."""
    asked: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The breakpoint's entry in the client's DAP request."""
    _met: list[int] = field(default_factory=list[int])
    """Indices of matching events, in order, among the first `_seen` events."""
    _seen: int = 0

    def takes(self, event: Event, facts: RunFacts) -> bool:
        """Return whether this breakpoint stops at the event, or logs its message there."""
        if not self._holds(event, facts):
            return False
        return self.hit is None or self.hit(self._count(event.index, facts))

    def recount(self) -> None:
        """Reset the hit count, so that the next use counts the hits again."""
        self._met, self._seen = [], 0

    def _holds(self, event: Event, facts: RunFacts) -> bool:
        return self.matches(event, facts) and holds(self.condition, event, facts)

    def _count(self, index: int, facts: RunFacts) -> int:
        """Return the number of matching events up to and including the event at `index`."""
        for event in facts.run.events[self._seen : index + 1]:
            if self._holds(event, facts):
                self._met.append(event.index)
        self._seen = max(self._seen, index + 1)
        return bisect_right(self._met, index)


def stop_from(ident: int, asked: RequestArguments, matches: Test, reason: str) -> RunBreakpoint:
    """Create a breakpoint from a DAP request's entry. Raises ConditionError and RequestError."""
    condition = asked.text("condition", "")
    return RunBreakpoint(
        ident,
        matches,
        parsed(condition) if condition.strip() else None,
        _hit(asked.text("hitCondition", "")),
        asked.text("logMessage", ""),
        reason,
        asked=asked.fields,
    )


def named(name: str) -> Test:
    """Return the test of events for a function breakpoint's name.

    Names: `tool:bash`, `tool:edit_*`, `llm`, `agent:reviewer`, `effect:change`, or a kind of event. Raises
    ConditionError.
    """
    bare = name.strip()
    kind, _, pattern = bare.partition(":")
    pattern = pattern.strip()
    if kind == "tool" and pattern:
        return lambda event, _: event.kind == "call" and fnmatchcase(event.tool, pattern)
    if kind == "agent" and pattern:
        return lambda event, facts: fnmatchcase(event.agent, pattern) and _enters(event, facts)
    if kind == "effect" and pattern in _EFFECTS:
        return lambda event, facts: event.kind == "call" and _does(event, facts, pattern)
    if bare == "llm":
        return lambda event, _: event.kind in ("query", "response")
    if bare in _KINDS:
        return lambda event, _: event.kind == bare
    raise ConditionError(
        f"name `tool:PATTERN`, `agent:PATTERN`, `llm`, `effect:KIND` ({', '.join(sorted(_EFFECTS))}) or a kind of "
        f"event ({', '.join(sorted(_KINDS))})"
    )


def _enters(event: Event, facts: RunFacts) -> bool:
    """Return whether the agent's turn begins with this event. The breakpoint stops only once per turn."""
    return not event.index or facts.run.events[event.index - 1].agent != event.agent


def _does(event: Event, facts: RunFacts, kind: str) -> bool:
    effect = facts.effects.get(event.step)
    return effect is not None and kind in (effect.kind, *effect.kinds)


def filled(text: str, event: Event, facts: RunFacts) -> str:
    """Return a log message with its expressions replaced by their values."""
    return _INSERT.sub(lambda found: _inserted(found[1], event, facts), text)


def _inserted(expression: str, event: Event, facts: RunFacts) -> str:
    try:
        return str(value_of(parsed(expression), event, facts))
    except ConditionError as error:
        return f"<{error}>"


def _hit(text: str) -> Callable[[int], bool] | None:
    if not text.strip():
        return None
    found = _HIT_TEXT.fullmatch(text)
    if found is None:
        raise ConditionError("a hit count is a number, with >=, >, ==, <=, < or % before it if need be")
    compare, number = _HITS[found[1] or "=="], int(found[2])
    return lambda hits: compare(hits, number)
