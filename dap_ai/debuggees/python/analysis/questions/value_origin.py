"""Traces a value back from an event of a recorded run, through the events that made the value."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import islice

from dap_ai.agent.source.source_file import FunctionNode
from dap_ai.agent.source.statements import bindings, names_in, own_statements
from dap_ai.debuggees.python.analysis.contrast.anomalies import STRANGE, anomalies
from dap_ai.debuggees.python.analysis.questions.decorated_functions import called_as
from dap_ai.debuggees.python.analysis.questions.event_text import (
    at,
    call_of,
    caught,
    decided,
    given,
    quoted_line,
    tests_of,
    value,
)
from dap_ai.debuggees.python.analysis.questions.owners import arguments
from dap_ai.debuggees.python.analysis.ranking.rank_update import describe_anomaly as told_oddity
from dap_ai.debuggees.python.analysis.record.recorded_run import RerunToStop
from dap_ai.debuggees.python.analysis.record.trace_record import Activation, StatementRun
from dap_ai.debuggees.python.analysis.slice.dynamic_slice import slice_of
from dap_ai.debuggees.python.analysis.syntax.definitions import control_tests
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, calls_in
from dap_ai.debuggees.python.analysis.syntax.value_parts import results
from dap_ai.system.texts import code

BACK = "Back from there, as it was in the run"
_DISPLAY = ast.Dict | ast.List | ast.Tuple | ast.Set | ast.Constant
_MAX_LINKS = 6
_LEAST_ODD = 0.55
_PLAIN = ("None", "0", "''", "[]", "{}", "set()", "()", "-1")


def links(again: RerunToStop, root: ast.expr, event: StatementRun, wanted: str = "") -> list[str]:
    """Return clauses on what made an expression's value before an event, nearest first. `wanted`: the value's text."""
    walk = _Walk(again)
    walk.back(root, event, wanted)
    return walk.found[:_MAX_LINKS]


def call_links(again: RerunToStop, run: Activation) -> list[str]:
    """Return clauses on how a call produced its result, nearest to the result first."""
    walk = _Walk(again)
    walk.into(run)
    return walk.found[:_MAX_LINKS]


def standing_out(again: RerunToStop, roots: Sequence[ast.expr], event: StatementRun, within: str = "") -> str:
    """Return a sentence on the strongest anomaly in the values that the roots depended on; empty if there is none.

    `within`: if not empty, only values that occur in this text count.
    """
    odd = anomalies(again.record, slice_of(again.record, event, roots), ())
    found = next((each for each in odd if each.weight >= _LEAST_ODD and (not within or each.text in within)), None)
    return f"What stands out on the way: at {at(again, found.event)}, {told_oddity(found)}." if found else ""


class _Walk:
    def __init__(self, again: RerunToStop) -> None:
        self._again = again
        self._seen: set[tuple[int, str]] = set()
        self.found: list[str] = []

    def back(self, node: ast.expr, event: StatementRun, wanted: str = "") -> None:
        """Add clauses on what made the value of an expression at an event. `wanted`: text of the value to trace."""
        key = (event.first, ast.unparse(node))
        if key in self._seen or len(self.found) >= _MAX_LINKS:
            return
        self._seen.add(key)
        match node:
            case ast.Name(id=name):
                self._name(name, event, wanted)
            case ast.Attribute(attr=attribute) if writer := self._only_writer(attribute, event):
                self._written(attribute, writer)
            case _ if run := self._called(node, event, wanted):
                self.into(run)
            case _:
                self._parts(node, event, wanted)

    def into(self, run: Activation) -> None:
        """Add clauses on how a call produced its result."""
        if not run.events:
            return
        last = run.events[-1]
        if yields := [e for e in run.events if results(e.statement) and not isinstance(e.statement, ast.Return)]:
            line = quoted_line(run.source, yields[-1].statement.lineno)
            self._add(f"{call_of(run)} yielded {len(yields)} times, at last at {at(self._again, yields[-1])}: {line}")
            return
        returned = last.statement if isinstance(last.statement, ast.Return) else None
        given_back = value(run.traced.result) if run.traced.result else "what it gives"
        if returned is None:
            self._add(f"{call_of(run)} came to its end without a `return` after {at(self._again, last)}")
        else:
            made = f"{given(last, [returned.value])}" if returned.value else ""
            line = quoted_line(run.source, returned.lineno)
            self._add(f"{at(self._again, last)}: {call_of(run)} returned {given_back}: {line}{made}")
        if returned is None:
            self._fell_through(run)
        elif returned.value is None or isinstance(returned.value, ast.Constant):
            self._why_there(last)
        else:
            self.back(returned.value, last, run.traced.result)

    def _fell_through(self, run: Activation) -> None:
        """Add clauses on conditions that would have led to a `return` but were never true."""
        for statement in own_statements(run.scope):
            tests = control_tests(run.scope, statement.lineno) if isinstance(statement, ast.Return) else []
            for test, expression in tests:
                events = [e for e in run.events if e.statement is test]
                if isinstance(test, ast.If) and events:
                    times = f" in {len(events)} rounds" if len(events) > 1 else ""
                    held = f"never held{times}" if times else "did not hold"
                    place = at(self._again, events[-1])
                    self._add(
                        f"{place}: {code(f'if {ast.unparse(expression)}')} {held}{given(events[-1], [expression])}"
                    )
                    break

    def _why_there(self, event: StatementRun) -> None:
        """Add a clause on what the event's exception handler caught, or else on the condition that led to the event."""
        if told := caught(self._again, event):
            self._add(told)
            return
        for test, expression in tests_of(event):
            self._add(decided(self._again, test, expression))
            if run := self._called(expression, test):
                self.into(run)
            return

    def _add(self, text: str) -> None:
        if len(self.found) < _MAX_LINKS and text not in self.found:
            self.found.append(text)

    def _name(self, name: str, event: StatementRun, wanted: str) -> None:
        run = event.run
        maker = _bringer(name, event, run, wanted)
        if maker is not None:
            self._made(name, maker, wanted)
        elif name in run.arguments:
            self._passed(name, run)
        else:
            for outer in self._again.record.runs_of(run.source):
                maker = _bringer(name, event, outer, wanted) if isinstance(outer.scope, ast.Module) else None
                if maker is not None and not isinstance(maker.statement, FunctionNode | ast.ClassDef):
                    self._made(name, maker, wanted)

    def _made(self, name: str, maker: StatementRun, wanted: str) -> None:
        bound = bindings(maker.statement)
        text, source = maker.values.get(name), bound.get(name)
        line = quoted_line(maker.run.source, maker.statement.lineno)
        if name not in bound:
            now = f": it is {value(text)} then" if text is not None else ""
            self._add(f"{at(self._again, maker)} changed {code(name)}: {line}{now}")
            return
        to = f" to {value(text)}" if text is not None else ""
        used = given(maker, [source]) if source is not None else ""
        self._add(f"{at(self._again, maker)} set {code(name)}{to}: {line}{used}")
        if source is not None and not isinstance(maker.statement, ast.For):
            self.back(source, maker, wanted or text or "")

    def _passed(self, name: str, run: Activation) -> None:
        caller = self._again.record.caller(run)
        if caller is None:
            return
        line = quoted_line(caller.run.source, caller.statement.lineno)
        self._add(f"{at(self._again, caller)} passed {code(name)} = {value(run.arguments[name])}: {line}")
        function = run.scope if isinstance(run.scope, FunctionNode) else None
        argument = next(arguments(function, caller.statement, name), None) if function else None
        if argument is not None and not isinstance(argument, ast.Constant):
            self.back(argument, caller, run.arguments[name])

    def _only_writer(self, attribute: str, event: StatementRun) -> StatementRun | None:
        """Return the only earlier event that wrote an attribute of this name; None if no event or several did."""
        found = list(islice(self._again.record.writers(attribute, event), 2))
        return found[0] if len(found) == 1 else None

    def _written(self, attribute: str, writer: StatementRun) -> None:
        line = quoted_line(writer.run.source, writer.statement.lineno)
        roots = [n for n in ast.iter_child_nodes(writer.statement) if isinstance(n, ast.expr)]
        self._add(f"{at(self._again, writer)} wrote {code(f'.{attribute}')}: {line}{given(writer, roots)}")
        self._why_there(writer)

    def _called(self, node: ast.expr, event: StatementRun, wanted: str = "") -> Activation | None:
        """Return the call of a user function that an expression of the event made; None if unknown.

        Of several calls of one function, this is the last call that returned `wanted`.
        """
        names = [called_name(call) for call in calls_in(node)]
        by_name = (called_as(self._again, event, name) for name in names)
        runs = next((runs for runs in by_name if runs), list[Activation]())
        if not runs and len(names) == 1:  # called by another name: `return f(*args)`
            runs = [r for r in self._again.record.calls(event) if wanted and r.traced.result == wanted]
        return runs[0] if len(runs) == 1 else next((r for r in reversed(runs) if r.traced.result == wanted), None)

    def _parts(self, node: ast.expr, event: StatementRun, wanted: str) -> None:
        """Trace one name of an expression: a name with a conspicuous value such as None, else the only known name."""
        known = list(event.run.values(names_in(node), event).items())
        worth = [(name, text) for name, text in known if not self._is_table(name, event)]
        known = worth if len(worth) == 1 else known
        strange = [name for name, text in known if text in _PLAIN or any(s in text for s in STRANGE)]
        for name in strange or ([known[0][0]] if len(known) == 1 else []):
            self.back(ast.Name(name, ast.Load()), event, wanted)
            return

    def _is_table(self, name: str, event: StatementRun) -> bool:
        """Whether the name's value is a literal in the source, such as a dict of names or a list of units."""
        runs = [event.run, *self._again.record.runs_of(event.run.source)]
        maker = next((m for run in runs if (m := next(run.makers(name, event), None))), None)
        return maker is not None and isinstance(getattr(maker.statement, "value", None), _DISPLAY)


def _bringer(name: str, event: StatementRun, run: Activation, wanted: str) -> StatementRun | None:
    """Return the event that gave a name its value; of several changes to one object, the change that added `wanted`."""
    found = None
    for maker in run.makers(name, event):
        held = wanted and wanted in maker.values.get(name, "")
        if found is not None and not held:
            return found
        if name in bindings(maker.statement) or not held:
            return maker
        found = maker
    return found
