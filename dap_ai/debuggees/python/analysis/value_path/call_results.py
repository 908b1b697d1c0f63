"""Finds the source of a call's result: the recorded call, and the `return` that produced the result."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from dap_ai.agent.source.statements import header_nodes
from dap_ai.debuggees.python.analysis.syntax import data_sources
from dap_ai.debuggees.python.analysis.syntax.definitions import FunctionScope
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, calls_by
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver
from dap_ai.debuggees.python.analysis.syntax.value_parts import results
from dap_ai.debuggees.python.analysis.value_path.path_spots import PathSpot, PathValues, Source
from dap_ai.debuggees.python.analysis.value_path.recorded_values import OUTSIDE, Calls, RecordedValue

ENDED = "it came to the end of the function without a `return`"
_YIELD = ast.Yield | ast.YieldFrom

Gives = Sequence[tuple[ast.stmt, ast.expr]]
"""A function's `return` statements, each with its expression."""


class CallResults:
    """Finds the sources of call results."""

    def __init__(self, resolver: Resolver, values: PathValues) -> None:
        self._resolver = resolver
        self._recorded = values.recorded

    def callee(self, call: ast.Call, spot: PathSpot) -> FunctionScope | None:
        """Return the one user function that a call runs; None for a constructor, a library or unknown function."""
        found = self._resolver.callees(call, spot.scope)
        return found[0] if len(found) == 1 and getattr(found[0].node, "name", "") != "__init__" else None

    def of(self, call: ast.Call, callee: FunctionScope, spot: PathSpot, given: RecordedValue | None) -> Source:
        """Return the source of a call's result. `given`: the result's value, if known."""
        calls = self._calls_of(call, callee, spot, given)
        value = self._recorded.result(calls) or given
        line = getattr(callee.node, "lineno", 1)
        inner = PathSpot(callee, line, calls, spot, call, spot.every or len(calls) > 1)
        if any(isinstance(n, _YIELD) for s in callee.statements() for n in header_nodes(s)):
            return Source(inner, "returned", value=value, note="a generator: what it has given is not followed")
        gives = [(s, v) for s in callee.statements() if isinstance(s, ast.Return) for v in results(s)]
        if self._came_to_its_end(callee, gives, calls, value):
            return Source(inner, "returned", value=value, note=ENDED, born=True)
        found = self._return(gives, inner, value)
        if found is None:
            return Source(inner, "returned", value=value, note="which `return` gave it is not known")
        return Source(inner.at(found[0].lineno), "returned", found[1], value)

    def _calls_of(self, call: ast.Call, callee: FunctionScope, spot: PathSpot, given: RecordedValue | None) -> Calls:
        """Return the recorded calls that `call` made, matched by call site and result; empty if unknown."""
        is_only_one = sum(called_name(n) == called_name(call) for n in calls_by(*spot.scope.statements())) == 1
        found = self._recorded.within(callee, spot.calls)
        if not spot.calls and len(list(data_sources.calls_of(self._resolver, callee))) == 1:
            found = tuple(n for n in self._recorded.of(callee) if n != OUTSIDE)
        if spot.every:
            return found if is_only_one else ()
        if given and given.rounds == 1:
            found = tuple(n for n in found if self._recorded.calls[n].result == given.text) or found
        if len(found) <= 1:
            return found if is_only_one or given else ()
        return found[-1:] if is_only_one and self._recorded.has_all_calls else ()

    def _return(self, gives: Gives, inner: PathSpot, value: RecordedValue | None) -> tuple[ast.stmt, ast.expr] | None:
        """Return the `return` that produced the result: the only possible one, or the last to run; None if unknown."""
        ran = [pair for pair in gives if self._recorded.ran(inner.scope, pair[0]) is not False]
        if value and value.rounds == 1:
            ran = [p for p in ran if not isinstance(p[1], ast.Constant) or repr(p[1].value) == value.text]
        if len(ran) > 1 and self._recorded.is_last_call(inner.scope, inner.calls):
            return max(ran, key=lambda pair: self._recorded.last_run(inner.scope, pair[0]))
        return ran[0] if len(ran) == 1 else None

    def _came_to_its_end(self, callee: FunctionScope, gives: Gives, calls: Calls, value: RecordedValue | None) -> bool:
        """Whether the call returned None by reaching the function's end.

        Compares the number of calls that ran no `return` with the number of None results.
        """
        if not gives:
            return value is not None and value.text == "None"
        if value is None or value.text != "None" or not calls or not self._recorded.has_all_calls:
            return False
        finished = [text for n in self._recorded.of(callee) if (text := self._recorded.calls[n].result)]
        by_return = sum(self._recorded.times(callee, s) for s, _ in gives)
        return len(finished) - by_return == finished.count("None")
