"""The dynamic slice: the events on which values of an event depended in this very run, by data and by control.

Korel and Laski (1988) introduced the dynamic slice; this is its form over single events, each occurrence of a statement
a node of its own (the dynamic dependence graph of Agrawal and Horgan, 1990). So a loop's third round does not bring in
what only the second one read, which a slice of statements would do. It is a breadth-first search from the failing
event:

- data: the last events that bound or changed a name; the caller, for a parameter; the last writers of an attribute;
- calls: the `return` of each function that the event called;
- control: the tests around a statement, and the earlier `if`s that could have left its block.

It deviates where a trace has no addresses. Attributes are matched by name, whatever object has them, so a slice may be
too large; at most three writers are taken, so it may be too small. It is evidence for a ranking and never proves that a
line had no part.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import bindings, header_expressions, header_nodes, last_line, names_in, nodes_in
from dap_ai.debuggees.python.analysis.record.trace_record import Activation, Spot, StatementRun, TraceRecord
from dap_ai.debuggees.python.analysis.syntax.definitions import control_tests, guards, results
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, parameters

MAX_EVENTS = 1500
_MAX_WRITERS = 3


@dataclass
class SlicePart:
    """An event's part in the failing value. `distance`: dependences back from the failure."""

    event: StatementRun
    distance: int
    role: str
    """`sets`, `changes`, `passes`, `returns`, `writes`, `decides`, `calls`, `failed`."""
    name: str = ""


@dataclass
class DynamicSlice:
    """The parts, nearest first."""

    parts: list[SlicePart] = field(default_factory=list[SlicePart])
    complete: bool = True

    def lines(self) -> dict[Spot, SlicePart]:
        """The nearest part of each line."""
        found: dict[Spot, SlicePart] = {}
        for part in self.parts:
            found.setdefault(part.event.spot, part)
        return found


def slice_of(
    record: TraceRecord, event: StatementRun, roots: Sequence[ast.expr] = (), max_events: int = MAX_EVENTS
) -> DynamicSlice:
    """All that the event's own expressions, or only `roots` of them, depended on; the nearest of it."""
    return _Slicer(record, max_events).run(event, roots)


class _Slicer:
    def __init__(self, record: TraceRecord, max_events: int) -> None:
        self._record = record
        self._max_events = max_events
        self._seen: set[StatementRun] = set()
        self._queue: deque[tuple[SlicePart, Sequence[ast.expr] | None]] = deque()
        self._slice = DynamicSlice()
        self._outer_runs: dict[int, list[Activation]] = {}

    def run(self, event: StatementRun, roots: Sequence[ast.expr]) -> DynamicSlice:
        self._add(event, 0, "failed", "", roots or None)
        while self._queue:
            # First in, first out, so that an event is met by a near way first and keeps that distance. Not all steps
            # are of one length (guards and callers count two), so the parts are sorted once more at the end.
            part, expressions = self._queue.popleft()
            if len(self._slice.parts) >= self._max_events:
                self._slice.complete = False
                break
            self._visit(part, expressions)
        self._slice.parts.sort(key=lambda part: part.distance)
        return self._slice

    def _add(
        self, event: StatementRun | None, distance: int, role: str, name: str, only: Sequence[ast.expr] | None = None
    ) -> None:
        if event is None or event in self._seen:
            return
        self._seen.add(event)
        part = SlicePart(event, distance, role, name)
        self._slice.parts.append(part)
        self._queue.append((part, only))

    def _visit(self, part: SlicePart, only: Sequence[ast.expr] | None) -> None:
        event, next_ = part.event, part.distance + 1
        # `only`: the roots of the failing event, or nothing (`()`) of a call that was merely needed for the event to
        # happen. Its tests are followed then, its arguments are not.
        expressions = header_expressions(event.statement) if only is None else list(only)
        nodes = nodes_in(*expressions)
        for name in names_in(*expressions):
            self._name(name, event, next_)
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                self._attribute(node.attr, event, next_)
        asked = {called_name(n) for n in nodes if isinstance(n, ast.Call)}
        others = {called_name(n) for n in header_nodes(event.statement) if isinstance(n, ast.Call)} - asked
        for run in self._record.calls(event):
            if only is None or run.name not in others:  # a function may be called by another name
                self._into(run, next_)
        self._control(event, next_)

    def _name(self, name: str, event: StatementRun, distance: int) -> None:
        run = event.run
        for earlier in run.makers(name, event):
            # Backwards: each change of the object (`x.append`, `x[0] = ..`) counts until the event that bound the name;
            # that one kills all before it. `x += 1` binds and reads, so it does not kill.
            binds = name in bindings(earlier.statement)
            self._add(earlier, distance, "sets" if binds else "changes", name)
            if binds and not isinstance(earlier.statement, ast.AugAssign):
                return
        if name in run.arguments or name in [p.arg for p in parameters(run.scope)]:
            self._add(self._record.caller(run), distance, "passes", name)
        elif not isinstance(run.scope, ast.Module):
            self._outer(name, event, distance)

    def _outer(self, name: str, event: StatementRun, distance: int) -> None:
        """The binding of a name of the module, or of a function around this one."""
        for run in self._around(event.run):
            earlier = next((e for e in run.makers(name, event) if name in bindings(e.statement)), None)
            if earlier and not isinstance(earlier.statement, FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom):
                self._add(earlier, distance, "sets", name)

    def _around(self, run: Activation) -> list[Activation]:
        """The runs of the module, and of the functions around one."""
        key = id(run.scope)
        if key not in self._outer_runs:
            others = self._record.runs_of(run.source)
            self._outer_runs[key] = [o for o in others if o.scope is not run.scope and _is_around(o, run)]
        return self._outer_runs[key]

    def _attribute(self, attribute: str, event: StatementRun, distance: int) -> None:
        """The last writes of an attribute of this name, whatever object has it."""
        found: set[int] = set()
        for earlier in self._record.writers(attribute, event):
            if id(earlier.statement) not in found:
                found.add(id(earlier.statement))
                self._add(earlier, distance, "writes", attribute)
                if len(found) >= _MAX_WRITERS:
                    return

    def _into(self, run: Activation, distance: int) -> None:
        """What a called function gave: its `return` and `yield`s; where it came to none, its last event."""
        if not run.events:
            return
        # The last event is the `return` that gave the result, or where the run broke off. Yields gave values on the
        # way.
        given = [e for e in run.events if results(e.statement) and not isinstance(e.statement, ast.Return)]
        for event in [run.events[-1], *given]:
            self._add(event, distance, "returns" if results(event.statement) else "ends", run.name)

    def _control(self, event: StatementRun, distance: int) -> None:
        """The test that let the event be reached, and the ones before it that could have led away."""
        run = event.run
        # What follows `if c: return` depends on c as much as what stands in its body: control dependence is a matter of
        # the flow graph (Ferrante, Ottenstein and Warren, 1987), not of indentation. Guards come one step further away,
        # because most of them have nothing to do with the value. Without a test in the function, the call itself is
        # what let the event happen.
        tests = [test for test, _ in control_tests(run.scope, event.statement.lineno)]
        for test in tests:
            self._add(run.of(test, event), distance, "decides", "")
        for guard in guards(run.scope, event.statement):
            self._add(run.of(guard, event), distance + 1, "decides", "")
        if not tests and run.name != "<module>":
            self._add(self._record.caller(run), distance + 1, "calls", run.name, ())


def _is_around(outer: Activation, inner: Activation) -> bool:
    if isinstance(outer.scope, ast.Module) or isinstance(inner.scope, ast.Module):
        return isinstance(outer.scope, ast.Module)
    return outer.scope.lineno < inner.scope.lineno <= last_line(outer.scope)
