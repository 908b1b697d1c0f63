"""Builds a backward slice: from suspicious expressions to the lines that made their values.

The slice follows:

- names to their assignments of every form, and to stores into containers;
- parameters to the arguments of live callers, or of the call that led into a function that has returned;
- calls and properties to their `return`s;
- attributes and keys to the methods that write them, and to where the object or dict was made;
- lines to the conditions that let them be reached.

The worklist has (expression, line) pairs, nearest first. An expression leads to the statements that may have made its
value, and a statement to its own expressions. Size and distance are limited. The slice is static (Weiser, 1981), but
of one stopped program: a live frame's values and caller are known, and exclude what did not happen. The walk leaves a
function that has returned by the call that led into it (`_Site`), not by each of its calls: otherwise every caller's
arguments would be included, the calling-context problem of Horwitz, Reps and Binkley (1990). An expression is examined
once, with the first context that reached it; a complete slice would use each context.
"""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass, field

from dap_ai.agent.case.stop_snapshot import sub_expressions
from dap_ai.agent.case.value_texts import find
from dap_ai.agent.source.statements import bindings, mutations, root_name
from dap_ai.debuggees.python.analysis.syntax import data_sources
from dap_ai.debuggees.python.analysis.syntax.definitions import (
    FunctionScope,
    aliases,
    control_tests,
    enclosing_loop,
    is_always_bound,
    reaching,
)
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, calls_by, calls_in
from dap_ai.debuggees.python.analysis.syntax.resolving import Resolver, argument_for
from dap_ai.debuggees.python.analysis.syntax.value_parts import given_to, inside_of, one_for, results, rounds_over
from dap_ai.protocol.contracts.inspection import Value
from dap_ai.system.texts import code

MAX_STEPS = 80
MAX_DISTANCE = 14


@dataclass
class SliceStep:
    """A line that had a part in a value. `distance`: number of steps back from the failing line."""

    scope: FunctionScope
    statement: ast.stmt
    line: int
    distance: int
    role: str
    """The line's part in the value: `assigned`, `argument`, `returned`, `stored`, `decides` or `written`."""
    name: str
    """The name or expression whose value the line made."""
    decided: int = 0
    """If the role is `decides`, the line that the condition controls; else 0."""


def part_of(step: SliceStep) -> str:
    """Return a phrase on how a line contributed to the value, such as: sets `x`."""
    words = {
        "assigned": "sets {}",
        "argument": "passes the argument {}",
        "returned": "returns the result of {}",
        "stored": "changes {}",
        "decides": f"decides whether line {step.decided} runs",
        "written": "writes {}",
    }
    return words[step.role].format(code(step.name))


@dataclass
class _Site:
    """The call that led into a function that is no longer on the stack."""

    scope: FunctionScope
    call: ast.Call
    line: int
    outer: _Site | None = None


@dataclass
class _Work:
    scope: FunctionScope
    expression: ast.expr
    line: int
    distance: int
    site: _Site | None = None


@dataclass
class BackwardSlice:
    """The lines that had a part in a value, nearest first, and every function that the search reached."""

    steps: list[SliceStep] = field(default_factory=list[SliceStep])
    scopes: dict[tuple[str, int], tuple[FunctionScope, int]] = field(
        default_factory=dict[tuple[str, int], tuple[FunctionScope, int]]
    )
    """(path, line) of each reached function -> the function and its distance in steps."""


class Slicer:
    """Builds one backward slice: the lines that had a part in the values of given expressions."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._queue: deque[_Work] = deque()
        self._seen: set[tuple[tuple[str, int], str, int]] = set()
        self._lines: set[tuple[str, int]] = set()
        self.slice = BackwardSlice()

    def run(self, roots: list[tuple[FunctionScope, ast.expr, int]]) -> BackwardSlice:
        """Return the slice back from (scope, expression, line) roots and from the conditions that led to the lines."""
        for scope, expression, line in roots:
            self._reach(scope, 0)
            self._queue.append(_Work(scope, expression, line, 0))
        for scope, expression, line in roots:
            self._decided(scope, line, 1, ast.unparse(expression), None)
        while self._queue and len(self.slice.steps) < MAX_STEPS:
            work = self._queue.popleft()
            if work.distance <= MAX_DISTANCE:
                self._visit(work)
        return self.slice

    def _visit(self, work: _Work) -> None:
        nodes = list(sub_expressions([work.expression]))
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        for node in nodes:
            # The line is part of the key: one line later the same name may have been rebound. The site is not: see
            # above.
            key = (work.scope.key(), ast.unparse(node), work.line)
            if key in self._seen:
                continue
            self._seen.add(key)
            if isinstance(node, ast.Call):
                self._into(node, work)
            elif isinstance(node, ast.Name):
                self._name(node.id, work)
            elif isinstance(node, ast.Attribute) and id(node) not in called:
                self._attribute(node, work)
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                holder, given = _live(node.value, work), _live(node, work)
                self._given(data_sources.of_key(self._resolver, repr(node.slice.value), holder, given), node, work)
        for node in inside_of(work.expression):
            if isinstance(node, ast.Name):
                self._name(node.id, work)
            else:
                self._into(node, work)

    def _name(self, name: str, work: _Work) -> None:
        scope = work.scope
        found = False
        for statement, value in reaching(name, scope, work.line):
            found = True
            self._step(scope, statement, work, "assigned", name, value)
        for statement in scope.statements():
            # Stores into the object count anywhere in the function, including later lines, which a loop may have run
            # before. The order is unknown without a run.
            for root, text, values in mutations(statement):
                if root == name and statement.lineno != work.line:
                    self._step(scope, statement, work, "stored", text, *values)
            self._passed_on(name, statement, work)
        if name in [p.arg for p in scope.parameters] and not (found and is_always_bound(name, scope, work.line)):
            self._argument(name, work)
        elif found:
            pass
        elif made_of := rounds_over(name, work.scope, work.line):
            self._queue.append(_Work(scope, made_of, work.line, work.distance, work.site))
        else:
            self._outer(name, work)

    def _argument(self, parameter: str, work: _Work) -> None:
        scope, site = work.scope, work.site
        # A live frame's caller is the frame above; for a function that has returned it is the call that the walk came
        # through.
        caller = self._live_call(scope) if scope.place else site
        if caller is None:
            if scope.place is None:
                self._given(data_sources.of_parameter(self._resolver, scope, parameter), ast.Name(parameter), work)
            return
        statement = caller.scope.source.statement_at(caller.line)
        argument = argument_for(caller.call, scope, parameter)
        if statement is None or argument is None:
            return
        self._reach(caller.scope, work.distance + 1)
        inner = _Work(caller.scope, argument, caller.line, work.distance, caller.outer)
        self._step(caller.scope, statement, inner, "argument", parameter, argument, line=caller.line)

    def _live_call(self, scope: FunctionScope) -> _Site | None:
        outer = self._resolver.caller(scope.place)
        if outer is None or outer.place is None:
            return None
        calls = (call for call in calls_in(outer.place.statement) if called_name(call) == scope.called_as)
        return next((_Site(outer, call, outer.place.frame.line) for call in calls), None)

    def _outer(self, name: str, work: _Work) -> None:
        for outer in self._resolver.around(work.scope):
            for statement, value in reaching(name, outer, len(work.scope.source.lines) + 1):
                self._step(outer, statement, work, "assigned", name, value)

    def _into(self, call: ast.Call, work: _Work) -> None:
        for callee in self._resolver.callees(call, work.scope):
            site = _Site(work.scope, call, work.line, work.site)
            self._enter(callee, work, site, self._result_of(call, work))
        for argument in call.args:
            if isinstance(argument, ast.Name | ast.Attribute):
                for callee in self._resolver.functions(argument, work.scope):
                    self._enter(callee, work, None, None)

    def _result_of(self, call: ast.Call, work: _Work) -> Value | None:
        """Return the call's result if the statement is `name = call` and a live frame has `name`, else None."""
        place, statement = work.scope.place, work.scope.source.statement_at(work.line)
        if place is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        if ast.unparse(statement.value) != ast.unparse(call) or not isinstance(statement.targets[0], ast.Name):
            return None
        return find(place.facts, statement.targets[0].id)

    def _enter(self, callee: FunctionScope, work: _Work, site: _Site | None, given: Value | None) -> None:
        if callee.key() in self.slice.scopes and any(
            s.role == "returned" and s.scope.key() == callee.key() for s in self.slice.steps
        ):
            return
        self._reach(callee, work.distance + 1)
        for statement in reversed(callee.statements()):
            values = results(statement)
            for value in values:
                # The result is still stored in a live frame, so a constant `return` with another value did not produce
                # it.
                if given and isinstance(value, ast.Constant) and repr(value.value) != given.text:
                    continue  # another `return` produced the result
                inner = _Work(callee, value, statement.lineno, work.distance, site)
                self._step(callee, statement, inner, "returned", callee.name, value)
        if getattr(callee.node, "name", "") == "__init__":
            for statement in callee.statements():
                for _, text, values in mutations(statement):
                    inner = _Work(callee, one_for(values), statement.lineno, work.distance, site)
                    self._step(callee, statement, inner, "written", text, *values)

    def _attribute(self, node: ast.Attribute, work: _Work) -> None:
        for scope, statement, values in self._resolver.writers(node.attr):
            if scope.key() != work.scope.key() or statement.lineno != work.line:
                self._reach(scope, work.distance + 1)
                self._step(scope, statement, work, "written", ast.unparse(node), *values)
        holder, given = _live(node.value, work), _live(node, work)
        self._given(data_sources.of_field(self._resolver, node.attr, holder, given), node, work)
        for getter in self._resolver.getters(node.attr, holder):
            self._enter(getter, work, None, None)

    def _given(self, found: list[data_sources.DataSource], wanted: ast.expr, work: _Work) -> None:
        """Add steps to the expressions that set an attribute or key when the object or dict was made."""
        for scope, statement, value in found:
            inner = _Work(scope, value, value.lineno, work.distance)
            self._step(scope, statement, inner, "argument", ast.unparse(wanted), value, line=value.lineno)

    def _passed_on(self, name: str, statement: ast.stmt, work: _Work) -> None:
        """Add changes that a called function makes to a container argument, or a called method to its object."""
        if statement.lineno >= work.line and enclosing_loop(work.scope.node, work.line) is None:
            return
        for call in calls_by(statement):
            if any(root_name(a) == name for a in given_to(call)):
                for callee in self._resolver.callees(call, work.scope):
                    self._changes(callee, call, name, work)

    def _changes(self, callee: FunctionScope, call: ast.Call, name: str, work: _Work) -> None:
        for parameter in callee.parameters:
            argument = argument_for(call, callee, parameter.arg)
            if argument is None or root_name(argument) != name:
                continue
            same = aliases(callee, parameter.arg)
            for statement in callee.statements():
                for root, text, values in mutations(statement):
                    if root in same:
                        site = _Site(work.scope, call, call.lineno, work.site)
                        inner = _Work(callee, call, statement.lineno, work.distance, site)
                        self._step(callee, statement, inner, "stored", text, *values)

    def _step(
        self,
        scope: FunctionScope,
        statement: ast.stmt,
        work: _Work,
        role: str,
        name: str,
        *values: ast.expr | None,
        line: int = 0,
    ) -> None:
        line = line or statement.lineno
        distance = work.distance + 1
        self._reach(scope, distance)
        # A site belongs to one activation: in another function it would lead back to the wrong call.
        site = work.site if scope.key() == work.scope.key() else None
        if (scope.source.path, line) not in self._lines:
            self._lines.add((scope.source.path, line))
            self.slice.steps.append(SliceStep(scope, statement, line, distance, role, name))
            self._decided(scope, statement.lineno, distance + 1, name, site)
        for value in values:
            if value is not None:
                self._queue.append(_Work(scope, value, line, distance, site))

    def _decided(self, scope: FunctionScope, line: int, distance: int, name: str, site: _Site | None) -> None:
        for test, condition in control_tests(scope.node, line):
            if (scope.source.path, test.lineno) not in self._lines:
                self._lines.add((scope.source.path, test.lineno))
                role = "assigned" if isinstance(test, ast.For) and name in bindings(test) else "decides"
                decided = line if role == "decides" else 0
                self.slice.steps.append(SliceStep(scope, test, test.lineno, distance, role, name, decided))
            self._queue.append(_Work(scope, condition, test.lineno, distance, site))

    def _reach(self, scope: FunctionScope, distance: int) -> None:
        known = self.slice.scopes.get(scope.key())
        if known is None or known[1] > distance:
            self.slice.scopes[scope.key()] = (scope, distance)


def _live(node: ast.expr, work: _Work) -> Value | None:
    """Return the value of an expression in the stack frame of its function; None if unknown."""
    return work.scope.place.value(node) if work.scope.place else None
