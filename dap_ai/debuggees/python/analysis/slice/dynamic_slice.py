"""Computes a dynamic slice: the events that an event's values depended on in one run, by data and by control.

Korel and Laski (1988) introduced the dynamic slice; this variant works on single events, with each occurrence of a
statement as its own node (the dynamic dependence graph of Agrawal and Horgan, 1990). So the slice of a loop's third
iteration excludes events that only the second iteration read; a slice of statements would include them. The slice is a
breadth-first search from the failing event:

- data: the last events that bound or changed a name; the caller, for a parameter; the last writers of an attribute;
- calls: the `return` of each function that the event called;
- control: the tests around a statement, and the earlier `if`s that could have left its block.

The slice is approximate because a trace has no addresses. Attributes are matched by name, on any object, so a slice
may be too large. At most three writers of an attribute are taken, so a slice may be too small. A slice is evidence for
a ranking and never proves that a line had no part.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import bindings, header_expressions, header_nodes, last_line, names_in, nodes_in
from dap_ai.debuggees.python.analysis.record.trace_record import Activation, Spot, StatementRun, TraceRecord
from dap_ai.debuggees.python.analysis.syntax.definitions import control_tests, guards
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, parameters
from dap_ai.debuggees.python.analysis.syntax.value_parts import results

MAX_EVENTS = 1500
_MAX_WRITERS = 3


@dataclass
class SlicePart:
    """An event that the failing value depended on. `distance`: number of dependences back from the failure."""

    event: StatementRun
    distance: int
    role: str
    """What the event did: `sets`, `changes`, `passes`, `returns`, `ends`, `writes`, `decides`, `calls` or `failed`."""
    name: str = ""


@dataclass
class DynamicSlice:
    """The events that a failing value depended on, sorted by distance from the failure."""

    parts: list[SlicePart] = field(default_factory=list[SlicePart])
    complete: bool = True

    def lines(self) -> dict[Spot, SlicePart]:
        """Map each line in the slice to the line's event nearest to the failure."""
        found: dict[Spot, SlicePart] = {}
        for part in self.parts:
            found.setdefault(part.event.spot, part)
        return found


def slice_of(
    record: TraceRecord, event: StatementRun, roots: Sequence[ast.expr] = (), max_events: int = MAX_EVENTS
) -> DynamicSlice:
    """Return the slice back from an event's expressions, or only from `roots`; stops after `max_events` events."""
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
            # First in, first out, so that an event is first reached by a short path and keeps that distance. Steps
            # differ in length (guards and callers count two), so the parts are sorted again at the end.
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
        # `only`: the roots of the failing event, or `()` for a call that was only needed for the event to happen. Then
        # its conditions are followed, its arguments are not.
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
            # Backwards: each change to the object (`x.append`, `x[0] = ..`) counts until the event that bound the name,
            # which hides everything before it. `x += 1` binds and reads, so it does not hide anything.
            binds = name in bindings(earlier.statement)
            self._add(earlier, distance, "sets" if binds else "changes", name)
            if binds and not isinstance(earlier.statement, ast.AugAssign):
                return
        if name in run.arguments or name in [p.arg for p in parameters(run.scope)]:
            self._add(self._record.caller(run), distance, "passes", name)
        elif not isinstance(run.scope, ast.Module):
            self._outer(name, event, distance)

    def _outer(self, name: str, event: StatementRun, distance: int) -> None:
        """Add the binding of a name in the module or in a function around the event's function."""
        for run in self._around(event.run):
            earlier = next((e for e in run.makers(name, event) if name in bindings(e.statement)), None)
            if earlier and not isinstance(earlier.statement, FunctionNode | ast.ClassDef | ast.Import | ast.ImportFrom):
                self._add(earlier, distance, "sets", name)

    def _around(self, run: Activation) -> list[Activation]:
        """Return the recorded calls of the functions around a call's function, and the run of its module."""
        key = id(run.scope)
        if key not in self._outer_runs:
            others = self._record.runs_of(run.source)
            self._outer_runs[key] = [o for o in others if o.scope is not run.scope and _is_around(o, run)]
        return self._outer_runs[key]

    def _attribute(self, attribute: str, event: StatementRun, distance: int) -> None:
        """Add the last events that wrote an attribute of this name, on any object; at most three statements."""
        found: set[int] = set()
        for earlier in self._record.writers(attribute, event):
            if id(earlier.statement) not in found:
                found.add(id(earlier.statement))
                self._add(earlier, distance, "writes", attribute)
                if len(found) >= _MAX_WRITERS:
                    return

    def _into(self, run: Activation, distance: int) -> None:
        """Add a called function's `yield` events and its last event, usually a `return`."""
        if not run.events:
            return
        # The last event is the `return` that gave the result, or where the run ended early. Yields gave values on the
        # way.
        given = [e for e in run.events if results(e.statement) and not isinstance(e.statement, ast.Return)]
        for event in [run.events[-1], *given]:
            self._add(event, distance, "returns" if results(event.statement) else "ends", run.name)

    def _control(self, event: StatementRun, distance: int) -> None:
        """Add the conditions that led to the event, and earlier conditions that could have left its block."""
        run = event.run
        # What follows `if c: return` depends on c as much as the `if` body does: control dependence is a property of
        # the flow graph (Ferrante, Ottenstein and Warren, 1987), not of indentation. Guards are one step further away,
        # because most of them are unrelated to the value. Without a condition in the function, the call itself let the
        # event happen.
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
