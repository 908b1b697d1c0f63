"""Finds the function that a name refers to: a decorator may have replaced the function defined under that name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.debuggees.python.analysis.questions.event_text import spot
from dap_ai.debuggees.python.analysis.record.recorded_run import RerunToStop
from dap_ai.debuggees.python.analysis.record.trace_record import Activation, StatementRun
from dap_ai.system.texts import code

_MAX_BETWEEN = 5
"""Maximum number of wrappers around one function."""
_MAX_CODE = 60


@dataclass(frozen=True)
class Wrapper:
    """The function that a name refers to, instead of the function defined under that name."""

    name: str
    """The name that refers to the wrapper, without its class."""
    source: SourceFile
    function: FunctionNode
    written: tuple[SourceFile, FunctionNode] | None
    """The function defined under this name, or None."""

    def describe(self, again: RerunToStop) -> str:
        """Return a sentence such as: `area` is `wrapper` (`shop.py:5`), by the decorator `@logged`."""
        decorators = self.written[1].decorator_list if self.written else []
        head = f"{code(self.name)} is {code(self.function.name)} ({spot(again, self.source, self.function.lineno)})"
        if decorators:
            return f"{head}, by the decorator {code(f'@{cut(ast.unparse(decorators[0]), _MAX_CODE)}')}."
        own = f", not the function at {spot(again, self.written[0], self.written[1].lineno)}" if self.written else ""
        return f"{head}{own}."

    def runs(self, again: RerunToStop) -> list[Activation]:
        """Return the wrapper's recorded calls by this name. One wrapper may replace several functions."""
        runs = (run for run in again.record.runs_of(self.source) if run.scope is self.function)
        return [run for run in runs if (at := again.record.caller(run)) and self._is_meant(again, run, at)]

    def _is_meant(self, again: RerunToStop, run: Activation, event: StatementRun) -> bool:
        """Whether a call of the wrapper was by this name.

        If a statement calls the wrapper several times, only a call that reaches the defined function counts.
        """
        if not _mentions(event.statement, self.name):
            return False
        alike = [each for each in again.record.calls(event) if each.scope is run.scope]
        return len(alike) == 1 or self.wrapped_in(again, run) is not None

    def wrapped_in(self, again: RerunToStop, outer: Activation) -> Activation | None:
        """Return the call of the defined function that a wrapper's call made, or None."""
        own = self.written[1] if self.written else None
        runs = (run for run in again.record.runs.values() if run.scope is own)
        return next((run for run in runs if any(each is outer for each in _around(again, run))), None)


def wrapper_of(again: RerunToStop, name: str, written: tuple[SourceFile, FunctionNode] | None) -> Wrapper | None:
    """Return the wrapper that a name refers to; None if the name refers to the defined function or is unknown."""
    own = name.rpartition(".")[2]
    source, function = _bound(again, name) or (_outer(again, own, written[1]) if written else None) or (None, None)
    if source is None or function is None or (written and function is written[1]):
        return None
    return Wrapper(own, source, function, written)


def called_as(again: RerunToStop, event: StatementRun, name: str) -> list[Activation]:
    """Return the calls that an event made by this name, of the function or of its wrapper."""
    children = again.record.calls(event)
    by_name = [run for run in children if run.name == name]
    if by_name:
        return by_name
    bound = _bound(again, name)
    inner = [run for run in again.record.runs.values() if run.name == name]
    within = {id(outer) for run in inner for outer in _around(again, run)}
    return [run for run in children if (bound and run.scope is bound[1]) or id(run) in within]


def _bound(again: RerunToStop, name: str) -> tuple[SourceFile, FunctionNode] | None:
    """Return the function that is the name's value at the stop, found by its code's location, or None."""
    values = (place.value(name) for place in again.case.callers)
    value = next((value for value in values if value is not None), None)
    definition = value.definition if value and value.kind == "function" else None
    source = again.case.sources.read(definition.file) if definition else None
    function = source.function_starting(definition.line) if source and definition else None
    return (source, function) if source and function else None


def _outer(again: RerunToStop, name: str, function: FunctionNode) -> tuple[SourceFile, FunctionNode] | None:
    """Return the wrapper that code called by a decorated function's name to reach the function, or None."""
    for run in again.record.runs.values() if function.decorator_list else ():
        if run.scope is function:
            for outer in _around(again, run, name):
                if isinstance(outer.scope, FunctionNode):
                    return outer.source, outer.scope
    return None


def _around(again: RerunToStop, run: Activation, name: str = "") -> Iterator[Activation]:
    """Yield the wrappers' calls around a call, innermost first; with `name`, only the call made by that name."""
    own, inner = name or run.name, run
    for _ in range(_MAX_BETWEEN):
        event = again.record.caller(inner)
        if event is None:
            return
        if _mentions(event.statement, own):
            if name and inner is not run:
                yield inner
            return
        inner = event.run
        if not name:
            yield inner


def _mentions(statement: ast.stmt, name: str) -> bool:
    """Whether a statement uses the name as a variable or an attribute."""
    nodes = ast.walk(statement)
    return any(getattr(n, "id", "") == name or getattr(n, "attr", "") == name for n in nodes)
