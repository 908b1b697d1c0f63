"""Answers parsed questions from a recorded run, in paragraphs; returns None for questions it cannot answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dap_ai.agent.case.stop_snapshot import StopSnapshot
from dap_ai.agent.case.value_texts import cut
from dap_ai.agent.report.sections import chain_of
from dap_ai.agent.source.source_file import FunctionNode, SourceFile
from dap_ai.debuggees.python.analysis.questions.decorated_functions import Wrapper, wrapper_of
from dap_ai.debuggees.python.analysis.questions.event_text import call_of, value
from dap_ai.debuggees.python.analysis.questions.line_questions import called, calls_of, why_line
from dap_ai.debuggees.python.analysis.questions.question_parser import (
    Called,
    Compared,
    LineRun,
    Literally,
    Returned,
    Wanted,
)
from dap_ai.debuggees.python.analysis.questions.value_origin import BACK, call_links, standing_out
from dap_ai.debuggees.python.analysis.questions.value_questions import ValueAnswer, compared, literally, same
from dap_ai.debuggees.python.analysis.record.recorded_run import RerunToStop
from dap_ai.debuggees.python.analysis.record.trace_record import Activation
from dap_ai.protocol.contracts.snapshot_messages import TracedCall
from dap_ai.system.texts import code

_MAX_CALLS = 5


def answered(wanted: Wanted, case: StopSnapshot, again: RerunToStop) -> ValueAnswer | None:
    """Return the answer from a recorded run; None if the question names no known file, function or value."""
    match wanted:
        case LineRun():
            return _line(wanted, case, again)
        case Returned():
            return _returned(wanted, again)
        case Called():
            return _called(wanted, again)
        case Compared():
            return compared(wanted, case, again)
        case Literally():
            return literally(wanted.value, case, again)
        case _:
            return None


def _line(wanted: LineRun, case: StopSnapshot, again: RerunToStop) -> ValueAnswer | None:
    source = _file(wanted.file, case, again)
    if source is None:
        return (
            ValueAnswer([f"There is no file {code(wanted.file)} on the stack or in what ran."]) if wanted.file else None
        )
    if not 0 < wanted.line <= len(source.lines):
        return ValueAnswer([f"{code(Path(source.path).name)} has {len(source.lines)} lines."])
    return ValueAnswer([" ".join(why_line(again, source, wanted.line))])


def _file(name: str, case: StopSnapshot, again: RerunToStop) -> SourceFile | None:
    if not name:
        return case.focus.source if case.focus else None
    files = [*(p.source for p in case.places if p.source), *again.files.values()]
    return next((f for f in files if f.path.replace("\\", "/").endswith(f"/{name}")), None)


def _functions(again: RerunToStop, name: str) -> Iterator[tuple[SourceFile, FunctionNode]]:
    """Yield the functions of this name in the files that ran; for `Account.withdraw`, the method of `Account` first."""
    owner, _, own = name.rpartition(".")
    files = {place.source.path: place.source for place in again.case.places if place.source} | again.files
    found = [(s, f) for s in files.values() for f in s.functions if f.name == own]
    yield from sorted(found, key=lambda pair: getattr(pair[0].owners.get(pair[1]), "name", "") != owner)


def _called(wanted: Called, again: RerunToStop) -> ValueAnswer | None:
    found = next(_functions(again, wanted.function), None)
    if found is None:
        return None
    wrapper = wrapper_of(again, wanted.function, found)
    head = [wrapper.describe(again), "Of the function itself:"] if wrapper else []
    return ValueAnswer([" ".join([*head, *called(again, *found)])])


def _returned(wanted: Returned, again: RerunToStop) -> ValueAnswer | None:
    found = next(_functions(again, wanted.function), None)
    if wrapper := wrapper_of(again, wanted.function, found):
        return _wrapper_returned(wanted, again, wrapper)
    if found is None:
        return None
    source, function = found
    runs = [run for run in again.record.runs_of(source) if run.scope is function and run.traced.result]
    if not runs:
        return ValueAnswer([_without_steps(again, source, function)])
    matching = [run for run in runs if same(run.traced.result, wanted.value)] if wanted.value else runs
    if not matching:
        return ValueAnswer([f"No call of {code(function.name)} returned {code(wanted.value)}. {_calls(runs)}"])
    last = matching[-1]
    odd = standing_out(again, [], last.events[-1], last.traced.result) if last.events else ""
    return ValueAnswer([_calls(matching), chain_of(call_links(again, last), BACK), odd])


def _wrapper_returned(wanted: Returned, again: RerunToStop, wrapper: Wrapper) -> ValueAnswer:
    """Return the answer on what a decorator's wrapper returned, and what the decorated function returned."""
    head, name = wrapper.describe(again), wrapper.name
    runs = [run for run in wrapper.runs(again) if run.traced.result]
    if not runs:
        return ValueAnswer([f"{head} What its calls returned was not recorded."])
    matching = [run for run in runs if same(run.traced.result, wanted.value)] if wanted.value else runs
    if not matching:
        return ValueAnswer([f"No call of {code(name)} returned {code(wanted.value)}. {head} {_calls(runs)}"])
    last = matching[-1]
    inner = wrapper.wrapped_in(again, last)
    own = f" In it, {call_of(inner)} returned {value(inner.traced.result)}." if inner and inner.traced.result else ""
    return ValueAnswer([f"{head} {_calls(matching)}{own}", chain_of(call_links(again, last), BACK)])


def of_others(function: str) -> ValueAnswer:
    """Return the answer for a function that is not in the files that ran."""
    return ValueAnswer([f"{code(function)} is no function of the files that ran: calls of others are not recorded."])


def _without_steps(again: RerunToStop, source: SourceFile, function: FunctionNode) -> str:
    """Return a sentence on what a function's first calls returned, if the steps of its calls were not recorded."""
    lines = range(function.lineno - len(function.decorator_list), function.lineno + 1)
    calls = [c for c in again.trace.calls if c.file == source.path and c.line in lines and c.result]
    if calls:
        told = [f"{_recorded_call(c)} returned {value(c.result)}" for c in calls]
        return f"{'; '.join(told[:_MAX_CALLS])}."
    if calls_of(again, source, function):
        return f"{code(function.name)} has not returned yet, or what it returned was not recorded."
    return f"{code(function.name)} was not called before this stop."


def _recorded_call(call: TracedCall) -> str:
    arguments = cut(", ".join(call.arguments), 60)
    return code(f"{call.function}({arguments})")


def _calls(runs: Sequence[Activation]) -> str:
    """Return a sentence on what the calls returned, in order of the calls and without duplicates."""
    told = list(dict.fromkeys(f"{call_of(run)} returned {value(run.traced.result)}" for run in runs))
    more = f"{len(told) - _MAX_CALLS:,} others before, then " if len(told) > _MAX_CALLS else ""
    return f"{more}{'; '.join(told[-_MAX_CALLS:])}."
