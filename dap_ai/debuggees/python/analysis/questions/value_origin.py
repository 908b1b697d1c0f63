"""Where a value is from: back from an event along what made the value, a link at a time, as it was in the run."""

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
    code,
    decided,
    given,
    tests_of,
    value,
)
from dap_ai.debuggees.python.analysis.questions.owners import arguments
from dap_ai.debuggees.python.analysis.ranking.rank_update import describe_anomaly as told_oddity
from dap_ai.debuggees.python.analysis.record.recorded_run import RerunToStop
from dap_ai.debuggees.python.analysis.record.trace_record import Activation, StatementRun
from dap_ai.debuggees.python.analysis.slice.dynamic_slice import slice_of
from dap_ai.debuggees.python.analysis.syntax.definitions import control_tests, results
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, calls_in

BACK = "Back from there, as it was in the run"
_DISPLAY = ast.Dict | ast.List | ast.Tuple | ast.Set | ast.Constant
_MAX_LINKS = 6
_LEAST_ODD = 0.55
_PLAIN = ("None", "0", "''", "[]", "{}", "set()", "()", "-1")


def links(again: RerunToStop, root: ast.expr, event: StatementRun, wanted: str = "") -> list[str]:
    """What made an expression what it is when the event begins, nearest first. `wanted`: its value's text."""
    walk = _Walk(again)
    walk.back(root, event, wanted)
    return walk.found[:_MAX_LINKS]


def call_links(again: RerunToStop, run: Activation) -> list[str]:
    """How a call came to its result, nearest first."""
    walk = _Walk(again)
    walk.into(run)
    return walk.found[:_MAX_LINKS]


def standing_out(again: RerunToStop, roots: Sequence[ast.expr], event: StatementRun, within: str = "") -> str:
    """The value that stands out most among what the roots depended on, in a sentence; empty: there is none.

    `within`: only one that this text holds.
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
        """Adds the links from an expression that the event evaluates. `wanted`: the value that is looked for in it."""
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
        """Adds how a call came to its result."""
        if not run.events:
            return
        last = run.events[-1]
        if yields := [e for e in run.events if results(e.statement) and not isinstance(e.statement, ast.Return)]:
            line = code(run.source, yields[-1].statement.lineno)
            self._add(f"{call_of(run)} yielded {len(yields)} times, at last at {at(self._again, yields[-1])}: {line}")
            return
        returned = last.statement if isinstance(last.statement, ast.Return) else None
        given_back = value(run.traced.result) if run.traced.result else "what it gives"
        if returned is None:
            self._add(f"{call_of(run)} came to its end without a `return` after {at(self._again, last)}")
        else:
            made = f"{given(last, [returned.value])}" if returned.value else ""
            line = code(run.source, returned.lineno)
            self._add(f"{at(self._again, last)}: {call_of(run)} returned {given_back}: {line}{made}")
        if returned is None:
            self._fell_through(run)
        elif returned.value is None or isinstance(returned.value, ast.Constant):
            self._why_there(last)
        else:
            self.back(returned.value, last, run.traced.result)

    def _fell_through(self, run: Activation) -> None:
        """Adds the tests that would have led to a `return`, and never held."""
        for statement in own_statements(run.scope):
            tests = control_tests(run.scope, statement.lineno) if isinstance(statement, ast.Return) else []
            for test, expression in tests:
                events = [e for e in run.events if e.statement is test]
                if isinstance(test, ast.If) and events:
                    times = f" in {len(events)} rounds" if len(events) > 1 else ""
                    held = f"never held{times}" if times else "did not hold"
                    place = at(self._again, events[-1])
                    self._add(f"{place}: `if {ast.unparse(expression)}` {held}{given(events[-1], [expression])}")
                    break

    def _why_there(self, event: StatementRun) -> None:
        """Adds the test that led to an event, and what its call gave; of a handler what it caught."""
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
        line = code(maker.run.source, maker.statement.lineno)
        if name not in bound:
            now = f": it is {value(text)} then" if text is not None else ""
            self._add(f"{at(self._again, maker)} changed `{name}`: {line}{now}")
            return
        to = f" to {value(text)}" if text is not None else ""
        used = given(maker, [source]) if source is not None else ""
        self._add(f"{at(self._again, maker)} set `{name}`{to}: {line}{used}")
        if source is not None and not isinstance(maker.statement, ast.For):
            self.back(source, maker, wanted or text or "")

    def _passed(self, name: str, run: Activation) -> None:
        caller = self._again.record.caller(run)
        if caller is None:
            return
        line = code(caller.run.source, caller.statement.lineno)
        self._add(f"{at(self._again, caller)} passed `{name}` = {value(run.arguments[name])}: {line}")
        function = run.scope if isinstance(run.scope, FunctionNode) else None
        argument = next(arguments(function, caller.statement, name), None) if function else None
        if argument is not None and not isinstance(argument, ast.Constant):
            self.back(argument, caller, run.arguments[name])

    def _only_writer(self, attribute: str, event: StatementRun) -> StatementRun | None:
        """What wrote an attribute of this name, where that was done once: of several it is not known whose it is."""
        found = list(islice(self._again.record.writers(attribute, event), 2))
        return found[0] if len(found) == 1 else None

    def _written(self, attribute: str, writer: StatementRun) -> None:
        line = code(writer.run.source, writer.statement.lineno)
        roots = [n for n in ast.iter_child_nodes(writer.statement) if isinstance(n, ast.expr)]
        self._add(f"{at(self._again, writer)} wrote `.{attribute}`: {line}{given(writer, roots)}")
        self._why_there(writer)

    def _called(self, node: ast.expr, event: StatementRun, wanted: str = "") -> Activation | None:
        """The call of the user's that an expression of the event made, the outermost first.

        Of several calls of one function the last that gave what is wanted; none where that is not known.
        """
        names = [called_name(call) for call in calls_in(node)]
        by_name = (called_as(self._again, event, name) for name in names)
        runs = next((runs for runs in by_name if runs), list[Activation]())
        if not runs and len(names) == 1:  # by another name: `return f(*args)`
            runs = [r for r in self._again.record.calls(event) if wanted and r.traced.result == wanted]
        return runs[0] if len(runs) == 1 else next((r for r in reversed(runs) if r.traced.result == wanted), None)

    def _parts(self, node: ast.expr, event: StatementRun, wanted: str) -> None:
        """Of several names the one with a value that is worth to be followed; of one, that."""
        known = list(event.run.values(names_in(node), event).items())
        worth = [(name, text) for name, text in known if not self._is_table(name, event)]
        known = worth if len(worth) == 1 else known
        strange = [name for name, text in known if text in _PLAIN or any(s in text for s in STRANGE)]
        for name in strange or ([known[0][0]] if len(known) == 1 else []):
            self.back(ast.Name(name, ast.Load()), event, wanted)
            return

    def _is_table(self, name: str, event: StatementRun) -> bool:
        """Whether it holds what stands in the source: a dict of names, a list of units."""
        runs = [event.run, *self._again.record.runs_of(event.run.source)]
        maker = next((m for run in runs if (m := next(run.makers(name, event), None))), None)
        return maker is not None and isinstance(getattr(maker.statement, "value", None), _DISPLAY)


def _bringer(name: str, event: StatementRun, run: Activation, wanted: str) -> StatementRun | None:
    """What gave a name its value: of several changes of one object the one that brought what is wanted into it."""
    found = None
    for maker in run.makers(name, event):
        held = wanted and wanted in maker.values.get(name, "")
        if found is not None and not held:
            return found
        if name in bindings(maker.statement) or not held:
            return maker
        found = maker
    return found
