"""Represents a traced run as events: each is one run of a statement in one function call, with the values it set."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from dap_ai.agent.source.indexing import FunctionNode, once_per_node
from dap_ai.agent.source.source_file import ScopeNode, SourceFile, Sources
from dap_ai.agent.source.statements import bindings, last_line, mutations
from dap_ai.protocol.contracts.snapshot_messages import StepHistory, TracedRun

T = TypeVar("T")
K = TypeVar("K")
Spot = tuple[str, int]
"""(file, 1-based line)."""


@dataclass(eq=False)
class StatementRun:
    """An event: one run of a statement. `first` and `last`: numbers of its first and last step in the record."""

    run: Activation
    statement: ast.stmt
    first: int
    last: int
    at: int = 0
    """0-based index of the event among the events of its function call."""
    values: dict[str, str] = field(default_factory=dict[str, str])
    """Name -> value as text, for each name whose value the statement changed."""

    @property
    def ended(self) -> int:
        """The number of the next step in the same function call, after all functions that the statement called."""
        after = self.run.events[self.at + 1 :]
        return after[0].first if after else self.run.ended

    @property
    def spot(self) -> Spot:
        """File and line of the statement."""
        return self.run.source.path, self.statement.lineno


@dataclass(eq=False)
class Activation:
    """One call of a function, or one run of a module, with its events."""

    traced: TracedRun
    function: str
    source: SourceFile
    scope: ScopeNode
    events: list[StatementRun] = field(default_factory=list[StatementRun])
    arguments: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def name(self) -> str:
        """The function's own name, without its class."""
        return self.function.rpartition(".")[2]

    @property
    def is_open(self) -> bool:
        """Whether the call neither returned nor was cancelled: an exception ended the call, or it is still running."""
        return not self.traced.result and not self.traced.raised.startswith("CancelledError")

    @property
    def ended(self) -> int:
        """A step number greater than all step numbers of the call, and at most that of the caller's next step."""
        return self.events[-1].last + 1 if self.events else 0

    def before(self, event: StatementRun) -> Iterator[StatementRun]:
        """Return the call's events before an event, nearest first."""
        return (self.events[at] for at in range(event.at - 1, -1, -1))

    def of(self, statement: ast.stmt, event: StatementRun) -> StatementRun | None:
        """Return the last event of a statement before another event, or None."""
        return next(_before(self._by_statement.get(id(statement), ()), event), None)

    def makers(self, name: str, event: StatementRun) -> Iterator[StatementRun]:
        """Return the events that bound a name or changed its object before an event, nearest first."""
        return _before(self._makers.get(name, ()), event)

    def value(self, name: str, event: StatementRun) -> str | None:
        """Return the text of a name's value at the start of an event; None if unknown."""
        earlier = next((e for e in self.makers(name, event) if name in e.values), None)
        return earlier.values[name] if earlier else self.arguments.get(name)

    def values(self, names: Iterable[str], event: StatementRun) -> dict[str, str]:
        """Map names to the texts of their values at the start of an event, without names of unknown value."""
        return {name: text for name in names if (text := self.value(name, event)) is not None}

    @cached_property
    def _by_statement(self) -> dict[int, list[StatementRun]]:
        return grouped(self.events, lambda event: (id(event.statement),))

    @cached_property
    def _makers(self) -> dict[str, list[StatementRun]]:
        return grouped(self.events, lambda event: {*event.values, *made_by(event.statement)})


@once_per_node
def made_by(statement: ast.stmt) -> frozenset[str]:
    """Return the names that a statement binds, and the names of objects that it changes."""
    if isinstance(statement, FunctionNode):
        return frozenset([statement.name])
    return frozenset([*bindings(statement), *(root for root, _, _ in mutations(statement))])


@once_per_node
def written_by(statement: ast.stmt) -> frozenset[str]:
    """Return the names of attributes that a statement sets, and of attributes whose containers it changes."""
    texts = [text for _, text, _ in mutations(statement)]
    return frozenset(part for text in texts for part in text.partition("[")[0].split(".")[1:])


def _before(events: Sequence[StatementRun], event: StatementRun) -> Iterator[StatementRun]:
    end = bisect_left(events, event.first, key=lambda e: e.first)
    return (events[at] for at in range(end - 1, -1, -1))


def grouped(items: Iterable[T], keys: Callable[[T], Iterable[K]]) -> dict[K, list[T]]:
    """Map each key to its items, in order. An item can have several keys."""
    found: dict[K, list[T]] = defaultdict(list)
    for item in items:
        for key in keys(item):
            found[key].append(item)
    return found


class TraceRecord:
    """The events of a recorded run, in order."""

    def __init__(self, history: StepHistory, sources: Sources) -> None:
        self.events: list[StatementRun] = []
        self._children: dict[int, list[Activation]] = defaultdict(list)
        """Step number -> function calls that the step made."""
        self.runs: dict[int, Activation] = {}
        for traced in history.runs:
            code = history.codes[traced.code]
            source = sources.read(code.file)
            scope = _scope(source, code.function, code.line) if source else None
            if source is not None and scope is not None:
                given = {n: t for n, _, t in (a.partition("=") for a in traced.arguments)}
                self.runs[traced.number] = Activation(traced, code.function, source, scope, arguments=given)
                self._children[traced.called_at].append(self.runs[traced.number])
        self._read(history)

    def _read(self, history: StepHistory) -> None:
        by_step: dict[int, StatementRun] = {}
        pairs = zip(history.steps[::2], history.steps[1::2], strict=True)
        for number, (run_number, line) in enumerate(pairs, history.first):
            run = self.runs.get(run_number)
            statement = run.source.statement_at(line) if run else None
            if run is None or statement is None:
                continue
            previous = run.events[-1] if run.events else None
            if previous is None or previous.statement is not statement or _is_anew(statement, line):
                previous = StatementRun(run, statement, number, number, len(run.events))
                run.events.append(previous)
                self.events.append(previous)
            previous.last = number
            by_step[number] = previous
        for value in history.values:
            if value.step in by_step:
                by_step[value.step].values[value.name] = value.text
        self._by_step = by_step

    def calls(self, event: StatementRun) -> list[Activation]:
        """Return the calls of user functions that the event made, in order."""
        steps = (n for n in range(event.first, event.last + 1) if self._by_step.get(n) is event)
        return [run for number in steps for run in self._children.get(number, ())]

    def caller(self, run: Activation) -> StatementRun | None:
        """Return the event that made a function call, or None."""
        return self._by_step.get(run.traced.called_at)

    def writers(self, attribute: str, event: StatementRun) -> Iterator[StatementRun]:
        """Return the events that wrote an attribute of this name before an event, nearest first."""
        return _before(self._writers.get(attribute, ()), event)

    def runs_of(self, source: SourceFile) -> list[Activation]:
        """Return the calls of a file's functions and the runs of its module."""
        return self._by_source.get(source.path, [])

    @cached_property
    def _by_source(self) -> dict[str, list[Activation]]:
        return grouped(self.runs.values(), lambda run: (run.source.path,))

    @cached_property
    def _writers(self) -> dict[str, list[StatementRun]]:
        return grouped(self.events, lambda event: written_by(event.statement))

    def end(self, path: str, statement: ast.stmt) -> StatementRun | None:
        """Return a statement's last event. Prefers calls that did not return: other tasks may outlive the failure."""
        found = [e for e in self.events if e.statement is statement and e.run.source.path == path]
        return max(found, key=lambda e: (e.run.is_open, e.first), default=None)

    def until(self, event: StatementRun) -> Sequence[StatementRun]:
        """Return the events that started before an event, in starting order."""
        return self.events[: bisect_left(self.events, event.first, key=lambda e: e.first)]


def _is_anew(statement: ast.stmt, line: int) -> bool:
    """Whether a step at the line starts a new run of the same statement: true only for a `while` test on one line."""
    return isinstance(statement, ast.While) and last_line(statement.test) == line == statement.lineno


def _scope(source: SourceFile, function: str, line: int) -> ScopeNode | None:
    if function.rpartition(".")[2] == "<module>":
        return source.tree
    return source.function_starting(line) or source.function_at(line) or source.tree
