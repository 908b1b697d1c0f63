"""A traced run as events: a statement that ran, in one activation of its function, with the values it gave."""

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
"""A file and a line of it, 1-based."""


@dataclass(eq=False)
class StatementRun:
    """One run of a statement. `first` and `last`: numbers of its steps in the record."""

    run: Activation
    statement: ast.stmt
    first: int
    last: int
    at: int = 0
    """Its index among the events of its run."""
    values: dict[str, str] = field(default_factory=dict[str, str])
    """The names to which it gave another value, with that."""

    @property
    def ended(self) -> int:
        """The number of the step of its run that came after it, functions that it called included."""
        after = self.run.events[self.at + 1 :]
        return after[0].first if after else self.run.ended

    @property
    def spot(self) -> Spot:
        """File and line of the statement."""
        return self.run.source.path, self.statement.lineno


@dataclass(eq=False)
class Activation:
    """One activation of a function, or of a module."""

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
        """Whether it neither returned nor was cancelled: an error ended it, or it still runs."""
        return not self.traced.result and not self.traced.raised.startswith("CancelledError")

    @property
    def ended(self) -> int:
        """A number after all of its steps, and before the next one of its caller."""
        return self.events[-1].last + 1 if self.events else 0

    def before(self, event: StatementRun) -> Iterator[StatementRun]:
        """The events before one, the nearest first."""
        return (self.events[at] for at in range(event.at - 1, -1, -1))

    def of(self, statement: ast.stmt, event: StatementRun) -> StatementRun | None:
        """The last event of a statement before one."""
        return next(_before(self._by_statement.get(id(statement), ()), event), None)

    def makers(self, name: str, event: StatementRun) -> Iterator[StatementRun]:
        """The events before one that bound a name or changed what it holds, the nearest first."""
        return _before(self._makers.get(name, ()), event)

    def value(self, name: str, event: StatementRun) -> str | None:
        """The text of a name's value when an event begins; None where it is not known."""
        earlier = next((e for e in self.makers(name, event) if name in e.values), None)
        return earlier.values[name] if earlier else self.arguments.get(name)

    def values(self, names: Iterable[str], event: StatementRun) -> dict[str, str]:
        """The same of several names, those that are known."""
        return {name: text for name in names if (text := self.value(name, event)) is not None}

    @cached_property
    def _by_statement(self) -> dict[int, list[StatementRun]]:
        return grouped(self.events, lambda event: (id(event.statement),))

    @cached_property
    def _makers(self) -> dict[str, list[StatementRun]]:
        return grouped(self.events, lambda event: {*event.values, *made_by(event.statement)})


@once_per_node
def made_by(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement binds, or whose objects it changes."""
    if isinstance(statement, FunctionNode):
        return frozenset([statement.name])
    return frozenset([*bindings(statement), *(root for root, _, _ in mutations(statement))])


@once_per_node
def written_by(statement: ast.stmt) -> frozenset[str]:
    """The attributes that it stores into, or whose containers it changes."""
    texts = [text for _, text, _ in mutations(statement)]
    return frozenset(part for text in texts for part in text.partition("[")[0].split(".")[1:])


def _before(events: Sequence[StatementRun], event: StatementRun) -> Iterator[StatementRun]:
    end = bisect_left(events, event.first, key=lambda e: e.first)
    return (events[at] for at in range(end - 1, -1, -1))


def grouped(items: Iterable[T], keys: Callable[[T], Iterable[K]]) -> dict[K, list[T]]:
    """The items of each key, in their order."""
    found: dict[K, list[T]] = defaultdict(list)
    for item in items:
        for key in keys(item):
            found[key].append(item)
    return found


class TraceRecord:
    """The events of a run in their order."""

    def __init__(self, history: StepHistory, sources: Sources) -> None:
        self.events: list[StatementRun] = []
        self._children: dict[int, list[Activation]] = defaultdict(list)
        """The runs that were called at a step."""
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
        """The runs of the user's functions that the event called, in order."""
        steps = (n for n in range(event.first, event.last + 1) if self._by_step.get(n) is event)
        return [run for number in steps for run in self._children.get(number, ())]

    def caller(self, run: Activation) -> StatementRun | None:
        """The event that called it."""
        return self._by_step.get(run.traced.called_at)

    def writers(self, attribute: str, event: StatementRun) -> Iterator[StatementRun]:
        """The events before one that wrote an attribute of this name, the nearest first."""
        return _before(self._writers.get(attribute, ()), event)

    def runs_of(self, source: SourceFile) -> list[Activation]:
        """The runs of a file's functions and of its module."""
        return self._by_source.get(source.path, [])

    @cached_property
    def _by_source(self) -> dict[str, list[Activation]]:
        return grouped(self.runs.values(), lambda run: (run.source.path,))

    @cached_property
    def _writers(self) -> dict[str, list[StatementRun]]:
        return grouped(self.events, lambda event: written_by(event.statement))

    def end(self, path: str, statement: ast.stmt) -> StatementRun | None:
        """The last event of a statement; an open run's comes first, since other tasks may run on after the failure."""
        found = [e for e in self.events if e.statement is statement and e.run.source.path == path]
        return max(found, key=lambda e: (e.run.is_open, e.first), default=None)

    def until(self, event: StatementRun) -> Sequence[StatementRun]:
        """The events before one, in the order in which they began."""
        return self.events[: bisect_left(self.events, event.first, key=lambda e: e.first)]


def _is_anew(statement: ast.stmt, line: int) -> bool:
    """Whether a step at the statement's first line begins it anew: its other lines have returned to the first."""
    return isinstance(statement, ast.While) and last_line(statement.test) == line == statement.lineno


def _scope(source: SourceFile, function: str, line: int) -> ScopeNode | None:
    if function.rpartition(".")[2] == "<module>":
        return source.tree
    return source.function_starting(line) or source.function_at(line) or source.tree
