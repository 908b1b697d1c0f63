"""Answers why a line ran or did not run, from its conditions, earlier exits, and the callers of its function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.wording import times
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.agent.source.statements import first_line, last_line, names_in, own_statements
from dap_ai.debuggees.python.analysis.questions.event_text import (
    at,
    call_of,
    caught,
    decided,
    quoted_line,
    spot,
    test_result,
    tests_of,
    value,
)
from dap_ai.debuggees.python.analysis.record.recorded_run import RerunToStop
from dap_ai.debuggees.python.analysis.record.trace_record import Activation, StatementRun
from dap_ai.debuggees.python.analysis.syntax.definitions import control_tests, guards
from dap_ai.debuggees.python.analysis.syntax.nodes import called_name, calls_by, without_docstring
from dap_ai.system.texts import code

_WORD_ALONE = re.compile(r"\s*(?:else|finally|try)\s*:\s*(?:#.*)?$")
_DEPTH, _SITES, _VALUES = 3, 3, 5


def why_line(again: RerunToStop, source: SourceFile, line: int) -> list[str]:
    """Return sentences on why a line ran or did not run, the most direct reason first."""
    while _WORD_ALONE.match(source.line(line)):  # `else:`
        line += 1
    statement = source.statement_at(line)
    if statement is None:
        return [f"{spot(again, source, line)} holds no statement."]
    count = again.count(source, statement)
    if isinstance(statement, FunctionNode):
        return [*called(again, source, statement)]
    head = spot(again, source, statement.lineno)
    event, text = again.record.end(source.path, statement), quoted_line(source, statement.lineno)
    if event is not None and event is again.end and again.case.exception is None:
        count -= 1
        if not count:
            return [f"{head} has not run yet: the program stands there: {text}."]
    if not count:
        return [f"{head} was not run before this stop: {text}.", *_why_not(again, source, statement)]
    return [f"{head} ran {times(count)} before this stop: {text}.", *(_why(again, event) if event else [])]


def called(again: RerunToStop, source: SourceFile, function: FunctionNode) -> Iterator[str]:
    """Yield sentences on how often a function was called, and by which lines."""
    count = calls_of(again, source, function)
    yield f"{code(function.name)} was {f'called {times(count)}' if count else 'never called'} before this stop."
    yield from _sites(again, source, function.name)


def calls_of(again: RerunToStop, source: SourceFile, function: FunctionNode) -> int:
    """Return how often a function was called. A call of a generator counts when the generator starts."""
    body = without_docstring(function.body)
    told = sum(
        c.file == source.path and c.line in range(first_line(function), function.lineno + 1) for c in again.trace.calls
    )
    if not body or isinstance(body[0], ast.For | ast.While):
        return told
    return max(told, again.count(source, body[0]))


def _why(again: RerunToStop, event: StatementRun) -> Iterator[str]:
    if event.values:
        made = [f"{code(name)} became {value(text)}" for name, text in list(event.values.items())[:2]]
        yield f"The last time, {' and '.join(made)}."
    for test, expression in tests_of(event):
        yield f"It was reached because {decided(again, test, expression)}."
        break
    if told := caught(again, event):
        yield f"{told}."
    caller = again.record.caller(event.run)
    if caller is not None:
        call = quoted_line(caller.run.source, caller.statement.lineno)
        yield f"Its function was called by {at(again, caller)}: {call}."


def _why_not(again: RerunToStop, source: SourceFile, statement: ast.stmt, depth: int = 0) -> Iterator[str]:
    function = source.function_at(statement.lineno)
    if function is not None and not calls_of(again, source, function):
        yield from called(again, source, function)
        sites = list(_statements(again, source, function.name))
        if len(sites) == 1 and depth < _DEPTH and not again.count(*sites[0]):
            yield from _why_not(again, *sites[0], depth + 1)
        return
    scope = source.scope_at(statement.lineno)
    if scope is None:
        return
    for test, expression in control_tests(scope, statement.lineno):
        if again.count(source, test):
            yield _missed(again, source, statement, test, expression)
            return
    handlers = (h for outer in own_statements(scope) if isinstance(outer, ast.Try) for h in outer.handlers)
    handler = next((h for h in handlers if h.lineno <= statement.lineno <= last_line(h.body[-1])), None)
    if handler is not None:
        caught = f" {ast.unparse(handler.type)}" if handler.type else ""
        yield f"Nothing that its {code(f'except{caught}')} catches was raised there."
        return
    yield from _left_before(again, source, scope)


def _missed(again: RerunToStop, source: SourceFile, statement: ast.stmt, test: ast.stmt, expression: ast.expr) -> str:
    """Return a sentence such as: `if x > 3` at `shop.py:4` ran twice and never held: `x` was `1`, `2`."""
    in_body = any(s.lineno <= statement.lineno <= last_line(s) for s in getattr(test, "body", []))
    place = spot(again, source, test.lineno)
    if isinstance(test, ast.For):
        return f"The loop at {place} had no round in which it was reached: {quoted_line(source, test.lineno)}."
    events = [e for e in again.record.events if e.statement is test and e.run.source is source]
    led = [e for e in events if test_result(e) is in_body]
    text = f"{code(cut(ast.unparse(expression), 80))} at {place}"
    if led:  # the body was entered, but something in it left early
        within = guards(source.scope_at(statement.lineno) or test, statement)
        inner = next((guard for guard in within if guard.lineno > test.lineno), None)
        last = next((e for e in reversed(again.record.events) if e.statement is inner), None) if inner else None
        if inner is not None and last is not None:
            return f"Each time, {decided(again, last, inner.test)}."
    count = again.count(source, test)
    ran = "ran once and" if count == 1 else f"ran {count:,} times and"
    never = "did not hold" if in_body else "held"
    return f"{text} {ran} {never}{' each time' if count > 1 else ''}{_values(events, expression)}."


def _values(events: Sequence[StatementRun], expression: ast.expr) -> str:
    """Return the values of an expression's names in all iterations, as in `: x was 1, 2`; empty if unknown."""
    told: list[str] = []
    for name in names_in(expression):
        texts = list(dict.fromkeys(t for e in events if (t := e.run.value(name, e)) is not None))
        shown = [value(text) for text in texts[:_VALUES]] + (["..."] if len(texts) > _VALUES else [])
        if shown and not texts[0].startswith("<function"):
            told.append(f"{code(name)} was {', '.join(shown)}")
    return f": {'; '.join(told)}" if told else ""


def _left_before(again: RerunToStop, source: SourceFile, scope: ast.AST) -> Iterator[str]:
    """Yield sentences on where the last call of a line's function stopped or ended before the line."""
    runs = [run for run in again.record.runs_of(source) if run.scope is scope and run.events]
    last = runs[-1] if runs else None
    end = again.end
    if last is None:
        return
    stands = end is not None and _is_below(again, end.run, last)
    if stands or (end is not None and end.run is last):
        here = end.statement.lineno if end is not None and end.run is last else last.events[-1].statement.lineno
        yield f"The program has not come there: it stands at {spot(again, source, here)}."
        return
    event = last.events[-1]
    line = event.statement.lineno
    yield f"{call_of(last)} ended before it, at {spot(again, source, line)}: {quoted_line(source, line)}."
    for test, expression in tests_of(event):
        yield f"It came there because {decided(again, test, expression)}."
        break


def _is_below(again: RerunToStop, inner: Activation, outer: Activation) -> bool:
    """Whether the outer call made the inner call, directly or through other calls."""
    run: Activation | None = inner
    for _ in range(200):
        caller = again.record.caller(run) if run else None
        if caller is None:
            return False
        if caller.run is outer:
            return True
        run = caller.run
    return False


def _statements(again: RerunToStop, own: SourceFile, name: str) -> Iterator[tuple[SourceFile, ast.stmt]]:
    """Yield the statements that call a function of this name, in the known files."""
    for source in ({own.path: own} | again.files).values():
        for statement in source.index.statements if source.tree else ():
            names = {called_name(call) for call in calls_by(statement)}
            if name in names and not isinstance(statement, FunctionNode | ast.ClassDef):
                yield source, statement


def _sites(again: RerunToStop, own: SourceFile, name: str) -> Iterator[str]:
    rows: list[str] = []
    for source, statement in _statements(again, own, name):
        count = again.count(source, statement)
        ran = f"ran {times(count)}" if count else "not run"
        end = again.end
        if end is not None and end.statement is statement and count == 1:
            ran = "here the program stands"
        rows.append(f"{spot(again, source, statement.lineno)} ({ran}): {quoted_line(source, statement.lineno)}")
    if rows:
        more = f"; and {len(rows) - _SITES} more" if len(rows) > _SITES else ""
        yield f"It is called at {'; '.join(rows[:_SITES])}{more}."
    else:
        yield "Nothing in the files that ran calls it by this name."
