"""Describes recorded events: location, call, values, and the conditions that led to the event."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.source_edits import shorten
from dap_ai.agent.source.source_file import SourceFile
from dap_ai.agent.source.statements import names_in, own_statements
from dap_ai.debuggees.python.analysis.record.recorded_run import RerunToStop
from dap_ai.debuggees.python.analysis.record.trace_record import Activation, StatementRun
from dap_ai.debuggees.python.analysis.syntax.definitions import control_tests, guards
from dap_ai.debuggees.python.analysis.syntax.nodes import is_within
from dap_ai.system.texts import code

_CODE, _VALUE, _GIVEN, _ARGUMENTS = 80, 60, 3, 3


def spot(again: RerunToStop, source: SourceFile, line: int) -> str:
    """Return a location in backticks: `shop.py:12`."""
    return code(f"{shorten(source.path, again.case.inspection.cwd)}:{line}")


def at(again: RerunToStop, event: StatementRun) -> str:
    """Return an event's location: `shop.py:12` in `total`."""
    run = event.run
    inside = "" if isinstance(run.scope, ast.Module) else f" in {code(run.function)}"
    return f"{spot(again, run.source, event.statement.lineno)}{inside}"


def quoted_line(source: SourceFile, line: int) -> str:
    """Return the text of a source line in backticks, shortened."""
    return code(cut(source.line(line).strip(), _CODE))


def value(text: str) -> str:
    """Return a value's text in backticks, shortened."""
    return code(cut(text, _VALUE))


def call_of(run: Activation) -> str:
    """Return a call with its first arguments: `total(rows=[1, 2])`."""
    given = [f"{name}={cut(text, 30)}" for name, text in run.arguments.items() if name not in ("self", "cls")]
    more = ["..."] if len(given) > _ARGUMENTS else []
    arguments = ", ".join([*given[:_ARGUMENTS], *more])
    return code(f"{run.function}({arguments})")


def given(event: StatementRun, roots: Iterable[ast.expr]) -> str:
    """Return the values of names in the expressions, as in `, where x was 1 and y was 2`; empty if unknown."""
    known = event.run.values(names_in(*roots), event)
    told = [f"{code(name)} was {value(text)}" for name, text in known.items() if not text.startswith("<function")]
    return f", where {' and '.join(told[:_GIVEN])}" if told else ""


def tests_of(event: StatementRun) -> Iterator[tuple[StatementRun, ast.expr]]:
    """Yield (event, condition) for each enclosing condition and earlier exit that led to an event, nearest first."""
    run = event.run
    found: list[tuple[StatementRun, ast.expr]] = []
    for test, expression in control_tests(run.scope, event.statement.lineno):
        if not isinstance(test, ast.For) and (at := run.of(test, event)):
            found.append((at, expression))
    found += [(at, g.test) for g in guards(run.scope, event.statement) if (at := run.of(g, event))]
    yield from sorted(found, key=lambda pair: -pair[0].first)


def caught(again: RerunToStop, event: StatementRun) -> str:
    """Return a clause such as: `except KeyError` caught what `shop.py:4` raised; empty outside a handler."""
    run, line = event.run, event.statement.lineno
    for outer in (s for s in own_statements(run.scope) if isinstance(s, ast.Try)):
        for handler in outer.handlers:
            if is_within(line, handler.body):
                tried = range(outer.body[0].lineno, handler.lineno)
                raising = next((e for e in run.before(event) if e.statement.lineno in tried), None)
                kind = f" {ast.unparse(handler.type)}" if handler.type else ""
                told = _raised(again, raising) if raising else "an error"
                return f"{code(f'except{kind}')} at {spot(again, run.source, handler.lineno)} caught {told}"
    return ""


def _raised(again: RerunToStop, event: StatementRun) -> str:
    roots = [node for node in ast.iter_child_nodes(event.statement) if isinstance(node, ast.expr)]
    return (
        f"what {at(again, event)} raised: {quoted_line(event.run.source, event.statement.lineno)}{given(event, roots)}"
    )


def test_result(test: StatementRun) -> bool | None:
    """Whether the condition that an event evaluated was true; None if unknown."""
    after = test.run.events[test.at + 1 :][:1]
    body = getattr(test.statement, "body", None)
    return bool(after) and is_within(after[0].statement.lineno, body) if body else None


def decided(again: RerunToStop, test: StatementRun, expression: ast.expr) -> str:
    """Return a condition's result, as in: `if x > 3` at `shop.py:4` did not hold, where `x` was `2`."""
    was = {True: "held", False: "did not hold", None: "was looked at"}[test_result(test)]
    word = "while" if isinstance(test.statement, ast.While) else "if"
    head = code(f"{word} {cut(ast.unparse(expression), _CODE)}")
    return f"{head} at {spot(again, test.run.source, test.statement.lineno)} {was}{given(test, [expression])}"
